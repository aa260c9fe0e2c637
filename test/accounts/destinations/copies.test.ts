/** Copies to a real S3 server that checks signatures: they arrive, are tried again, and say why they don't. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import { createServer } from "node:net";
import { test } from "node:test";
import { GetObjectCommand, HeadObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { createAddCopies } from "../../../src/accounts/destinations/copies.ts";
import { objectKey } from "../../../src/storage/link.ts";
import { listPaused } from "../../../src/webhooks/addresses.ts";
import { readDelivery } from "../../../src/webhooks/deliveries.ts";
import { createCertificate } from "../../browser/certificate.ts";
import { accessKeyId, observer, secretAccessKey } from "../../storage/storage-server.ts";
import { bucket, checkSignatures, setUp } from "./set-up.ts";

const never = new AbortController().signal;
const image = Buffer.from("an image");

test("a stored screenshot is copied with its bytes and type, in one signed request without a redirect", async (t) => {
  const { save, capture, runNext, copyOf, server, destinations, caller } = await setUp(t);
  const saved = await save();
  const bytes = randomBytes(3_000_000);
  const id = await capture(bytes, "archive");
  assert.deepEqual(await copyOf(id), { destination: "archive", state: "pending", key: `example.com/${id}.png`, error: null });
  await runNext();
  assert.deepEqual(await copyOf(id), { destination: "archive", state: "delivered", key: `example.com/${id}.png`, error: null });
  assert.deepEqual(
    server.requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`),
    [`PUT /${bucket}/example.com/${id}.png`],
  );
  const stored = await observer(t, server.port).send(new GetObjectCommand({ Bucket: bucket, Key: `example.com/${id}.png` }));
  assert.equal(stored.ContentType, "image/png");
  assert.ok(bytes.equals((await stored.Body?.transformToByteArray()) ?? Buffer.alloc(0)));
  const now = await destinations.read(caller, "archive");
  assert.ok(now.copiedAt && now.error === null && saved.copiedAt === null);
});

test("wrong keys: the copy waits with the reason, and arrives at the next attempt after they are replaced", async (t) => {
  const { save, capture, runNext, copyOf, destinations, caller, jobs, clock } = await setUp(t);
  await save({ secretAccessKey: "wrong" });
  const id = await capture(image, "archive");
  await runNext();
  const waiting = await copyOf(id);
  assert.equal(waiting?.state, "pending");
  assert.equal(waiting?.error, "The bucket refused the access key, or the key lacks a permission (status 403, SignatureDoesNotMatch).");
  assert.equal((await destinations.read(caller, "archive")).error, waiting?.error);
  assert.ok((jobs[0]?.startAfter?.getTime() ?? 0) > clock.now() + 4_000);
  await save();
  assert.equal((await destinations.read(caller, "archive")).error, null);
  await runNext();
  assert.equal((await copyOf(id))?.state, "delivered");
});

test("a full bucket is tried ten times within a day; the owner can try once more", async (t) => {
  const { save, capture, runNext, copyOf, server, database, caller, webhooks } = await setUp(t);
  await save();
  checkSignatures(server, () => ({ status: 507, xml: "<Error><Code>XMinioStorageFull</Code><Message>full</Message></Error>" }));
  const id = await capture(image, "archive");
  while (await runNext());
  assert.equal(server.requests.length, 10);
  assert.deepEqual(await copyOf(id), {
    ...{ destination: "archive", state: "failed", key: `example.com/${id}.png` },
    error: "The server didn't accept the object (status 507, XMinioStorageFull).",
  });
  checkSignatures(server);
  const { rows } = await database.query("select id from webhook_deliveries where screenshot_id = $1", [id]);
  await webhooks.resend(caller.userId, rows[0].id, { attempts: 10 });
  await runNext();
  assert.equal((await copyOf(id))?.state, "delivered");
});

test("a server that is away, then asks for patience, then responds: each attempt states what happened", async (t) => {
  const { save, capture, runNext, copyOf, server, jobs, clock } = await setUp(t);
  await save();
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as { port: number };
  await new Promise((resolve) => free.close(resolve));
  await save({ endpoint: `http://127.0.0.1:${port}` });
  const id = await capture(image, "archive");
  await runNext();
  assert.equal((await copyOf(id))?.error, "The server refused the connection.");
  await save();
  checkSignatures(server, () => ({ status: 503, xml: "<Error><Code>SlowDown</Code></Error>" }));
  await runNext();
  assert.match((await copyOf(id))?.error ?? "", /status 503, SlowDown/);
  assert.ok((jobs[0]?.startAfter?.getTime() ?? 0) > clock.now() + 20_000);
  checkSignatures(server);
  await runNext();
  assert.equal((await copyOf(id))?.state, "delivered");
});

test("a server that never responds ends the attempt at its deadline", async (t) => {
  const { save, capture, runNext, copyOf, server } = await setUp(t, { timeoutMs: 1_500 });
  await save();
  const release = Promise.withResolvers<undefined>();
  t.after(() => release.resolve(undefined));
  checkSignatures(server, () => release.promise);
  const id = await capture(image, "archive");
  await runNext();
  assert.deepEqual([(await copyOf(id))?.state, (await copyOf(id))?.error], ["pending", "There was no response within 1.5 seconds."]);
});

test("a screenshot that has expired or was deleted fails its copy at once, and doesn't count against the bucket", async (t) => {
  const { save, capture, runNext, copyOf, server, store, database, jobs } = await setUp(t);
  await save();
  const expired = await capture(image, "archive");
  await database.query("update screenshots set expires_at = now() where id = $1", [expired]);
  const fileless = await capture(image, "archive");
  await store.remove(objectKey(fileless, "png"), never);
  const deleted = await capture(image, "archive");
  await database.query("delete from screenshots where id = $1", [deleted]);
  while (await runNext());
  for (const id of [expired, fileless, deleted])
    assert.deepEqual(
      [(await copyOf(id))?.state, (await copyOf(id))?.error],
      ["failed", "The screenshot expired or was deleted before it could be copied."],
    );
  assert.deepEqual([server.requests.length, jobs.length], [0, 0]);
  assert.equal((await database.query("select 1 from webhook_addresses where failures > 0")).rowCount, 0);
});

test("one that could not be stored, or whose destination was deleted while it was captured, has a failed copy", async (t) => {
  const { save, capture, copyOf, jobs, database, webhooks, caller, runNext } = await setUp(t);
  await save();
  const id = await capture(null, "archive");
  assert.equal((await copyOf(id))?.error, "The screenshot could not be stored, so there is nothing to copy.");
  const other = await capture(image, "gone");
  assert.deepEqual(await copyOf(other), { destination: "gone", state: "failed", key: null, error: "The destination was deleted." });
  assert.equal(jobs.length, 0);
  const { rows } = await database.query("select id from webhook_deliveries where screenshot_id = $1", [other]);
  await webhooks.resend(caller.userId, rows[0].id, { attempts: 0 });
  await runNext();
  assert.equal((await copyOf(other))?.state, "failed");
});

test("deleting a destination forgets its keys at once, and fails its pending copies without a request", async (t) => {
  const { save, capture, runNext, copyOf, server, destinations, caller, database } = await setUp(t);
  await save();
  const id = await capture(image, "archive");
  await destinations.remove(database, caller, "archive");
  assert.equal((await database.query("select 1 from destinations")).rowCount, 0);
  assert.deepEqual([(await copyOf(id))?.state, (await copyOf(id))?.error], ["failed", "The destination was deleted."]);
  while (await runNext());
  const { rows } = await database.query("select state, error, tries from webhook_deliveries");
  assert.deepEqual(rows, [{ state: "failed", error: "The destination was deleted.", tries: 1 }]);
  assert.equal(server.requests.length, 0);
  await assert.rejects(destinations.read(caller, "archive"), { code: "not_found" });
});

test("a screenshot from the cache is copied once to each destination, and again to one that was deleted and saved anew", async (t) => {
  const { save, capture, runNext, copyStored, caller, server, destinations, database } = await setUp(t);
  await save();
  await save({ name: "other", template: "other/{label}.{ext}" });
  const id = await capture(image, "archive");
  for (let count = 0; count < 3; count += 1) await copyStored(caller, { destination: "archive" }, { id });
  await copyStored(caller, { destination: "other", attachment_name: "front page.png" }, { id });
  await copyStored(caller, {}, { id });
  while (await runNext());
  const paths = () => server.requests.map(({ path }) => path.split("?")[0]).sort();
  assert.deepEqual(paths(), [`/${bucket}/example.com/${id}.png`, `/${bucket}/other/front-page.png`]);
  await destinations.remove(database, caller, "other");
  await save({ name: "other", template: "again/{label}.{ext}" });
  await copyStored(caller, { destination: "other" }, { id });
  while (await runNext());
  assert.ok(paths().includes(`/${bucket}/again/screenshot.png`));
  assert.equal(server.requests.length, 3);
});

test("another attempt of the same capture replaces its copy", async (t) => {
  const { save, capture, runNext, copyOf, server, store, database, caller, webhooks } = await setUp(t);
  await save();
  const id = await capture(image, "archive");
  await runNext();
  const another = Buffer.from("another image");
  await store.put(objectKey(id, "png"), another, { contentType: "image/png", metadata: {} }, never);
  await database.query("update screenshots set bytes = $2 where id = $1", [id, another.length]);
  const again = createAddCopies({ now: () => Date.now() }, async () => {});
  await database.transaction((transaction) =>
    again(transaction, { userId: caller.userId, screenshots: [id], destination: "archive", label: undefined, areNew: true }),
  );
  assert.equal((await copyOf(id))?.state, "pending");
  const { rows } = await database.query("select next_try_id as id from webhook_deliveries");
  await webhooks.deliver({ id: rows[0].id }, never);
  assert.equal((await copyOf(id))?.state, "delivered");
  assert.equal(server.requests[1]?.body, "another image");
});

test("if the transaction that records the screenshot rolls back, there is no copy", async (t) => {
  const { save, capture, database, copyOf } = await setUp(t);
  await save();
  const id = await capture(image);
  const broken = createAddCopies({ now: () => Date.now() }, async () => Promise.reject(new Error("the queue is away")));
  const wanted = { userId: (await database.query("select user_id from screenshots")).rows[0].user_id, screenshots: [id], label: undefined };
  await assert.rejects(
    database.transaction((queries) => broken(queries, { ...wanted, destination: "archive", areNew: true })),
    /queue is away/,
  );
  assert.equal(await copyOf(id), undefined);
});

test("redirects are not followed, also none to another region", async (t) => {
  const { save, capture, runNext, copyOf, server, jobs } = await setUp(t);
  const elsewhere = createServer();
  let connections = 0;
  elsewhere.on("connection", (socket) => {
    connections += 1;
    socket.destroy();
  });
  elsewhere.listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  t.after(() => elsewhere.close());
  const { port } = elsewhere.address() as { port: number };
  await save();
  const xml = `<Error><Code>PermanentRedirect</Code><Endpoint>127.0.0.1:${port}</Endpoint></Error>`;
  for (const status of [301, 307]) {
    checkSignatures(server, () => ({ status, xml }));
    jobs.length = 0;
    const id = await capture(image, "archive");
    await runNext();
    assert.match((await copyOf(id))?.error ?? "", new RegExp(`^The server responded with a redirect \\(status ${status}`));
  }
  assert.equal(connections, 0);
});

test("an address that is no longer allowed is refused when it is connected to", async (t) => {
  const { save, capture, runNext, copyOf, server, testDestination, caller } = await setUp(t, { allowedHosts: "" });
  await save();
  const id = await capture(image, "archive");
  await runNext();
  const blocked = "The address is blocked: it is private, or belongs to this service.";
  assert.equal((await copyOf(id))?.error, blocked);
  const { works, problem } = await testDestination(caller, "archive", never);
  assert.deepEqual([works, problem, server.requests.length], [false, blocked, 0]);
});

test("what a hostile server responds is neither stored nor read beyond its limit, and keys are in no record or log", async (t) => {
  const { save, capture, runNext, copyOf, server, database, caller, lines, destinations, jobs } = await setUp(t);
  await save({ accessKeyId: "LettersOnlyKey", secretAccessKey });
  for (const xml of [
    `<Error><Code>LettersOnlyKey</Code><Message>${secretAccessKey}</Message></Error>`,
    `<Error><Code>${"A".repeat(70_000)}</Code></Error>`,
    `<Error><Code>Slow\r\nDown</Code></Error>`,
    "x".repeat(3_000_000),
    `<!DOCTYPE a [<!ENTITY b "${"c".repeat(100)}">]><Error><Code>&b;</Code></Error>`,
  ]) {
    server.before = () => ({ status: 400, xml });
    jobs.length = 0;
    const id = await capture(image, "archive");
    await runNext();
    assert.match((await copyOf(id))?.error ?? "", /^The server didn't accept the object \(status 400(, SlowDown)?\)\.$/, xml.slice(0, 60));
    const { rows } = await database.query("select id from webhook_deliveries where screenshot_id = $1", [id]);
    const { attempts } = await readDelivery(database, caller.userId, rows[0].id);
    assert.deepEqual([attempts[0]?.responseBody, attempts[0]?.requestHeaders], ["", {}]);
  }
  const { rows } = await database.query(
    "select d::text as row from destinations d union all select w::text from webhook_deliveries w union all select t::text from webhook_tries t union all select a::text from audit_entries a",
  );
  const seen = JSON.stringify([rows, lines, await destinations.list(caller)]);
  for (const secret of [secretAccessKey, "LettersOnlyKey", accessKeyId]) assert.ok(!seen.includes(secret), secret);
});

test("a server whose certificate isn't accepted is named by the error's code, without what the certificate says", async (t) => {
  const { save, testDestination, caller } = await setUp(t);
  const { key, cert } = createCertificate("other.example");
  const secure = createSecureServer({ key, cert }).listen(0, "127.0.0.1");
  await once(secure, "listening");
  t.after(() => secure.close());
  await save({ endpoint: `https://127.0.0.1:${(secure.address() as { port: number }).port}` });
  const { works, problem } = await testDestination(caller, "archive", never);
  assert.deepEqual([works, problem], [false, "The server's TLS certificate was not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)."]);
});

test("20 failed copies in a row pause the bucket; a successful test resumes it, and leaves nothing behind", async (t) => {
  const { save, capture, runNext, copyOf, server, database, caller, destinations, testDestination } = await setUp(t);
  await save();
  checkSignatures(server, () => ({ status: 500, xml: "<Error><Code>InternalError</Code></Error>" }));
  await database.query("insert into webhook_addresses (user_id, url, failures) values ($1, $2, 19)", [
    caller.userId,
    `http://127.0.0.1:${server.port}/${bucket}`,
  ]);
  await capture(image, "archive");
  while (await runNext());
  assert.equal((await listPaused(database, caller.userId)).length, 1);
  assert.equal((await destinations.read(caller, "archive")).isPaused, true);
  const id = await capture(image, "archive");
  await runNext();
  assert.equal((await copyOf(id))?.error, "Nothing was sent because the URL is paused.");
  assert.equal((await testDestination(caller, "archive", never)).works, false);
  assert.equal((await destinations.read(caller, "archive")).isPaused, true);
  checkSignatures(server);
  const { key, ...rest } = await testDestination(caller, "archive", never);
  assert.deepEqual(rest, { works: true, problem: null });
  assert.match(key, /^example\.com\/test-[0-9a-f-]{36}\.txt$/);
  assert.equal((await destinations.read(caller, "archive")).isPaused, false);
  const { Contents } = await observer(t, server.port).send(new ListObjectsV2Command({ Bucket: bucket }));
  assert.deepEqual(Contents ?? [], []);
});

test("a key that may not delete objects still works, and the test says what it left", async (t) => {
  const { save, server, testDestination, caller } = await setUp(t);
  await save();
  checkSignatures(server, ({ method }) =>
    method === "DELETE" ? { status: 403, xml: "<Error><Code>AccessDenied</Code></Error>" } : undefined,
  );
  const { works, key, problem } = await testDestination(caller, "archive", never);
  assert.deepEqual(
    [works, problem],
    [
      true,
      "The test's object could not be deleted. The bucket refused the access key, or the key lacks a permission (status 403, AccessDenied).",
    ],
  );
  const head = await observer(t, server.port).send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  assert.equal(head.ContentType, "text/plain; charset=utf-8");
});
