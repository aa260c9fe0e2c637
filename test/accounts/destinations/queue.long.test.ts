/** Copies in the real queue: buckets that never respond or are away for a minute, and senders that are repeatedly killed. */

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { pino } from "pino";
import { v7 } from "uuid";
import { createCharge } from "../../../src/accounts/usage/charge.ts";
import { createFileStore } from "../../../src/storage/folder.ts";
import { objectKey } from "../../../src/storage/link.ts";
import { accessKeyId, observer, secretAccessKey } from "../../storage/storage-server.ts";
import { createTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { lastFirst } from "../../support/scope.ts";
import { startProcess, startServer } from "../../webhooks/processes.ts";
import { startReceiver } from "../../webhooks/receiver.ts";
import { createQuotaKey } from "../accounts.ts";
import { settledImage } from "../usage/settled-image.ts";
import { bucket, checkSignatures, startBucket } from "./set-up.ts";

const log = pino({ level: "silent" });
const { signal } = new AbortController();

/** Screenshots of several accounts with a destination each, captured while nothing is sent unless `sends`. */
async function setUp(t: TestContext, { sends }: { sends: boolean }) {
  const database = await createTestDatabase(t);
  const scope = lastFirst({ after: database.beforeDrop });
  const server = await startBucket(t);
  const folder = await mkdtemp(join(tmpdir(), "tintype-copies-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const store = createFileStore(folder, log);
  await store.prepare(signal);
  const { copying, emit } = startProcess(database, { sends, store });
  const callers = await Promise.all(Array.from({ length: 5 }, () => createQuotaKey(database, 10_000)));
  const endpoint = `http://127.0.0.1:${server.port}`;
  const saved = { name: "archive", endpoint, bucket, region: "us-east-1", pathStyle: true, template: "{id}" };
  for (const caller of callers) await copying.destinations.save(database, caller, { ...saved, accessKeyId, secretAccessKey }, signal);
  const charge = createCharge({ database, clock: { now: () => Date.now() }, log });
  const capture = async (index: number): Promise<string> => {
    const id = v7();
    const caller = callers[index % callers.length] ?? assert.fail();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const about = { url: "https://example.com/", options: {}, cacheKey: Buffer.alloc(32), reservedMs: 60_000, expiresAt };
    const [reservation] = await charge.reserve(caller, [{ outputs: [{ id, ...about }] }]);
    await store.put(objectKey(id, "png"), Buffer.from(id), { contentType: "image/png", metadata: {} }, signal);
    const wanted = { userId: caller.userId, screenshots: [id], destination: "archive", label: undefined, areNew: true };
    const onRecorded = (queries: Parameters<typeof copying.addCopies>[0]) => copying.addCopies(queries, wanted);
    await charge.settle(reservation, { ...settledImage, bytes: id.length, objectKey: objectKey(id, "png"), onRecorded });
    return id;
  };
  const delivered = async () => Number((await database.query("select 1 from webhook_deliveries where state = 'delivered'")).rowCount);
  const stored = async () => {
    const { Contents = [] } = await observer(t, server.port).send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key }) => Key).sort();
  };
  return { database, scope, server, folder, emit, capture, delivered, stored };
}

test("buckets of five accounts that never respond don't delay another account's webhook", async (t) => {
  const { database, server, emit, capture } = await setUp(t, { sends: true });
  const gate = Promise.withResolvers<undefined>();
  t.after(() => gate.resolve(undefined));
  let held = 0;
  checkSignatures(server, () => {
    held += 1;
    return gate.promise;
  });
  for (let index = 0; index < 20; index += 1) await capture(index);
  await eventually("copies are being sent", async () => held >= 12);
  await pause(3_000);
  const receiver = await startReceiver(t);
  const { userId } = await createQuotaKey(database, 1);
  await emit(userId, `http://${receiver.host}/`);
  await eventually("the webhook has been sent", async () => receiver.received.length === 1, 10_000);
  assert.equal(held, 12); // all workers that take copies
});

test("copies to a bucket that is away for a minute all arrive afterwards, by themselves", { timeout: 400_000 }, async (t) => {
  const { server, capture, delivered, stored, database } = await setUp(t, { sends: true });
  checkSignatures(server, () => ({ status: 503, xml: "<Error><Code>ServiceUnavailable</Code></Error>" }));
  const ids = await Promise.all(Array.from({ length: 40 }, (_, index) => capture(index)));
  await pause(60_000);
  assert.equal(await delivered(), 0);
  checkSignatures(server);
  await eventually("all have arrived", async () => (await delivered()) === ids.length, 300_000);
  assert.deepEqual(await stored(), ids.sort());
  const { rows } = await database.query("select max(tries) as most from webhook_deliveries");
  console.log(`${rows[0].most} attempts at most`);
});

test("if the sender is killed after every 50 arrivals, 200 copies all arrive, each recorded once", { timeout: 400_000 }, async (t) => {
  const { database, scope, server, folder, capture, delivered, stored } = await setUp(t, { sends: false });
  const ids: string[] = [];
  for (let index = 0; index < 200; index += 1) ids.push(await capture(index));
  const arrived = new Set<string>();
  checkSignatures(server, async ({ path }) => {
    await pause(200);
    arrived.add(path);
    return undefined;
  });
  for (let target = 50; target <= ids.length; target += 50) {
    const process = await startServer(scope, database, { host: `127.0.0.1:${server.port}` }, folder);
    while (arrived.size < target) await pause(10);
    if (target === ids.length) while ((await delivered()) < ids.length) await pause(50);
    process.child.kill("SIGKILL");
    await process.exited;
  }
  assert.deepEqual(await stored(), ids.sort());
  const { rows } = await database.query("select count(*)::integer as tries from webhook_tries where error is null group by delivery_id");
  assert.deepEqual(
    rows,
    Array.from({ length: ids.length }, () => ({ tries: 1 })),
  );
  console.log(`${server.requests.filter(({ method }) => method === "PUT").length} requests for ${ids.length} copies`);
});
