/** Webhooks whose senders are repeatedly killed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createAccount } from "../accounts/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { lastFirst, type Scope } from "../support/scope.ts";
import { startProcess, startServer } from "./processes.ts";
import { startReceiver } from "./receiver.ts";

const count = 300;
const answerMs = 200;

test("if the sender is killed after every 50 arrivals, 300 webhooks all arrive, each recorded once", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const scope = lastFirst({ after: database.beforeDrop });
  const receiver = await startReceiver(scope);
  receiver.answer = (_request, response) => void setTimeout(() => response.end(), answerMs);
  const accounts = await Promise.all(Array.from({ length: 5 }, () => createAccount(database)));
  const { emit } = startProcess(database, { sends: false });
  const ids = new Set<string>();
  for (let index = 0; index < count; index += 1)
    ids.add(await emit(accounts[index % accounts.length]?.userId ?? "", `http://${receiver.host}/`));

  const arrived = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  const delivered = async () => Number((await database.query("select 1 from webhook_deliveries where state = 'delivered'")).rowCount);
  for (let target = 50; target <= count; target += 50) {
    const server = await startServer(scope, database, receiver);
    while (arrived().size < target) await pause(10);
    if (target === count) while ((await delivered()) < count) await pause(50);
    server.child.kill("SIGKILL");
    await server.exited;
  }
  assert.deepEqual(arrived(), ids);
  const { rows } = await database.query("select count(*)::integer as tries from webhook_tries where error is null group by delivery_id");
  assert.deepEqual(
    rows,
    Array.from({ length: count }, () => ({ tries: 1 })),
  );
  console.log(`${receiver.received.length} requests for ${count} webhooks`);
});
