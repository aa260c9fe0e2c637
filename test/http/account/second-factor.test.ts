/** Two-factor sign-in with a password: codes, recovery codes, limits, and who must have a second factor. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { listAudit } from "../../../src/accounts/people/audit.ts";
import { resetPassword } from "../../../src/accounts/people/passwords.ts";
import { resetSecondFactor } from "../../../src/accounts/people/second-factor.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startReplica, type TestService } from "../../support/service.ts";
import { codeOf, secretOf } from "../../support/totp.ts";
import { createVisitor, goodPassword, type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const longTest = longOnly(test);
const scope = fileScope();
let service: TestService;
before(async () => {
  service = await startWithVisitors(scope);
});

const confirmation = { current_password: goodPassword };
const wrongCode = (uri: string) => String((Number(codeOf(uri)) + 1) % 1_000_000).padStart(6, "0");

interface WithApp {
  person: Person;
  uri: string;
  recoveryCodes: string[];
}

async function withApp(): Promise<WithApp> {
  const person = await signedUp(service);
  const { status, body } = await person.post("/v1/account/second-factor", confirmation);
  assert.equal(status, 200);
  assert.equal((await person.post("/v1/account/second-factor/confirm", { code: codeOf(body.uri) })).status, 204);
  return { person, uri: body.uri, recoveryCodes: body.recovery_codes };
}

async function enterPassword(email: string, password = goodPassword) {
  const visitor = createVisitor(service);
  return { visitor, answer: await visitor.post("/v1/auth/sign-in", { email, password }) };
}

test("once the app is confirmed with a code, signing in requires a password and a code", async () => {
  const person = await signedUp(service);
  assert.equal(
    (await person.post("/v1/account/second-factor", { current_password: "not the password" })).body.details[0].parameter,
    "current_password",
  );
  const { uri, recovery_codes } = (await person.post("/v1/account/second-factor", confirmation)).body;
  assert.match(uri, /^otpauth:\/\/totp\/Tintype:.*secret=[A-Z2-7]+/);
  assert.equal(recovery_codes.length, 10);
  assert.equal((await enterPassword(person.email)).answer.body.user.second_factor, false, "not yet confirmed");
  assert.equal((await person.post("/v1/account/second-factor/confirm", { code: wrongCode(uri) })).body.details[0].parameter, "code");
  assert.equal((await person.post("/v1/account/second-factor/confirm", { code: codeOf(uri) })).status, 204);
  assert.equal((await person.get("/v1/account")).body.user.second_factor, true);

  const { visitor, answer } = await enterPassword(person.email);
  assert.deepEqual([answer.status, answer.body], [200, { user: null }]);
  assert.equal((await visitor.get("/v1/account")).status, 401);
  const wrong = await visitor.post("/v1/auth/second-factor", { code: wrongCode(uri) });
  assert.deepEqual([wrong.status, wrong.body.details[0].parameter], [400, "code"]);
  assert.equal((await visitor.get("/v1/account")).status, 401);
  const code = codeOf(uri, 1);
  const entered = await visitor.post("/v1/auth/second-factor", { code: `${code.slice(0, 3)} ${code.slice(3)}` });
  assert.deepEqual([entered.status, entered.body.user.id], [200, person.userId]);
  assert.equal((await visitor.get("/v1/account")).status, 200);
  for (const secret of [secretOf(uri), ...recovery_codes]) assert.ok(!service.logged().includes(secret));
});

test("a recovery code works in place of the app, once, even without its hyphen; new codes invalidate earlier ones", async () => {
  const { person, recoveryCodes } = await withApp();
  const [first = "", second = "", third = ""] = recoveryCodes;
  const finish = async (code: string) => {
    const { visitor } = await enterPassword(person.email);
    return await visitor.post("/v1/auth/second-factor", { code });
  };
  assert.equal((await finish(first)).status, 200);
  assert.equal((await finish(first)).status, 400);
  assert.equal((await finish(second.replace("-", ""))).status, 200);
  const renewed = await person.post("/v1/account/second-factor/recovery-codes", confirmation);
  assert.equal((await finish(third)).status, 400);
  assert.equal((await finish(renewed.body.recovery_codes[0])).status, 200);
});

test("only one of several concurrent sign-ins with the same recovery code succeeds", async () => {
  const { person, recoveryCodes } = await withApp();
  const visitors = await Promise.all([1, 2, 3].map(() => enterPassword(person.email)));
  const answers = await Promise.all(visitors.map(({ visitor }) => visitor.post("/v1/auth/second-factor", { code: recoveryCodes[0] })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test("a code works only once: it can't be reused after confirming the app, and only one of several concurrent sign-ins can use it", async () => {
  const { person, uri } = await withApp();
  const { visitor } = await enterPassword(person.email);
  const again = await visitor.post("/v1/auth/second-factor", { code: codeOf(uri) });
  assert.deepEqual(again.body.details, [{ parameter: "code", message: "code has already been used; use the next one" }]);
  assert.equal((await visitor.get("/v1/account")).status, 401);

  const code = codeOf(uri, 1);
  const visitors = [visitor, ...(await Promise.all([1, 2, 3].map(() => enterPassword(person.email)))).map((other) => other.visitor)];
  const answers = await Promise.all(visitors.map((one) => one.post("/v1/auth/second-factor", { code })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers.map(({ body }) => body)));
  const late = await enterPassword(person.email);
  assert.equal((await late.visitor.post("/v1/auth/second-factor", { code })).status, 400);
});

test("a cookie from another sign-in step is refused like an expired one", async () => {
  const { person } = await withApp();
  const { visitor } = await enterPassword(person.email);
  await visitor.post("/v1/auth/passkey/challenge");
  const [ofCode = "", ofPasskey = ""] = ["two_factor", "passkey"].map((end) =>
    [...visitor.cookies.keys()].find((name) => name.endsWith(end)),
  );
  const swapped = createVisitor(service);
  swapped.cookies.set(ofCode, visitor.cookies.get(ofPasskey) ?? "").set(ofPasskey, visitor.cookies.get(ofCode) ?? "");
  for (const [path, body] of [
    ["/v1/auth/second-factor", { code: "123456" }],
    ["/v1/auth/passkey", { response: { id: "x", rawId: "x", type: "public-key", response: {} } }],
  ] as const) {
    const answer = await swapped.post(path, body);
    assert.deepEqual([answer.status, answer.body.code], [401, "sign_in_expired"], path);
  }
});

test("a passkey's response whose id isn't text is refused like an unknown passkey", async () => {
  const odd: object[] = [{ toString: 1 }, [{ toString: 1 }], { toString: null, valueOf: null }];
  for (const id of [[], ["x"], {}, 1, null, "x", ...odd]) {
    const visitor = createVisitor(service);
    await visitor.post("/v1/auth/passkey/challenge");
    const { status } = await visitor.post("/v1/auth/passkey", { response: { id, rawId: "x", type: "public-key", response: {} } });
    assert.equal(status, 401, JSON.stringify(id));
  }
});

test("a code without the password, or for another sign-in, is refused", async () => {
  const { person, uri } = await withApp();
  const stranger = createVisitor(service);
  assert.equal((await stranger.post("/v1/auth/second-factor", { code: codeOf(uri) })).body.code, "sign_in_expired");
  const { visitor } = await enterPassword(person.email);
  for (const [name, value] of visitor.cookies) stranger.cookies.set(name, `x${value}`);
  assert.equal((await stranger.post("/v1/auth/second-factor", { code: codeOf(uri, 1) })).body.code, "sign_in_expired");
});

test("five wrong codes end a sign-in, and ten in a row lock the account's codes, whatever IP addresses they come from", async () => {
  const { person, uri } = await withApp();
  const wrong = wrongCode(uri);
  for (let round = 0; round < 2; round++) {
    const { visitor } = await enterPassword(person.email);
    for (let attempt = 0; attempt < 5; attempt++) assert.equal((await visitor.post("/v1/auth/second-factor", { code: wrong })).status, 400);
    if (round === 0) assert.equal((await visitor.post("/v1/auth/second-factor", { code: codeOf(uri, 1) })).body.code, "sign_in_expired");
  }
  const { visitor } = await enterPassword(person.email);
  const locked = await visitor.post("/v1/auth/second-factor", { code: codeOf(uri, 1) });
  assert.deepEqual([locked.status, locked.body.code], [429, "rate_limited"]);
  assert.ok(Number(locked.headers.get("retry-after")) > 0);
});

longTest("at most ten of many concurrent wrong codes, spread over several sign-ins, are checked", async () => {
  const { person, uri } = await withApp();
  const wrong = wrongCode(uri);
  const begun = await Promise.all(Array.from({ length: 12 }, () => enterPassword(person.email)));
  const answers = await Promise.all(
    begun.flatMap(({ visitor }) => Array.from({ length: 5 }, () => visitor.post("/v1/auth/second-factor", { code: wrong }))),
  );
  const checked = answers.filter(({ status }) => status === 400).length;
  assert.ok(checked >= 1 && checked <= 10, `${checked} codes were checked`);
});

test("codes from one IP address are limited like passwords", async () => {
  const visitor = createVisitor(service);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 21; attempt++) statuses.push((await visitor.post("/v1/auth/second-factor", { code: "000000" })).status);
  assert.deepEqual(statuses, [...Array(20).fill(401), 429]);
});

test("removing the app requires the password; the command that resets a lost app also ends all sessions", async () => {
  const { person } = await withApp();
  assert.equal((await person.post("/v1/account/second-factor/remove", { current_password: "not the password" })).status, 400);
  assert.equal((await person.post("/v1/account/second-factor/remove", confirmation)).status, 204);
  assert.equal((await enterPassword(person.email)).answer.body.user.id, person.userId);

  const lost = await withApp();
  await resetSecondFactor(service.database, lost.person.email);
  assert.equal((await lost.person.get("/v1/account")).status, 401);
  assert.equal((await enterPassword(lost.person.email)).answer.body.user.id, lost.person.userId);
});

test("the audit log records every change to the second factor, but no secrets", async () => {
  const { person, uri, recoveryCodes } = await withApp();
  await person.post("/v1/account/second-factor/recovery-codes", confirmation);
  await person.post("/v1/account/second-factor/remove", confirmation);
  assert.equal((await person.post("/v1/account/second-factor/remove", { current_password: "not the password" })).status, 400);
  await service.pool.query(
    `insert into passkeys (user_id, name, public_key, credential_id, counter, device_type, backed_up) values ($1, 'Phone', '', $2, 0, 'x', true)`,
    [person.userId, crypto.randomUUID()],
  );
  const { passkeys } = (await person.get("/v1/account/passkeys")).body;
  assert.equal((await person.ask("DELETE", `/v1/account/passkeys/${passkeys[0].id}`)).status, 204);
  await resetSecondFactor(service.database, person.email);
  const { entries } = await listAudit(service.database, { accountId: person.userId, kind: "sign_in", limit: 10 });
  assert.deepEqual(
    entries.map(({ action, via, subject, ip }) => [action, via, subject, ip !== null]),
    [
      ["sign_in.second_factor_reset", "service", null, false],
      ["sign_in.passkey_removed", "dashboard", "Phone", true],
      ["sign_in.app_removed", "dashboard", null, true],
      ["sign_in.recovery_codes_renewed", "dashboard", null, true],
      ["sign_in.app_added", "dashboard", null, true],
    ],
  );
  for (const secret of [secretOf(uri), ...recoveryCodes]) assert.ok(!JSON.stringify(entries).includes(secret));
});

test("second factor: a password reset doesn't bypass the code", async () => {
  const { person } = await withApp();
  const { createResetLink } = await import("../../../src/accounts/people/mailed-links.ts");
  const token = new URL(await createResetLink(service.database, person.email, "http://localhost:3001")).searchParams.get("token");
  const password = "another password that is long";
  assert.equal((await createVisitor(service).post("/v1/auth/password/reset", { token, password })).status, 204);
  assert.deepEqual((await enterPassword(person.email, password)).answer.body, { user: null });
});

test("a sign-in started with an earlier password can't be completed", async () => {
  const { person, uri } = await withApp();
  const { visitor } = await enterPassword(person.email);
  await resetPassword(service.database, person.email, "another password that is long");
  assert.equal((await visitor.post("/v1/auth/second-factor", { code: codeOf(uri, 1) })).body.code, "sign_in_expired");
});

longTest("concurrent app setups share one secret, and its codes are accepted", async () => {
  const person = await signedUp(service);
  const starts = await Promise.all(Array.from({ length: 10 }, () => person.post("/v1/account/second-factor", confirmation)));
  assert.deepEqual(
    starts.map(({ status }) => status),
    starts.map(() => 200),
  );
  assert.equal((await service.pool.query("select 1 from two_factors where user_id = $1", [person.userId])).rowCount, 1);
  const { uri } = (await person.post("/v1/account/second-factor", confirmation)).body;
  assert.equal((await person.post("/v1/account/second-factor/confirm", { code: codeOf(uri) })).status, 204);
  const { visitor } = await enterPassword(person.email);
  assert.equal((await visitor.post("/v1/auth/second-factor", { code: codeOf(uri, 1) })).status, 200);
});

test("REQUIRE_SECOND_FACTOR: users without a second factor can only set one up; keys keep working", async (t) => {
  const strict = await startReplica(t, service, { REQUIRE_SECOND_FACTOR: "everyone" });
  const person = await signedUp(strict);
  const account = await person.get("/v1/account");
  assert.deepEqual([account.status, account.body.second_factor_required], [200, true]);
  for (const [method, path, body] of [
    ["GET", "/v1/account/keys", undefined],
    ["POST", "/v1/account/keys", { name: "key" }],
    ["PATCH", "/v1/account", { name: "Eve" }],
    ["POST", "/v1/account/passkeys/challenge", confirmation],
    ["POST", "/v1/account/playground?url=https://example.com/", undefined],
    ["POST", "/v1/account/playground/captures", { url: "https://example.com/", outputs: [{}] }],
  ] as const) {
    const answer = await person.ask(method, path, body);
    assert.deepEqual([answer.status, answer.body.code], [403, "second_factor_required"], `${method} ${path}`);
  }
  const { uri } = (await person.post("/v1/account/second-factor", confirmation)).body;
  assert.equal((await person.post("/v1/account/second-factor/confirm", { code: codeOf(uri) })).status, 204);
  assert.equal((await person.get("/v1/account/keys")).status, 200);
  assert.equal((await person.get("/v1/account")).body.second_factor_required, false);
});

test("REQUIRE_SECOND_FACTOR=administrators doesn't affect other users", async (t) => {
  const strict = await startReplica(t, service, { REQUIRE_SECOND_FACTOR: "administrators" });
  const person = await signedUp(strict);
  assert.equal((await person.get("/v1/account/keys")).status, 200);
  await service.pool.query("update users set role = 'admin' where id = $1", [person.userId]);
  assert.equal((await person.get("/v1/admin/users")).body.code, "second_factor_required");
  await service.pool.query("delete from identities where user_id = $1", [person.userId]);
  assert.equal((await person.get("/v1/admin/users")).status, 200, "signs in at the identity provider, whose own rules apply");
});

test("deleting an account removes its app and passkeys", async () => {
  const { person } = await withApp();
  assert.equal((await person.post("/v1/account/delete", { password: goodPassword })).status, 204);
  assert.equal((await service.pool.query("select 1 from two_factors where user_id = $1", [person.userId])).rowCount, 0);
});
