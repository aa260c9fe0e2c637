/** Signing up, in and out with a password; sessions. */

import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { readResponse } from "../../../src/accounts/people/auth-calls.ts";
import { inHashTurn } from "../../../src/accounts/people/hash-turns.ts";
import { longOnly } from "../../support/long-only.ts";
import { exchange } from "../../support/raw.ts";
import { fileScope } from "../../support/scope.ts";
import { createVisitor, goodPassword, signedUp, startWithVisitors } from "../../support/visitor.ts";

const longTest = longOnly(test);
const service = await startWithVisitors(fileScope());

async function signInAs(email: string, password = goodPassword, more: object = {}) {
  const visitor = createVisitor(service);
  return { visitor, answer: await visitor.post("/v1/auth/sign-in", { email, password, ...more }) };
}

test("signing up also signs in, with an HttpOnly cookie whose token is not in the body", async () => {
  const visitor = createVisitor(service);
  const email = `Ada-${crypto.randomUUID()}@Example.com`;
  const made = await visitor.post("/v1/auth/sign-up", { name: " Ada ", email: ` ${email} `, password: goodPassword });
  assert.equal(made.status, 201);
  const { id, created_at, ...user } = made.body.user;
  assert.deepEqual(user, {
    name: "Ada",
    email: email.toLowerCase(),
    email_verified: false,
    image: null,
    role: "user",
    has_password: true,
    second_factor: false,
  });
  assert.ok(id && created_at);
  const [cookie = ""] = made.headers.getSetCookie();
  assert.match(cookie, /^tintype\.session_token=.+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.equal(made.headers.get("cache-control"), "no-store");
  assert.ok(!JSON.stringify(made.body).includes(cookie.split(/[=;]/)[1]?.split(".")[0] ?? ""), "the token is not in the body");
  assert.equal((await visitor.get("/v1/account")).body.user.id, id);
});

test("only one of two concurrent sign-ups with the same address succeeds; the other gets email_taken, and the account works", async () => {
  const email = `twice-${crypto.randomUUID()}@example.com`;
  const both = await Promise.all(
    [1, 2].map(() => createVisitor(service).post("/v1/auth/sign-up", { name: "Two", email, password: goodPassword })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  assert.equal(both.find(({ status }) => status === 409)?.body.code, "email_taken");
  assert.equal((await signInAs(email)).answer.status, 200);
});

test("passwords are checked for one address after another: it may have ten waiting, and another address doesn't wait for them", async () => {
  const crowd = createVisitor(service);
  const order: string[] = [];
  const tryOnce = async (visitor: typeof crowd, name: string) => {
    const email = `nobody-${crypto.randomUUID()}@example.com`;
    const answer = await visitor.post("/v1/auth/sign-in", { email, password: goodPassword });
    if (answer.status === 401) order.push(name);
    return answer;
  };
  await tryOnce(crowd, "first"); // loads the library
  const many = Array.from({ length: 18 }, () => tryOnce(crowd, "crowd"));
  const other = tryOnce(createVisitor(service), "other");
  const refused = (await Promise.all(many)).filter(({ status }) => status === 429);
  assert.equal((await other).status, 401);
  assert.ok(refused.length > 0 && refused.length < 18, `${refused.length} were refused`);
  for (const { body, headers } of refused) assert.deepEqual([body.code, headers.get("retry-after")], ["rate_limited", "2"]);
  assert.ok(order.indexOf("other") < order.length - 3, order.join());
});

test("hashes: two at a time, one of each address; those of clients that have left don't begin", async () => {
  const work = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const leave = new AbortController();
  const begin = (at: number, ip: string, disconnected?: AbortSignal) =>
    inHashTurn({ ip, disconnected }, async () => {
      begun.push(at);
      await work[at]?.promise;
    });
  const all = [
    begin(0, "::1"),
    begin(1, "::1"),
    begin(2, "10.0.0.2", leave.signal),
    begin(3, "10.0.0.3", leave.signal),
    begin(4, "10.0.0.4"),
  ];
  await setImmediate();
  assert.deepEqual(begun, [0, 2]);
  leave.abort(new Error("left"));
  await assert.rejects(all[3] ?? Promise.resolve(), { message: "left" });
  work[2]?.resolve();
  await all[2];
  await setImmediate();
  assert.deepEqual(begun, [0, 2, 4]);
  for (const { resolve } of work) resolve();
  await Promise.all([all[0], all[1], all[4]]);
  assert.deepEqual(begun, [0, 2, 4, 1]);
});

test("hashes: the addresses of one site take turns within the site's turn", async () => {
  const order: string[] = [];
  const begin = (ip: string) =>
    inHashTurn({ ip }, async () => {
      order.push(ip);
      await setImmediate();
    });
  const crowd = Array.from({ length: 20 }, (_, at) => `2001:db8:1:${at}::1`);
  await Promise.all([...crowd, "2001:db8:2::1", "10.0.0.9"].map(begin));
  assert.deepEqual(order.slice(0, 4).sort(), ["10.0.0.9", "2001:db8:1:0::1", "2001:db8:1:1::1", "2001:db8:2::1"]);
});

test("a lost connection that the sign-in library hides is a 503", async () => {
  const hidden = Object.assign(new Error("Failed to get session"), { body: { code: "FAILED_TO_GET_SESSION" } });
  await assert.rejects(readResponse(service.database, Promise.reject(hidden)), { code: "unavailable", cause: hidden });
  const other = new Error("a defect");
  await assert.rejects(readResponse(service.database, Promise.reject(other)), other);
});

test("a hash whose caller no longer waits keeps its turn until it ends", async () => {
  const slow = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const giveUp = async () => {
    throw new Error("late");
  };
  const late = slow.map(({ promise }, at) => inHashTurn({ ip: `10.0.1.${at}` }, () => promise, giveUp));
  for (const one of late) await assert.rejects(one, { message: "late" });
  let hasBegun = false;
  const next = inHashTurn({ ip: "10.0.1.9" }, async () => {
    hasBegun = true;
  });
  await setImmediate();
  assert.equal(hasBegun, false);
  for (const { resolve } of slow) resolve();
  await next;
});

test("a wrong password and an unknown address get the same message", async () => {
  const { email } = await signedUp(service);
  const { answer: wrong } = await signInAs(email, "not the password");
  const { answer: unknown } = await signInAs(`nobody-${crypto.randomUUID()}@example.com`);
  for (const { status, body, headers } of [wrong, unknown]) {
    assert.equal(status, 401);
    assert.equal(body.code, "invalid_credentials");
    assert.deepEqual(headers.getSetCookie(), []);
  }
  assert.equal(wrong.body.error, unknown.body.error);
});

test("sign-up errors name the field and never repeat the password", async () => {
  const { status, body } = await createVisitor(service).post("/v1/auth/sign-up", { name: "", email: "nobody", password: "sesame" });
  assert.equal(status, 400);
  assert.deepEqual(
    body.details.map(({ parameter, message }: { parameter: string; message: string }) => [parameter, message]),
    [
      ["name", "name is empty"],
      ["email", 'email must be an e-mail address, not "nobody"'],
      ["password", "password must be a string of 10 to 128 characters"],
    ],
  );
  assert.ok(!JSON.stringify(body).includes("sesame"));
});

test("users can't make themselves administrators, neither at sign-up nor later", async () => {
  const visitor = createVisitor(service);
  const person = { name: "Eve", email: `eve-${crypto.randomUUID()}@example.com`, password: goodPassword };
  for (const field of ["role", "emailVerified", "disabledAt", "disabled_at", "id"]) {
    const { status, body } = await visitor.post("/v1/auth/sign-up", { ...person, [field]: "admin" });
    assert.equal(status, 400, field);
    assert.equal(body.details[0].parameter, field);
  }
  assert.equal((await visitor.post("/v1/auth/sign-up", person)).status, 201);
  assert.equal((await visitor.ask("PATCH", "/v1/account", { name: "Eve", role: "admin" })).status, 400);
  assert.equal((await visitor.get("/v1/account")).body.user.role, "user");
  assert.equal((await visitor.get("/v1/admin/users")).body.code, "not_permitted");
});

test("a POST from another origin, or without an Origin header, changes nothing, with or without the cookie", async () => {
  const person = await signedUp(service);
  for (const origin of [
    "https://evil.example",
    "null",
    "http://localhost:3001.evil.example",
    "http://localhost",
    "",
    "http://LOCALHOST:3001",
  ]) {
    for (const [method, path, body] of [
      ["PATCH", "/v1/account", { name: "Mallory" }],
      ["POST", "/v1/account/keys", { name: "stolen" }],
      ["POST", "/v1/account/playground?url=https://example.com/", undefined],
      ["POST", "/v1/account/playground/captures", { url: "https://example.com/", outputs: [{}] }],
      ["POST", "/v1/account/batches", { captures: [{ url: "https://example.com/" }] }],
      ["POST", "/v1/auth/sign-in", { email: person.email, password: goodPassword }],
      ["POST", "/v1/auth/sign-out", undefined],
      ["DELETE", "/v1/account/sessions", undefined],
    ] as const) {
      const { status, body: told } = await person.ask(method, path, body, { origin });
      assert.equal(status, 403, `${method} ${path} from "${origin}"`);
      assert.equal(told.code, "origin_not_allowed");
    }
  }
  const { body } = await person.get("/v1/account");
  assert.equal(body.user.name, "Ada");
  assert.deepEqual(body.keys, { used: 0, max: 3 });
});

test("bodies sent by HTML forms, which other sites can submit, are refused", async () => {
  const person = await signedUp(service);
  for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
    const { status } = await person.ask("PATCH", "/v1/account", '{"name":"Form"}', { "content-type": type });
    assert.equal(status, 415, type);
  }
});

test("cross-origin pages can't read responses", async () => {
  const person = await signedUp(service);
  const { headers } = await person.ask("GET", "/v1/account", undefined, { origin: "https://evil.example" });
  assert.equal(headers.get("access-control-allow-origin"), null);
});

test("signing out ends the session, not just the cookie", async () => {
  const person = await signedUp(service);
  const kept = new Map(person.cookies);
  assert.equal((await person.post("/v1/auth/sign-out")).status, 204);
  assert.equal(person.cookies.size, 0);
  for (const [name, value] of kept) person.cookies.set(name, value);
  assert.equal((await person.get("/v1/account")).status, 401);
});

test("sessions are listed, and can be ended immediately from another one", async () => {
  const person = await signedUp(service);
  const { visitor: other } = await signInAs(person.email);
  const { visitor: third } = await signInAs(person.email);
  const { sessions } = (await person.get("/v1/account/sessions")).body;
  assert.equal(sessions.length, 3);
  assert.deepEqual(
    sessions.map(({ current }: { current: boolean }) => current),
    [false, false, true],
  );
  assert.match(sessions[0].ip_address, /^10\./);
  assert.ok(sessions.every((one: object) => !("token" in one)));
  assert.equal((await person.ask("DELETE", `/v1/account/sessions/${sessions[1].id}`)).status, 204);
  assert.equal((await other.get("/v1/account")).status, 401);
  assert.equal((await third.get("/v1/account")).status, 200);
  assert.deepEqual((await person.ask("DELETE", "/v1/account/sessions")).body, { ended: 1 });
  assert.equal((await third.get("/v1/account")).status, 401);
  assert.equal((await person.get("/v1/account")).status, 200);
});

test("an account may make 120 changes a minute in the dashboard, in all its sessions; reads and wrong input don't count", async () => {
  const first = await signedUp(service);
  const { visitor: second } = await signInAs(first.email);
  const rename = async (visitor: Pick<typeof second, "ask">, name: string) => await visitor.ask("PATCH", "/v1/account", { name });
  assert.equal((await rename(first, "")).status, 400);
  const changes = await Promise.all(Array.from({ length: 124 }, (_, at) => rename(at % 2 === 0 ? first : second, `Ada ${at}`)));
  const refused = changes.filter(({ status }) => status === 429);
  assert.deepEqual([refused.length, changes.filter(({ status }) => status === 200).length], [4, 120]);
  assert.equal(refused[0]?.body.code, "rate_limited");
  assert.ok(Number(refused[0]?.headers.get("retry-after")) > 0);
  assert.equal((await first.get("/v1/account")).status, 200);
  assert.equal((await rename(await signedUp(service), "Eve")).status, 200);
});

test("changing the password ends the other sessions; only the new password works", async () => {
  const person = await signedUp(service);
  const { visitor: other } = await signInAs(person.email);
  const wrong = await person.post("/v1/account/password", { current_password: "not the password", new_password: "another good one" });
  assert.deepEqual([wrong.status, wrong.body.details[0].parameter], [400, "current_password"]);
  assert.equal((await other.get("/v1/account")).status, 200);
  const changed = await person.post("/v1/account/password", { current_password: goodPassword, new_password: "another good one" });
  assert.equal(changed.status, 204);
  assert.equal((await other.get("/v1/account")).status, 401);
  assert.equal((await person.get("/v1/account")).status, 200);
  assert.equal((await signInAs(person.email)).answer.status, 401);
  assert.equal((await signInAs(person.email, "another good one")).answer.status, 200);
});

test("without `remember`, the session cookie has no expiry", async () => {
  const { email } = await signedUp(service);
  const { answer } = await signInAs(email, goodPassword, { remember: false });
  assert.ok(
    !answer.headers.getSetCookie().some((cookie) => cookie.startsWith("tintype.session_token=") && /max-age|expires/i.test(cookie)),
  );
});

test("a modified cookie is rejected", async () => {
  const person = await signedUp(service);
  const [[name, value] = ["", ""]] = person.cookies;
  const other = (await signedUp(service)).cookies.get(name) ?? "";
  for (const forged of [value.slice(0, -3), `${value.split(".")[0]}.${other.split(".")[1]}`, value.split(".")[0] ?? "", "x".repeat(9000)]) {
    person.cookies.set(name, forged);
    assert.equal((await person.get("/v1/account")).status, 401);
  }
});

test("a deleted account can't sign in; its keys and sessions stop working immediately, and its address can be used again", async () => {
  const person = await signedUp(service);
  const { visitor: other } = await signInAs(person.email);
  const { secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  assert.equal((await service.take({ api_key: secret, url: "http://127.0.0.1/" })).status, 400);
  for (const body of [{}, { password: "not the password" }, { email: person.email }]) {
    const { status, body: told } = await person.post("/v1/account/delete", body);
    assert.deepEqual([status, told.details[0].parameter], [400, "password"]);
  }
  assert.equal((await person.post("/v1/account/delete", { password: goodPassword })).status, 204);
  assert.equal((await other.get("/v1/account")).status, 401);
  assert.equal((await service.take({ api_key: secret, url: "http://127.0.0.1/" })).status, 403);
  assert.equal((await signInAs(person.email)).answer.status, 401);
  const { rows } = await service.pool.query("select name, email, disabled_at is not null as disabled from users where id = $1", [
    person.userId,
  ]);
  assert.deepEqual(rows, [{ name: "", email: `deleted-${person.userId}@deleted.invalid`, disabled: true }]);
  const again = { name: "Ada", email: person.email, password: goodPassword };
  assert.equal((await createVisitor(service).post("/v1/auth/sign-up", again)).status, 201);
});

longTest("sign-in attempts are counted by the connection's IP address; X-Forwarded-For and similar headers are ignored", async (t) => {
  const direct = await startWithVisitors(t, { TRUST_PROXY: "" });
  const statuses: number[] = [];
  for (let turn = 0; turn < 22; turn++) {
    const forged = `203.0.113.${turn}`;
    statuses.push(
      await postFrom("127.0.0.77", direct.origin, {
        "x-forwarded-for": forged,
        "x-client-ip": forged,
        "x-real-ip": forged,
        forwarded: `for=${forged}`,
      }),
    );
  }
  assert.deepEqual(statuses, [...Array(20).fill(401), 429, 429]);
});

longTest("REDIS_KEY_PREFIX: installations that share a Redis server count sign-in attempts separately", async (t) => {
  const attempts = async (prefix: string, count: number) => {
    const { origin } = await startWithVisitors(t, { TRUST_PROXY: "", REDIS_KEY_PREFIX: `${prefix}:` });
    return await Promise.all(Array.from({ length: count }, () => postFrom("127.0.0.78", origin, {})));
  };
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  assert.ok((await attempts(first, 21)).includes(429));
  assert.ok((await attempts(first, 1)).includes(429), "another replica of the same installation");
  assert.deepEqual(await attempts(second, 1), [401]);
});

longTest("behind a trusted proxy, X-Forwarded-For entries added by the client are ignored", async () => {
  const visitor = createVisitor(service);
  const statuses: number[] = [];
  for (let turn = 0; turn < 22; turn++) {
    const forged = { "x-forwarded-for": `203.0.113.${turn}, 198.51.100.7`, "x-client-ip": `203.0.113.${turn}` };
    const body = { email: `nobody-${turn}-${crypto.randomUUID()}@example.com`, password: goodPassword };
    statuses.push((await visitor.ask("POST", "/v1/auth/sign-in", body, forged)).status);
  }
  assert.deepEqual(statuses.slice(-2), [429, 429]);
});

longTest("attempts on one user from many IP addresses are limited as well", async () => {
  const { email } = await signedUp(service);
  const answers = [];
  for (let turn = 0; turn < 21; turn++) answers.push((await signInAs(email, "not the password")).answer);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array(20).fill(401), 429],
  );
  assert.ok(Number(answers.at(-1)?.headers.get("retry-after")) > 0);
  assert.equal((await signInAs(email)).answer.status, 429, "even with the right password: the response must not reveal it");
});

/** The status of a sign-in attempt for an unknown user, from another loopback address. */
function postFrom(localAddress: string, origin: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const body = JSON.stringify({ email: `nobody-${crypto.randomUUID()}@example.com`, password: goodPassword });
  const attempt = request(`${origin}/v1/auth/sign-in`, {
    method: "POST",
    localAddress,
    headers: { ...headers, origin: "http://localhost:3001", "content-type": "application/json" },
  });
  attempt.on("response", (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  attempt.on("error", reject);
  attempt.end(body);
  return promise;
}

test("without a session, the body of a playground capture is not read", async () => {
  const head = "POST /v1/account/playground/captures HTTP/1.1\r\nHost: a\r\nOrigin: http://localhost:3001\r\nConnection: close\r\n";
  const [answer] = await exchange(service.origin, {
    pieces: [`${head}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`],
  });
  assert.equal(answer?.status, 401);
});
