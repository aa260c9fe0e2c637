/** Webhooks in the management API: the secret, test events, deliveries, resending, paused URLs. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { eventually } from "../../support/eventually.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";
import { type Receiver, startReceiver } from "../../webhooks/receiver.ts";
import { answerWith } from "../../webhooks/set-up.ts";

const scope = fileScope();
const path = "/v1/account/webhooks";
let receiver: Receiver;
let service: TestService;

before(async () => {
  receiver = await startReceiver(scope);
  service = await startWithVisitors(scope, { ROLE: "all", EGRESS_ALLOWED_HOSTS: receiver.host, WEBHOOK_ALLOW_HTTP: "true" });
});

/** Sends a test event and waits until its delivery has ended. Returns the delivery's details. */
async function sendTest(person: Person, url = `http://${receiver.host}/`) {
  const { status, body } = await person.post(`${path}/test`, { url });
  assert.equal(status, 202, JSON.stringify(body));
  return await settled(person, body.id);
}

// biome-ignore lint/suspicious/noExplicitAny: response bodies are untyped
async function settled(person: Person, id: string): Promise<any> {
  await eventually("the delivery has ended", async () => (await person.get(`${path}/deliveries/${id}`)).body.delivery.state !== "pending");
  return (await person.get(`${path}/deliveries/${id}`)).body;
}

test("a test event arrives signed with the secret, which is shown once, and its delivery is listed", async () => {
  const person = await signedUp(service);
  assert.deepEqual((await person.get(path)).body, { secret: null, paused: [], allow_http: true });
  const { status, body } = await person.post(`${path}/secret`);
  assert.equal(status, 201);
  const again = await person.post(`${path}/secret`);
  assert.deepEqual([again.status, again.body.code], [409, "not_possible"]);
  answerWith(receiver, 200, { "content-type": "text/plain" }, "thanks");
  const from = receiver.received.length;
  const { delivery, body: sent, attempts } = await sendTest(person);
  const [{ headers, body: received } = assert.fail()] = receiver.received.slice(from);
  assert.deepEqual(new Webhook(body.secret).verify(received, headers), JSON.parse(sent));
  assert.deepEqual([delivery.state, delivery.type, delivery.status, delivery.tries], ["delivered", "test", 200, 1]);
  assert.equal(attempts[0].request_headers["webhook-signature"], headers["webhook-signature"]);
  assert.equal(attempts[0].response_body, "thanks");
  const { secret } = (await person.get(path)).body;
  assert.deepEqual([secret.shown, secret.previous_until], [true, null]);
});

test("a rotated secret is shown only in the response; the rotation is in the audit log", async () => {
  const person = await signedUp(service);
  const old = (await person.post(`${path}/secret`)).body.secret;
  const { status, body } = await person.post(`${path}/secret/rotate`);
  assert.equal(status, 201);
  assert.notEqual(body.secret, old);
  assert.equal((await person.post(`${path}/secret/rotate`)).status, 409);
  assert.ok((await person.get(path)).body.secret.previous_until);
  await sendTest(person);
  const { headers, body: received } = receiver.received.at(-1) ?? assert.fail();
  for (const secret of [old, body.secret]) new Webhook(secret).verify(received, headers);
  const { entries } = (await person.get("/v1/account/audit?kind=webhook")).body;
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action),
    ["webhook.secret_rotated", "webhook.secret_shown"],
  );
  assert.ok(!service.logged().includes(body.secret) && !service.logged().includes(old));
});

test("an invalid URL is rejected with the reason and the accepted format", async () => {
  const person = await signedUp(service);
  for (const [url, expected] of [
    ["nothing", "url must be an absolute URL."],
    ["ftp://example.com/", "url must be http or https."],
    ["http://user@example.com/", "url must not contain a user name or password: check the signature of each request instead."],
    ["http://169.254.169.254/", "url resolves to an address or port that is not allowed"],
    [service.origin, "url resolves to an address or port that is not allowed"],
  ] as const) {
    const { status, body } = await person.post(`${path}/test`, { url });
    assert.deepEqual([status, body.code], [400, "invalid_parameters"]);
    assert.ok(body.message.startsWith(expected), body.message);
    assert.equal(body.details[0].allowed, "an http or https URL of a public server, at most 2048 characters");
  }
  assert.deepEqual((await person.get(`${path}/deliveries`)).body.deliveries, []);
});

test("clicking Send again twice sends once; another click, with the new count, sends again", async () => {
  const person = await signedUp(service);
  const { delivery } = await sendTest(person);
  const resend = (tries: number) => person.post(`${path}/deliveries/${delivery.id}/resend`, { after_tries: tries });
  const sent = () => receiver.received.filter(({ headers }) => headers["webhook-id"] === delivery.id).length;
  const answers = await Promise.all([resend(1), resend(1)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 202],
  );
  assert.equal((await settled(person, delivery.id)).delivery.tries, 2);
  await resend(1);
  assert.equal((await settled(person, delivery.id)).delivery.tries, 2);
  assert.equal(sent(), 2);
  await resend(2);
  assert.equal((await settled(person, delivery.id)).delivery.tries, 3);
  assert.equal(sent(), 3);
  const withKey = (key: string, tries: number) =>
    person.ask("POST", `${path}/deliveries/${delivery.id}/resend`, { after_tries: tries }, { "idempotency-key": key });
  for (const tries of [3, 4]) {
    assert.equal((await withKey("click-1", tries)).status, 202);
    assert.equal((await settled(person, delivery.id)).delivery.tries, 4);
  }
  assert.equal(sent(), 4);
  const { status, body } = await withKey("click 1", 4);
  assert.deepEqual([status, body.details[0].parameter], [400, "Idempotency-Key"]);
});

