/** Webhooks on their queue: emitted in one process and sent by any other, even if it dies or other receivers are slow. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { readDelivery } from "../../src/webhooks/deliveries.ts";
import { createAccount } from "../accounts/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually as eventuallyTrue, within } from "../support/eventually.ts";
import { lastFirst, type Scope } from "../support/scope.ts";
import { startProcess, startServer } from "./processes.ts";
import { startReceiver } from "./receiver.ts";
import { answerWith } from "./set-up.ts";

const eventually = (what: string, isTrue: () => Promise<boolean>) => eventuallyTrue(what, () => pause(20).then(isTrue));

async function stateOf(database: TestDatabase, userId: string, id: string): Promise<string> {
  return (await readDelivery(database, userId, id)).delivery.state;
}

test("an event emitted by one process is delivered by another", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const receiver = await startReceiver(t);
  const { userId } = await createAccount(database);
  const id = await startProcess(database, { sends: false }).emit(userId, `http://${receiver.host}/`);
  assert.equal(receiver.received.length, 0);
  startProcess(database);
  await eventually("it has been delivered", async () => (await stateOf(database, userId, id)) === "delivered");
  assert.equal(receiver.received.length, 1);
});

test("a failed attempt is retried after its pause, not before", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const receiver = await startReceiver(t);
  const { userId } = await createAccount(database);
  answerWith(receiver, 500);
  const { emit } = startProcess(database);
  const id = await emit(userId, `http://${receiver.host}/`);
  await eventually("it has been attempted", async () => (await readDelivery(database, userId, id)).attempts.length === 1);
  const { delivery } = await readDelivery(database, userId, id);
  const { rows } = await database.query("select id, start_after from jobs.job where name = 'webhooks' and state = 'created'");
  assert.equal(rows.length, 1);
  assert.equal(rows[0].start_after.getTime(), delivery.nextAttemptAt?.getTime());
  answerWith(receiver, 200);
  await database.query("update jobs.job set start_after = now() where id = $1", [rows[0].id]);
  await eventually("it has been delivered", async () => (await stateOf(database, userId, id)) === "delivered");
  assert.equal(receiver.received.length, 2);
});

test("an account whose receivers never respond doesn't delay another's deliveries", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const [hanging, receiver] = [await startReceiver(t), await startReceiver(t)];
  const [slow, other] = [await createAccount(database), await createAccount(database)];
  hanging.answer = () => {};
  const { emit } = startProcess(database);
  for (let count = 0; count < 20; count += 1) await emit(slow.userId, `http://${hanging.host}/`);
  await eventually("the slow ones are in flight", async () => hanging.connections() === 3);
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await emit(other.userId, `http://${receiver.host}/`));
  await eventually("all of the other account's have been delivered", async () => {
    for (const id of ids) if ((await stateOf(database, other.userId, id)) !== "delivered") return false;
    return true;
  });
  assert.equal(hanging.connections(), 3);
});

test("many accounts whose receivers never respond don't delay another account's first delivery", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const [hanging, receiver] = [await startReceiver(t), await startReceiver(t)];
  const held: ServerResponse[] = [];
  hanging.answer = (_request, response) => void held.push(response);
  const { emit } = startProcess(database);
  const slow = await Promise.all(Array.from({ length: 5 }, () => createAccount(database)));
  for (const { userId } of slow) for (let count = 0; count < 6; count += 1) await emit(userId, `http://${hanging.host}/`);
  await eventually("all permits are taken", async () => held.length === 12);
  const { userId } = await createAccount(database);
  const arrived = Promise.withResolvers<number>();
  receiver.answer = (_request, response) => {
    arrived.resolve(held.length);
    response.end();
  };
  await emit(userId, `http://${receiver.host}/`);
  const before = held.length;
  held[0]?.end();
  // Of the 18 waiting deliveries, up to three may have been fetched before this one was emitted.
  assert.ok((await within("it arrives", arrived.promise)) - before <= 3);
});

test("a closing process records attempts in progress, along with the job for the next one", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const receiver = await startReceiver(t);
  const { userId } = await createAccount(database);
  const arrived = Promise.withResolvers<ServerResponse>();
  receiver.answer = (_request, response) => arrived.resolve(response);
  const { emit, jobs } = startProcess(database);
  const id = await emit(userId, `http://${receiver.host}/`);
  const response = await within("it is being sent", arrived.promise);
  jobs.stopWork();
  const closed = jobs.close(10_000);
  response.writeHead(500).end();
  await closed;
  const { delivery, attempts } = await readDelivery(database, userId, id);
  assert.deepEqual([delivery.state, attempts.length, attempts[0]?.status], ["pending", 1, 500]);
  const { rows } = await database.query("select start_after from jobs.job where name = 'webhooks' and state = 'created'");
  assert.deepEqual(rows, [{ start_after: delivery.nextAttemptAt }]);
});

test("after a kill -9 during an attempt, another process repeats it with the same id", async (t: Scope) => {
  const database = await createTestDatabase(t);
  const scope = lastFirst({ after: database.beforeDrop });
  const receiver = await startReceiver(scope);
  const { userId } = await createAccount(database);
  const first = await startServer(scope, database, receiver);
  const arrived = Promise.withResolvers<void>();
  receiver.answer = () => arrived.resolve();
  const id = await startProcess(database, { sends: false }).emit(userId, `http://${receiver.host}/`);
  await within("it is being sent", arrived.promise);
  first.child.kill("SIGKILL");
  await first.exited;
  answerWith(receiver, 200);
  // So as not to wait until the heartbeat counts as lost.
  await database.query("update jobs.job set heartbeat_on = now() - interval '1 minute' where name = 'webhooks' and state = 'active'");
  await startServer(scope, database, receiver);
  await eventually("it has been delivered", async () => (await stateOf(database, userId, id)) === "delivered");
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["webhook-id"]),
    [id, id],
  );
  assert.equal((await readDelivery(database, userId, id)).attempts.length, 1);
});
