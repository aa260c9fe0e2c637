/** Request targets as bytes: router, signature, parser and log interpret each identically, or it is rejected. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createApiKey } from "../../accounts/accounts.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { signedUp } from "../../support/visitor.ts";
import { type Account, encoded, evil, good, json, type RawTargets, sign, startRawTargets, take } from "./raw-targets.ts";

const scope = fileScope();

let service: TestService;
let victim: Account;
let attacker: Account;
let send: RawTargets["send"];
let sendOne: RawTargets["sendOne"];
let assertCaptures: RawTargets["assertCaptures"];

before(async () => {
  ({ service, victim, attacker, send, sendOne, assertCaptures } = await startRawTargets(scope));
});

const methods = ["GET", "HEAD", "POST", "OPTIONS", "PURGE"];

for (const target of [
  "/#",
  "/health/live#",
  "/health/live?#",
  "/health/live#?",
  "/v1/screenshots/take#?api_key=a",
  `/v1/screenshots/${"a".repeat(200)}#`,
  "/nowhere#",
  "/%zz#",
  "/docs/#x",
  "http://a/health/live#x",
  "/health/live?x=%23#%23",
  `/health/live?${"x".repeat(10_000)}#`,
])
  test(`${target.slice(0, 60)}: 400 for every method, because of the "#"`, async () => {
    for (const method of methods) {
      const answer = await sendOne(target, method);
      assert.equal(answer.status, 400, method);
      assert.match(answer.headers["x-request-id"] ?? "", /^req_/);
      if (method === "HEAD") continue;
      const { code, message, requestId } = json(answer);
      assert.equal(code, "invalid_parameters");
      assert.match(message, /"#".*%23/);
      assert.equal(requestId, answer.headers["x-request-id"]);
    }
  });

test("no request can change the meaning of another account's query", async () => {
  const query = `url=${encoded(good)}&dry_run=1`;
  for (const between of ["#", "?#", "#?", "%23", "%3F", ";", "&", "?", "??", "\\?", "/?"]) {
    const injected = `api_key=${attacker.key}&url=${encoded(evil)}&dry_run=1`;
    // The victim's query, with and without a preceding "&".
    for (const wanted of [query, `&${query}`])
      await send([
        `${take}${between}${injected}&x=?${wanted}`,
        `${take}?${wanted}${between}${injected}`,
        `${take}${between}${injected}?${wanted}`,
      ]);
    await assertCaptures(query, good, between);
  }
});

test("playground requests can't change the meaning of a query with a key, nor vice versa", async () => {
  const person = await signedUp(service);
  const query = `url=${encoded(good)}&dry_run=1&width=77`;
  for (const [asked, warnings] of [
    [`api_key=nonsense&${query}`, ["unknown parameter api_key was ignored"]],
    [`&${query}`, []],
    [query, []],
  ]) {
    const { body } = await person.post(`/v1/account/playground?${asked}`);
    assert.deepEqual(body.warnings, warnings);
    assert.deepEqual(json(await sendOne(`${take}?api_key=${victim.key}&${query}`)).warnings, []);
  }
});

test("text before or after the query can't change a signed request", async () => {
  const { rows } = await service.pool.query("select email from users where id = $1", [(await service.createAccount()).userId]);
  const key = await createApiKey(service.database, rows[0].email, { prefix: "ss", requireSignature: true });
  const { rows: keys } = await service.pool.query("select id from api_keys order by created_at desc limit 1");
  const query = `api_key=${key}&url=${encoded(good)}&dry_run=1`;
  const signature = sign(query, { key, signingSecret: service.services.signatures.secretOf(keys[0].id) });
  const signed = `${query}&signature=${signature}`;
  assert.equal((await sendOne(`${take}?${signed}`)).status, 200);
  const added = `api_key=${key}&url=${encoded(evil)}&dry_run=1&authorization=Basic`;
  for (const target of [
    `${take}#${added}&x=?${signed}`,
    `${take};${added}&x=?${signed}`,
    `${take}%3F${added}&x=?${signed}`,
    `${take}??${added}&x=?${signed}`,
    `${take}?${added}&x=?${signed}`,
    `${take}?${signed}#&${added}`,
    `${take}?${signed}&?${added}`,
    `${take}?${signed}&?width=100`,
    `http://a${take}?${added}&x=http://a${take}?${signed}`,
  ])
    assert.notEqual((await sendOne(target)).status, 200, target);
});

test("a key is never logged, wherever it is in the request target", async () => {
  const secret = "a-key-of-its-own";
  for (const between of ["#", "%23", "%3F", "%3f", ";", "&", "\\", "/"])
    for (const rest of [`api_key=${secret}&url=${encoded(good)}`, `x?api_key=${secret}`, `api_key=${secret}#?x`])
      for (const path of ["/", take, "/health/live", "/nowhere", "http://a/nowhere"]) await sendOne(path + between + rest);
  assert.ok(service.logged().includes('"path":"/nowhere'));
  assert.equal(
    service
      .logged()
      .split("\n")
      .find((line) => line.includes(secret)),
    undefined,
  );
});

test("a target in absolute form is routed by its path, and its host replaces the Host header", async () => {
  const query = `api_key=${victim.key}&url=${encoded(good)}&dry_run=1`;
  for (const start of ["http://a", "HTTP://a:80", "https://[::1]:3000"]) {
    const answer = await sendOne(`${start}${take}?${query}&signature=${sign(query, victim)}`);
    assert.equal(answer.status, 200, answer.body.toString());
    const lines = service.logged().split("\n");
    const line = lines.find((text) => text.includes('"answered"') && text.includes(answer.headers["x-request-id"] ?? "none"));
    assert.equal(JSON.parse(line ?? "{}").path, take);
  }
  assert.match((await sendOne("http://a?x=/health/live")).body.toString(), /"name":"Tintype"/); // the root
});

test("a target that is neither a path nor an http URL causes a 400", async () => {
  for (const target of ["*", "**", "*?a", "ftp://a/", "http:///health/live", "http://somebody@a/health/live", "http://a:b/health/live"])
    for (const method of ["GET", "POST"]) {
      const answer = await sendOne(target, method);
      assert.equal(answer.status, 400, `${method} ${target}`);
      assert.match(json(answer).message, /path, such as \/v1\/screenshots\/take/, target);
    }
});