test("a paused URL is listed with the reason until it is resumed; resuming it twice is recorded once", async () => {
  const person = await signedUp(service);
  answerWith(receiver, 410);
  const { delivery } = await sendTest(person);
  assert.match(delivery.error, /410 Gone/);
  const [paused, ...others] = (await person.get(path)).body.paused;
  assert.deepEqual([paused.url, paused.reason, others], [`http://${receiver.host}/`, "It responded with 410 Gone.", []]);
  const resume = () => person.post(`${path}/addresses/${paused.id}/resume`);
  assert.deepEqual([(await resume()).status, (await resume()).status], [204, 204]);
  assert.deepEqual((await person.get(path)).body.paused, []);
  const { entries } = (await person.get("/v1/account/audit?kind=webhook")).body;
  assert.deepEqual(
    entries.map(({ action, subject }: Record<string, string>) => [action, subject]),
    [["webhook.resumed", paused.url]],
  );
});

test("deliveries can be paginated and filtered by state", async () => {
  const person = await signedUp(service);
  answerWith(receiver, 200);
  const first = (await sendTest(person)).delivery.id;
  answerWith(receiver, 500);
  const second = (await sendTest(person)).delivery.id;
  const third = (await sendTest(person)).delivery.id;
  const list = async (query: string) => {
    const { body } = await person.get(`${path}/deliveries${query}`);
    return [body.deliveries.map(({ id }: { id: string }) => id), body.next_cursor];
  };
  assert.deepEqual(await list(""), [[third, second, first], null]);
  assert.deepEqual(await list("?limit=2"), [[third, second], second]);
  assert.deepEqual(await list(`?limit=2&cursor=${second}`), [[first], null]);
  assert.deepEqual(await list("?state=failed"), [[third, second], null]);
  assert.deepEqual(await list("?state=delivered"), [[first], null]);
  assert.equal((await person.get(`${path}/deliveries?state=lost`)).status, 400);
});

test("a delivery has at most 50 attempts, of which only the latest has its whole response; twenty are read in short turns", async () => {
  const person = await signedUp(service);
  answerWith(receiver, 200, { "content-type": "text/plain" }, "\u0001".repeat(64 * 1024));
  const { delivery } = await sendTest(person);
  await service.database.query(
    `insert into webhook_tries (id, delivery_id, number, started_at, duration_ms, request_headers, status, response_headers, response_body)
     select gen_random_uuid(), delivery_id, number + more, started_at, 1, request_headers, 200, response_headers, response_body
       from webhook_tries, generate_series(1, 49) as more where delivery_id = $1`,
    [delivery.id],
  );
  await service.database.query("update webhook_deliveries set tries = 50 where id = $1", [delivery.id]);
  const { attempts } = (await person.get(`${path}/deliveries/${delivery.id}`)).body;
  const lengths = attempts.map(({ response_body: body, is_cut }: { response_body: string; is_cut: boolean }) => [body.length, is_cut]);
  assert.deepEqual(lengths, [[64 * 1024, false], ...Array.from({ length: 49 }, () => [1_000, true])]);
  assert.ok(JSON.stringify(attempts).length < 1_000_000);
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const asBytes = async () =>
    await (await fetch(`${service.origin}${path}/deliveries/${delivery.id}`, { headers: { cookie } })).arrayBuffer();
  const { ms } = await longestTurnAtBest(() => Promise.all(Array.from({ length: 20 }, asBytes)));
  assert.ok(ms <= 100, `a turn of ${ms} ms`);
  const resend = (tries: number) => person.post(`${path}/deliveries/${delivery.id}/resend`, { after_tries: tries });
  assert.equal((await resend(49)).status, 202, "it does nothing");
  const { status, body } = await resend(50);
  assert.deepEqual([status, body.code, body.message], [409, "not_possible", "This webhook has been sent 50 times, the maximum."]);
});

test("test events and resent webhooks share a rate limit that doesn't affect sign-ins", async () => {
  const person = await signedUp(service);
  answerWith(receiver, 200);
  const { delivery } = await sendTest(person);
  const statuses = [];
  for (let count = 0; count < 30; count += 1)
    statuses.push((await person.post(`${path}/test`, { url: `http://${receiver.host}/` })).status);
  assert.deepEqual([...new Set(statuses.slice(0, 20)), statuses[29]], [202, 429]);
  const again = await person.post(`${path}/deliveries/${delivery.id}/resend`, { after_tries: 1 });
  assert.deepEqual([again.status, again.body.code], [429, "rate_limited"]);
  await sendTest(await signedUp(service)); // from the same address, too
});
