/** Request targets as bytes: router, signature, parsed query and log read every one of them alike, or it is refused. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import fc from "fast-check";
import { createApiKey } from "../accounts/accounts.ts";
import { exchange, type RawAnswer } from "../support/raw.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { signedUp } from "../support/visitor.ts";
import { type GeneratedTarget, generatedTarget, hasFragment, loggedPath, readingOf, targetText } from "./request-targets.ts";

const scope = fileScope();
const take = "/v1/screenshots/take";
const good = "http://127.0.0.1:9/good";
const evil = "http://127.0.0.1:9/evil";
const encoded = encodeURIComponent;

let service: TestService;
let victim: Account;
let attacker: Account;

interface Account {
  key: string;
  signingSecret: string;
}

before(async () => {
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.1:9", RATE_LIMIT_MAX_REQUESTS: "1000000" });
  victim = await createAccount();
  attacker = await createAccount();
});

async function createAccount(): Promise<Account> {
  const { key, userId } = await service.createAccount({ rateLimit: 1_000_000 });
  const { rows } = await service.pool.query("select id from api_keys where user_id = $1", [userId]);
  return { key, signingSecret: service.services.signatures.secretOf(rows[0].id) };
}

/** One request for each target, all on one connection; an answer that closes it is followed by the next connection. */
async function send(targets: string[], method = "GET", headers = ""): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  while (answers.length < targets.length) {
    const rest = targets.slice(answers.length);
    const text = rest.map((target, index) => {
      const connection = index === rest.length - 1 ? "close" : "keep-alive";
      return `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n${headers}\r\n`;
    });
    const some = await exchange(service.origin, { pieces: [text.join("")], methods: targets.map(() => method) });
    assert.ok(some.length > 0, `no answer to ${rest[0]}`);
    answers.push(...some);
  }
  return answers;
}

async function sendOne(target: string, method?: string, headers?: string): Promise<RawAnswer> {
  return (await send([target], method, headers))[0] as RawAnswer;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
const json = ({ body }: RawAnswer): any => JSON.parse(body.toString());

function sign(query: string, { signingSecret }: Account): string {
  return createHmac("sha256", signingSecret).update(query).digest("hex");
}

/** What a query means to the victim, whose key may stand at either end of it. */
async function assertCaptures(query: string, url: string, what: string): Promise<void> {
  for (const asked of [`api_key=${victim.key}&${query}`, `${query}&api_key=${victim.key}`]) {
    const answer = await sendOne(`${take}?${asked}`);
    assert.equal(answer.status, 200, `${what}: ${answer.body}`);
    assert.equal(json(answer).options.url, url, what);
  }
}

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
  test(`${target.slice(0, 60)}: 400 to every method, as a request target has no "#"`, async () => {
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

test("no request decides what a query of another account means", async () => {
  const query = `url=${encoded(good)}&dry_run=1`;
  for (const between of ["#", "?#", "#?", "%23", "%3F", ";", "&", "?", "??", "\\?", "/?"]) {
    const injected = `api_key=${attacker.key}&url=${encoded(evil)}&dry_run=1`;
    // The victim's query, as it is with the key and without.
    for (const wanted of [query, `&${query}`])
      await send([
        `${take}${between}${injected}&x=?${wanted}`,
        `${take}?${wanted}${between}${injected}`,
        `${take}${between}${injected}?${wanted}`,
      ]);
    await assertCaptures(query, good, between);
  }
});

test("no request to the playground decides what a query of a key means, nor the other way round", async () => {
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

test("a signed request can't be changed by what comes before or after its query", async () => {
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

test("a key is in no log line, wherever in the request target it stands", async () => {
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

test("an address in absolute form is read as the path in it, and its host is the request's", async () => {
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

test("what is neither a path nor an http address is 400", async () => {
  for (const target of ["*", "**", "*?a", "ftp://a/", "http:///health/live", "http://somebody@a/health/live", "http://a:b/health/live"])
    for (const method of ["GET", "POST"]) {
      const answer = await sendOne(target, method);
      assert.equal(answer.status, 400, `${method} ${target}`);
      assert.match(json(answer).message, /path, such as \/v1\/screenshots\/take/, target);
    }
});

const runs = 50;
const targetsOfARun = 40;

test(`${runs * targetsOfARun} generated request targets: router, signature, parsed query and log read each one alike`, async (t) => {
  const plain = `url=${encoded(good)}&dry_run=1`;
  const seen: Record<string, number> = {};
  const batch = fc.array(generatedTarget({ take, good, evil, plain }), { minLength: targetsOfARun, maxLength: targetsOfARun, size: "max" });
  await fc.assert(
    fc.asyncProperty(batch, async (all) => {
      const targetsOfBoth: string[] = [];
      for (const account of [attacker, victim]) {
        const targets = all.map((one) => targetText(one, account.key, plain, (query) => sign(query, account)));
        targetsOfBoth.push(...targets);
        const already = service.logged().length;
        const answers = await send(targets);
        const lines = service.logged().slice(already);
        for (const [index, answer] of answers.entries()) {
          const outcome = assertReadAlike(targets[index] as string, all[index] as GeneratedTarget, answer, lines);
          seen[outcome] = (seen[outcome] ?? 0) + 1;
        }
        assert.ok(!lines.includes(account.key), "the key is in no log line");
      }
      await assertCaptures(plain, good, targetsOfBoth.join("\n"));
    }),
    { numRuns: runs, endOnFailure: true },
  );
  t.diagnostic(JSON.stringify(seen));
  for (const outcome of ["fragment", "captured", "refused", "elsewhere"])
    assert.ok((seen[outcome] ?? 0) > 100, `${outcome}: ${seen[outcome]}`);
});

/** What the answer and the log must be by RFC 9112 and the rules of forms; the test has a reader of its own. */
function assertReadAlike(target: string, { signature }: GeneratedTarget, answer: RawAnswer, lines: string): string {
  const what = `${target}: ${answer.status} ${answer.body}`;
  const line = lines.split("\n").find((text) => text.includes('"answered"') && text.includes(answer.headers["x-request-id"] ?? "none"));
  if (hasFragment(target)) {
    assert.equal(answer.status, 400, what);
    assert.equal(line, undefined, what);
    return "fragment";
  }
  const { path, isTake, hasKey, urls } = readingOf(target);
  if (line) assert.equal(JSON.parse(line).path, loggedPath(path), what);
  if (!isTake) {
    const isRoot = /^\/{1,2}$/.test(path);
    assert.ok([400, 404, 414].includes(answer.status) || (isRoot && answer.status === 200), what);
    assert.equal(answer.headers["x-ratelimit-limit"], undefined, what);
    return "elsewhere";
  }
  assert.ok(line, what);
  if (!hasKey) {
    assert.match(json(answer).message, /api_key is missing/, what);
    return "without key";
  }
  if (signature === "wrong") {
    assert.deepEqual([answer.status, json(answer).code], [403, "signature_invalid"], what);
    return "refused";
  }
  if (urls.length !== 1) {
    assert.equal(answer.status, 400, what);
    return "contradictory";
  }
  assert.equal(answer.status, 200, what);
  assert.equal(json(answer).options.url, new URL(urls[0] as string).href, what);
  return "captured";
}
