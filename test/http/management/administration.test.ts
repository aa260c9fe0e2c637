/** What administrators see and change of all accounts. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setRole } from "../../../src/accounts/people/users.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { createVisitor, goodPassword, type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const scope = fileScope();
interface People {
  users: { email: string }[];
  next_cursor: string | null;
}

let service: TestService;
let admin: Person;

before(async () => {
  service = await startWithVisitors(scope);
  admin = await signedUp(service, "Admin");
  await setRole(service.database, admin.email, "admin");
});

test("the role of administrator applies from the next request on, and so does its removal", async () => {
  const person = await signedUp(service);
  assert.equal((await person.get("/v1/admin/totals")).status, 403);
  await setRole(service.database, person.email, "admin");
  assert.equal((await person.get("/v1/account")).body.user.role, "admin");
  assert.equal((await person.get("/v1/admin/totals")).status, 200);
  await setRole(service.database, person.email, "user");
  assert.equal((await person.get("/v1/admin/totals")).status, 403);
});

test("users are found by name and e-mail address, page by page, newest first", async () => {
  const mark = crypto.randomUUID();
  const made = [];
  for (const name of [`One ${mark}`, `Two ${mark}`, `Three ${mark}`]) {
    const email = `${crypto.randomUUID()}@example.com`;
    await createVisitor(service).post("/v1/auth/sign-up", { name, email, password: goodPassword });
    made.push(email);
  }
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { users, next_cursor }: People = (
      await admin.get(`/v1/admin/users?limit=2&search=${mark.toUpperCase()}${cursor ? `&cursor=${cursor}` : ""}`)
    ).body;
    seen.push(...users.map(({ email }) => email));
    cursor = next_cursor;
  }
  assert.deepEqual(seen, made.toReversed());
  const { users } = (await admin.get(`/v1/admin/users?search=${made[0]}`)).body;
  const { id, created_at, month, ...user } = users[0];
  assert.deepEqual(user, {
    name: `One ${mark}`,
    email: made[0],
    role: "user",
    disabled_at: null,
    plan_id: "free",
    plan_source: "default",
    rate_limit_override: null,
    monthly_quota_override: null,
    keys_active: 0,
    last_used_at: null,
  });
  assert.deepEqual([month.used, month.quota, month.remaining], [0, 100, 100]);
  assert.deepEqual((await admin.get(`/v1/admin/users/${id}`)).body.user, users[0]);
  assert.equal((await admin.get("/v1/admin/users?search=%25")).body.users.length, 0, "a sign, not a pattern");
});

test("a plan with overridden limits applies at once, to the account and its keys", async () => {
  const person = await signedUp(service);
  const { secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  const limitOf = async () => (await service.take({ api_key: secret, url: "http://127.0.0.1/" })).headers.get("x-ratelimit-limit");
  assert.equal(await limitOf(), "10");
  const path = `/v1/admin/users/${person.userId}/plan`;
  const { status, body } = await admin.ask("PUT", path, { plan_id: "pro", rate_limit: 77, monthly_quota: 5 });
  assert.equal(status, 200);
  assert.deepEqual(
    [body.user.plan_id, body.user.plan_source, body.user.rate_limit_override, body.user.month.quota],
    ["pro", "manual", 77, 5],
  );
  assert.equal(await limitOf(), "77");
  const { plan, month } = (await person.get("/v1/account")).body;
  assert.deepEqual([plan.id, plan.rate_limit, plan.monthly_quota, month.quota], ["pro", { requests: 77, window_seconds: 60 }, 5, 5]);
  assert.deepEqual(
    (await person.get("/v1/account/plans")).body.plans.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
    [
      ["free", false],
      ["pro", true],
    ],
  );
  assert.equal((await admin.ask("PUT", path, { plan_id: "free" })).body.user.plan_source, "default");
  assert.equal(await limitOf(), "10");
  for (const [wrong, words] of [
    [{ plan_id: "gold" }, /no plan "gold"; there are free, pro, enterprise$/],
    [{ plan_id: "free", monthly_quota: 5 }, /takes no limits of its own/],
    [{ plan_id: "pro", monthly_quota: -1 }, /monthly_quota must be an integer from 0/],
  ] as const) {
    const refused = await admin.ask("PUT", path, wrong);
    assert.equal(refused.status, 400);
    assert.match(refused.body.details[0].message, words);
  }
});

test("a disabled account loses sessions, keys and sign-in at once, and has them back when enabled", async () => {
  const person = await signedUp(service);
  const { secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  const take = async () => (await service.take({ api_key: secret, url: "http://127.0.0.1/" })).status;
  const signIn = () => createVisitor(service).post("/v1/auth/sign-in", { email: person.email, password: goodPassword });
  assert.equal(await take(), 400, "the target is refused, the key is not");
  const { body } = await admin.post(`/v1/admin/users/${person.userId}/disable`);
  assert.ok(body.user.disabled_at);
  assert.equal(await take(), 403);
  assert.equal((await person.get("/v1/account")).status, 401);
  const refused = await signIn();
  assert.deepEqual([refused.status, refused.body.code], [403, "account_disabled"]);
  assert.deepEqual(refused.headers.getSetCookie(), []);
  assert.equal((await admin.post(`/v1/admin/users/${person.userId}/enable`)).body.user.disabled_at, null);
  assert.equal(await take(), 400);
  assert.equal((await signIn()).status, 200);
  const own = await admin.post(`/v1/admin/users/${admin.userId}/disable`);
  assert.deepEqual([own.status, own.body.code], [409, "not_possible"]);
});

test("totals cover the whole service", async () => {
  const before = (await admin.get("/v1/admin/totals?days=2")).body;
  const person = await signedUp(service);
  const { key } = (await person.post("/v1/account/keys", { name: "site" })).body;
  service.services.usage.record({ userId: person.userId, id: key.id }, "captured", 1000);
  await service.services.usage.flush();
  const after = (await admin.get("/v1/admin/totals?days=2")).body;
  assert.deepEqual([after.users - before.users, after.keys_active - before.keys_active], [1, 1]);
  assert.deepEqual(
    [after.days.length, after.days[1].captured - before.days[1].captured, after.days[1].bytes - before.days[1].bytes],
    [2, 1, 1000],
  );
  assert.equal((await admin.get("/v1/admin/plans")).body.plans.length, 3);
});
