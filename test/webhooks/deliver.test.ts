/** Deliveries: emitted in a transaction, attempted, recorded, abandoned, resent; paused URLs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { AppError } from "../../src/shared/errors.ts";
import { listPaused, resumeAddress } from "../../src/webhooks/addresses.ts";
import { listDeliveries, readDelivery } from "../../src/webhooks/deliveries.ts";
import { createAccount } from "../accounts/accounts.ts";
import { answerWith, setUp } from "./set-up.ts";

const { signal } = new AbortController();

test("a delivery exists if and only if the transaction that emitted it commits", async (t) => {
  const { database, webhooks, event, userId, runNext, receiver } = await setUp(t);
  const kept = event();
  await database.transaction((transaction) => webhooks.emit(transaction, kept));
  const lost = event();
  const failing = database.transaction(async (transaction) => {
    await webhooks.emit(transaction, lost);
    throw new AppError("not_possible");
  });
  await assert.rejects(failing, /Not possible/);
  const ids = (await listDeliveries(database, userId, { limit: 10 })).map(({ id }) => id);
  assert.deepEqual(ids, [kept.id]);
  while (await runNext());
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["webhook-id"]),
    [kept.id],
  );
});

test("a second event with the same id has no effect", async (t) => {
  const { database, webhooks, event, userId, jobs, receiver, runNext } = await setUp(t);
  const first = event();
  await webhooks.emit(database, first);
  await webhooks.emit(database, { ...first, type: "capture.failed", data: { other: true } });
  assert.equal(jobs.length, 1);
  while (await runNext());
  await webhooks.emit(database, first);
  assert.equal(jobs.length, 0);
  assert.equal(receiver.received.length, 1);
  assert.equal((await listDeliveries(database, userId, { limit: 10 }))[0]?.type, "capture.done");
});

test("a webhook is signed according to Standard Webhooks, and its body is {type, timestamp, data}", async (t) => {
  const { database, webhooks, userId, receiver, emit, runNext, clock } = await setUp(t);
  const secret = await webhooks.secrets.show(database, userId);
  const time = new Date(clock.now()).toISOString();
  const id = await emit({ data: { text: "ü\0\ud800" } });
  await runNext();
  const [{ headers, body } = assert.fail()] = receiver.received;
  const verified = new Webhook(secret).verify(body, headers);
  assert.deepEqual(verified, { type: "capture.done", timestamp: time, data: { text: "ü\0\ud800" } });
  assert.equal(headers["webhook-id"], id);
  assert.equal(headers["content-type"], "application/json");
  assert.throws(() => new Webhook(secret).verify(body.replace("done", "gone"), headers));
});

test("request, response and duration of a delivered webhook are stored", async (t) => {
  const { database, userId, receiver, emit, runNext, metrics } = await setUp(t);
  answerWith(receiver, 201, { "content-type": "text/plain", "set-cookie": "a=b", "x-request-id": "r1" }, "thanks");
  const id = await emit();
  await runNext();
  const { delivery, attempts } = await readDelivery(database, userId, id);
  assert.deepEqual(
    [delivery.state, delivery.attempts, delivery.status, delivery.error, delivery.nextAttemptAt],
    ["delivered", 1, 201, null, null],
  );
  const [made = assert.fail()] = attempts;
  assert.deepEqual([made.status, made.responseBody, made.isCut, made.error], [201, "thanks", false, null]);
  assert.equal(made.responseHeaders?.["x-request-id"], "r1");
  assert.equal(made.responseHeaders?.["set-cookie"], undefined);
  assert.equal(made.requestHeaders["webhook-id"], id);
  assert.ok(made.durationMs >= 0 && made.durationMs < 30_000);
  assert.match(await metrics.registry.metrics(), /tintype_webhook_tries_total\{result="delivered"\} 1/);
});

test("a failing delivery is attempted ten times within a day, with the same id and body", async (t) => {
  const { database, userId, receiver, emit, runNext, clock } = await setUp(t);
  answerWith(receiver, 503);
  const began = clock.now();
  const id = await emit();
  while (await runNext());
  assert.equal(receiver.received.length, 10);
  assert.deepEqual([...new Set(receiver.received.map(({ headers, body }) => headers["webhook-id"] + body))].length, 1);
  const stamps = receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
  assert.deepEqual(
    stamps.toSorted((a, b) => a - b),
    stamps,
  );
  const hours = (clock.now() - began) / 3_600_000;
  assert.ok(hours > 19 && hours < 25, String(hours));
  const { delivery, attempts } = await readDelivery(database, userId, id);
  assert.deepEqual([delivery.state, delivery.attempts, delivery.status, attempts.length], ["failed", 10, 503, 10]);
  assert.match(delivery.error ?? "", /status 503/);
  assert.deepEqual(await listPaused(database, userId), []);
});

test("once a receiver has recovered, it gets the delivery at the next attempt", async (t) => {
  const { database, userId, receiver, emit, runNext, jobs, clock } = await setUp(t);
  answerWith(receiver, 500);
  const id = await emit();
  await runNext();
  const { delivery } = await readDelivery(database, userId, id);
  assert.equal(delivery.state, "pending");
  assert.equal(delivery.nextAttemptAt?.getTime(), jobs[0]?.startAfter?.getTime());
  assert.ok((jobs[0]?.startAfter?.getTime() ?? 0) > clock.now() + 4_000);
  answerWith(receiver, 200);
  await runNext();
  assert.equal((await readDelivery(database, userId, id)).delivery.state, "delivered");
});

test("an attempt without a response in time fails and is retried", async (t) => {
  const { database, userId, receiver, emit, runNext, jobs } = await setUp(t, { timeoutMs: 50 });
  receiver.answer = () => {};
  const id = await emit();
  await runNext();
  const { delivery, attempts } = await readDelivery(database, userId, id);
  assert.deepEqual([delivery.state, delivery.error, jobs.length], ["pending", "There was no response within 0.05 seconds.", 1]);
  assert.deepEqual([attempts[0]?.status, attempts[0]?.responseHeaders, attempts[0]?.error], [null, null, delivery.error]);
});

test("Retry-After is respected", async (t) => {
  const { receiver, emit, runNext, jobs, clock } = await setUp(t);
  answerWith(receiver, 429, { "retry-after": "1200" });
  await emit();
  await runNext();
  assert.equal(jobs[0]?.startAfter?.getTime(), clock.now() + 1_200_000);
});

test("if a process dies between sending an attempt and recording it, the attempt is repeated with the same id", async (t) => {
  const { receiver, emit, webhooks, jobs, database, userId } = await setUp(t);
  const id = await emit();
  const [job = assert.fail()] = jobs;
  const died = new AbortController();
  receiver.answer = (_request, response) => {
    died.abort(new Error("the process died"));
    response.end();
  };
  await assert.rejects(webhooks.deliver(job, died.signal), /the process died/);
  assert.deepEqual((await readDelivery(database, userId, id)).delivery.attempts, 0);
  answerWith(receiver, 200);
  await webhooks.deliver(job, signal);
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["webhook-id"]),
    [id, id],
  );
  const { delivery, attempts } = await readDelivery(database, userId, id);
  assert.deepEqual([delivery.state, attempts.length], ["delivered", 1]);
});

test("a job that runs twice concurrently is recorded once, and an outdated job sends nothing", async (t) => {
  const { receiver, emit, webhooks, jobs, database, userId } = await setUp(t);
  answerWith(receiver, 500);
  const id = await emit();
  const [job = assert.fail()] = jobs;
  await Promise.all([webhooks.deliver(job, signal), webhooks.deliver(job, signal)]);
  assert.equal((await readDelivery(database, userId, id)).attempts.length, 1);
  assert.equal(jobs.length, 2);
  const sent = receiver.received.length;
  await webhooks.deliver(job, signal);
  assert.equal(receiver.received.length, sent);
});

test("20 consecutive failed deliveries pause their URL; others are still attempted", async (t) => {
  const { database, userId, receiver, emit, runNext, url } = await setUp(t);
  receiver.answer = (request, response) => void response.writeHead(request.url === "/other" ? 200 : 500).end();
  for (let count = 0; count < 19; count += 1) await emit();
  while (await runNext());
  assert.deepEqual(await listPaused(database, userId), []);
  await emit();
  while (await runNext());
  const [paused = assert.fail()] = await listPaused(database, userId);
  assert.deepEqual([paused.url, paused.reason], [url, "20 deliveries in a row failed."]);

  const sent = receiver.received.length;
  const held = await emit();
  while (await runNext());
  const { delivery, attempts } = await readDelivery(database, userId, held);
  assert.deepEqual([delivery.state, delivery.error, attempts.length], ["failed", "Nothing was sent because the URL is paused.", 0]);
  assert.equal(receiver.received.length, sent);
  const other = await emit({ url: url.replace("hook", "other") });
  while (await runNext());
  assert.equal((await readDelivery(database, userId, other)).delivery.state, "delivered");

  assert.deepEqual(await resumeAddress(database, userId, paused.id), { url, wasPaused: true });
  assert.deepEqual(await resumeAddress(database, userId, paused.id), { url, wasPaused: false });
  receiver.answer = (_request, response) => void response.end();
  const next = await emit();
  while (await runNext());
  assert.equal((await readDelivery(database, userId, next)).delivery.state, "delivered");
});

test("a successful delivery resets the count of failures", async (t) => {
  const { database, userId, receiver, emit, runNext } = await setUp(t);
  await database.query("insert into webhook_addresses (user_id, url, failures) values ($1, $2, 19)", [
    userId,
    `http://${receiver.host}/hook`,
  ]);
  await emit();
  await runNext();
  answerWith(receiver, 500);
  await emit();
  while (await runNext());
  assert.deepEqual(await listPaused(database, userId), []);
});

test("410 Gone ends the delivery and pauses the address immediately", async (t) => {
  const { database, userId, receiver, emit, runNext } = await setUp(t);
  answerWith(receiver, 410);
  const id = await emit();
  while (await runNext());
  assert.equal(receiver.received.length, 1);
  assert.equal((await readDelivery(database, userId, id)).delivery.state, "failed");
  assert.deepEqual(
    (await listPaused(database, userId)).map(({ reason }) => reason),
    ["It responded with 410 Gone."],
  );
});

test("the deliveries of a disabled account are not sent", async (t) => {
  const { database, userId, receiver, emit, runNext } = await setUp(t);
  const id = await emit();
  await database.query("update users set disabled_at = now() where id = $1", [userId]);
  await runNext();
  assert.equal(receiver.connections(), 0);
  assert.match((await readDelivery(database, userId, id)).delivery.error ?? "", /account is disabled/);
});

test("nothing is delivered to http URLs once the service allows only https", async (t) => {
  const { database, userId, receiver, emit, runNext } = await setUp(t, { allowHttp: false });
  const id = await emit();
  await runNext();
  assert.equal(receiver.connections(), 0);
  const { delivery } = await readDelivery(database, userId, id);
  assert.deepEqual([delivery.state, delivery.error], ["failed", "Nothing was sent because only https URLs are allowed."]);
});

test("send again: a double click sends once; works for delivered and failed webhooks, and for paused URLs", async (t) => {
  const { database, userId, receiver, emit, runNext, jobs, webhooks } = await setUp(t);
  answerWith(receiver, 410);
  const id = await emit();
  while (await runNext());
  answerWith(receiver, 200);
  await Promise.all([webhooks.resend(userId, id, { attempts: 1 }), webhooks.resend(userId, id, { attempts: 1 })]);
  assert.equal(jobs.length, 1);
  await runNext();
  await webhooks.resend(userId, id, { attempts: 1 }); // a late second click
  assert.equal(jobs.length, 0);
  const { delivery, attempts } = await readDelivery(database, userId, id);
  assert.deepEqual([delivery.state, attempts.length, receiver.received.length], ["delivered", 2, 2]);
  await webhooks.resend(userId, id, { attempts: 2 });
  await runNext();
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["webhook-id"]),
    [id, id, id],
  );
});

test("send again: a double click sends once even if the second click is recorded with an earlier time", async (t) => {
  const { emit, runNext, jobs, clock, userId, webhooks } = await setUp(t);
  const id = await emit();
  await runNext();
  await webhooks.resend(userId, id, { attempts: 1 });
  clock.advance(-1);
  await webhooks.resend(userId, id, { attempts: 1 });
  assert.equal(jobs.length, 1);
});

test("send again: a delivery waiting for its next attempt is sent now, and its old job does nothing", async (t) => {
  const { database, userId, receiver, emit, runNext, jobs, webhooks } = await setUp(t);
  answerWith(receiver, 500);
  const id = await emit();
  await runNext();
  const [waiting = assert.fail()] = jobs.splice(0);
  answerWith(receiver, 200);
  await webhooks.resend(userId, id, { attempts: 1 });
  await webhooks.resend(userId, id, { attempts: 1 });
  assert.equal(jobs.length, 1);
  await runNext();
  await webhooks.deliver(waiting, signal);
  assert.equal(receiver.received.length, 2);
  assert.equal((await readDelivery(database, userId, id)).delivery.state, "delivered");
});

test("send again: an idempotency key sends once, whatever number of attempts the request names, until something was sent", async (t) => {
  const { database, userId, receiver, emit, runNext, jobs, webhooks } = await setUp(t);
  const [id, other] = [await emit(), await emit()];
  while (await runNext());
  const resend = (attempts: number, key: string, delivery = id) => webhooks.resend(userId, delivery, { attempts, key });
  await resend(1, "first");
  await resend(1, "first");
  await runNext();
  await resend(2, "first");
  assert.equal(jobs.length, 0, "the key has been used");
  await resend(1, "first", other);
  await resend(2, "second");
  while (await runNext());
  assert.equal(receiver.received.length, 5, "another delivery, or another key, is sent");
  await resend(3, "third");
  await database.query("update users set disabled_at = now() where id = $1", [userId]);
  await runNext();
  await database.query("update users set disabled_at = null where id = $1", [userId]);
  await resend(3, "third");
  await runNext();
  const { delivery } = await readDelivery(database, userId, id);
  assert.deepEqual([delivery.state, delivery.attempts, receiver.received.length], ["delivered", 4, 6], "the first request sent nothing");
});

test("a failed manual attempt doesn't count towards a pause", async (t) => {
  const { database, userId, receiver, webhooks, runNext, url } = await setUp(t);
  answerWith(receiver, 500);
  await database.query("insert into webhook_addresses (user_id, url, failures) values ($1, $2, 19)", [userId, url]);
  const id = await webhooks.test(userId, url, signal);
  while (await runNext());
  assert.equal(receiver.received.length, 1, "a test event is attempted once");
  assert.deepEqual(JSON.parse(receiver.received[0]?.body ?? "").type, "test");
  assert.equal((await readDelivery(database, userId, id)).delivery.state, "failed");
  assert.deepEqual(await listPaused(database, userId), []);
});

test("if the secret can't be decrypted, nothing is sent unsigned, and the delivery says what to do", async (t) => {
  const { database, userId, receiver, emit, runNext, webhooks } = await setUp(t);
  await webhooks.secrets.show(database, userId);
  await database.query("update webhook_secrets set sealed = 'x'");
  const id = await emit();
  await runNext();
  assert.equal(receiver.connections(), 0);
  assert.match((await readDelivery(database, userId, id)).delivery.error ?? "", /AUTH_SECRET has changed: rotate the signing secret/);
});

test("deliveries are listed newest first, with pagination, by state, and only the account's own", async (t) => {
  const { database, userId, receiver, emit, runNext, webhooks, clock } = await setUp(t);
  const other = await createAccount(database);
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.unshift(await emit());
  while (await runNext());
  answerWith(receiver, 410);
  clock.advance(1_000);
  const failed = await emit({ url: `http://${receiver.host}/gone` });
  while (await runNext());
  const list = async (owner: string, filter: object) =>
    (await listDeliveries(database, owner, { limit: 10, ...filter })).map(({ id }) => id);
  assert.deepEqual(await list(userId, {}), [failed, ...sorted(ids)]);
  assert.deepEqual(await list(userId, { limit: 2 }), [failed, sorted(ids)[0]]);
  assert.deepEqual(await list(userId, { before: sorted(ids)[1], limit: 2 }), sorted(ids).slice(2, 4));
  assert.deepEqual(await list(userId, { state: "failed" }), [failed]);
  assert.deepEqual(await list(userId, { state: "pending" }), []);
  assert.deepEqual(await list(other.userId, {}), []);
  assert.deepEqual(await list(other.userId, { before: failed }), []);
  await assert.rejects(readDelivery(database, other.userId, failed), /Not found/);
  await assert.rejects(webhooks.resend(other.userId, failed, { attempts: 1 }), /Not found/);
  const [paused = assert.fail()] = await listPaused(database, userId);
  await assert.rejects(resumeAddress(database, other.userId, paused.id), /Not found/);
});

/** Deliveries created at the same moment are sorted by id, in descending order. */
const sorted = (ids: string[]): string[] => ids.toSorted().reverse();
