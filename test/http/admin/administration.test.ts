/** What administrators can see and change in any account. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setRole } from "../../../src/accounts/people/users.ts";
import { quotaPeriod } from "../../../src/accounts/usage/quota.ts";
import { eventually } from "../../support/eventually.ts";
import { fileScope } from "../../support/scope.ts";
import { startReplica, type TestService } from "../../support/service.ts";
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

test("granting and revoking the administrator role take effect on the next request", async () => {
  const person = await signedUp(service);
  assert.equal((await person.get("/v1/admin/totals")).status, 403);
  await setRole(service.database, person.email, "admin");
  assert.equal((await person.get("/v1/account")).body.user.role, "admin");
  assert.equal((await person.get("/v1/admin/totals")).status, 200);
  await setRole(service.database, person.email, "user");
  assert.equal((await person.get("/v1/admin/totals")).status, 403);
});

test("users can be searched by name and e-mail address; results are paginated, newest first", async () => {
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
  assert.equal((await admin.get("/v1/admin/users?search=%25")).body.users.length, 0, "a literal character, not a wildcard");
});

test("a plan with overridden limits takes effect immediately for the account and its keys", async () => {
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
    [{ plan_id: "gold" }, /no plan "gold"; the plans are free, pro, enterprise$/],
    [{ plan_id: "free", monthly_quota: 5 }, /can't have custom limits/],
    [{ plan_id: "pro", monthly_quota: -1 }, /monthly_quota must be an integer from 0/],
  ] as const) {
    const refused = await admin.ask("PUT", path, wrong);
    assert.equal(refused.status, 400);
    assert.match(refused.body.details[0].message, words);
  }
});

/** Counts `used` screenshots in the current month. */
async function use(person: Person, used: number): Promise<void> {
  const { month } = (await person.get("/v1/account")).body;
  await service.pool.query("insert into usage_periods (user_id, period_start, used) values ($1, $2, $3)", [
    person.userId,
    month.start,
    used,
  ]);
}

test("users can be sorted and filtered by plan and by this month's usage, with pagination", async () => {
  const mark = `u${crypto.randomUUID()}`;
  const [idle, busy, full, paying] = (await Promise.all(
    ["idle", "busy", "full", "paying"].map((name) => signedUp(service, `${mark}-${name}`)),
  )) as [Person, Person, Person, Person];
  await admin.ask("PUT", `/v1/admin/users/${paying.userId}/plan`, { plan_id: "pro" });
  await use(busy, 80);
  await use(full, 100);
  await use(paying, 90);
  // A counter from an earlier month doesn't count.
  await service.pool.query("insert into usage_periods (user_id, period_start, used) values ($1, '2020-01-01', 500)", [idle.userId]);
  const list = async (query: string): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { users: { id: string }[]; next_cursor: string | null } = (
        await admin.get(`/v1/admin/users?search=${mark}&limit=2&${query}${cursor ? `&cursor=${cursor}` : ""}`)
      ).body;
      seen.push(...page.users.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    return seen;
  };
  const ids = (...people: Person[]) => people.map(({ userId }) => userId);
  assert.deepEqual(await list("sort=usage"), ids(full, paying, busy, idle));
  assert.deepEqual((await list("sort=plan"))[0], paying.userId);
  assert.deepEqual((await list("sort=plan")).toSorted(), ids(idle, busy, full, paying).toSorted());
  assert.deepEqual(await list("plan_id=pro"), ids(paying));
  assert.deepEqual(await list("use=none"), ids(idle));
  assert.deepEqual(await list("use=some&sort=usage"), ids(full, paying, busy));
  assert.deepEqual(await list("use=most&sort=usage"), ids(full, busy));
  assert.deepEqual(await list("use=all"), ids(full));
  assert.equal((await admin.get("/v1/admin/users?sort=name")).status, 400);
});

test("the database computes the start of a quota month exactly as the service does, for 2,000 anchors and times", async () => {
  const between = (first: string, last: string) => Date.parse(first) + Math.floor(Math.random() * (Date.parse(last) - Date.parse(first)));
  const cases = Array.from({ length: 2_000 }, (_, index) => ({
    anchor: index % 10 === 0 ? null : new Date(between("2024-01-28T00:00:00Z", "2024-04-01T00:00:00Z")),
    at: new Date(between("2024-04-01T00:00:00Z", "2029-01-01T00:00:00Z")),
  }));
  const { rows } = await service.pool.query(
    `select quota_period_start(anchor, at) as start from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as c (anchor, at, n) order by n`,
    [cases.map(({ anchor }) => anchor), cases.map(({ at }) => at)],
  );
  assert.deepEqual(
    rows.map(({ start }) => start),
    cases.map(({ anchor, at }) => quotaPeriod(anchor, at).start),
  );
});

test("an edited plan takes effect for its accounts' keys on every replica within seconds, and the change is recorded", async (t) => {
  const replica = await startReplica(t, service);
  const person = await signedUp(service);
  await admin.ask("PUT", `/v1/admin/users/${person.userId}/plan`, { plan_id: "pro" });
  const { secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  const limitAt = async (at: TestService) =>
    (await at.take({ api_key: secret, url: "http://127.0.0.1/" })).headers.get("x-ratelimit-limit");
  assert.deepEqual([await limitAt(service), await limitAt(replica)], ["60", "60"]);
  const { status, body } = await admin.ask("PATCH", "/v1/admin/plans/pro", {
    name: "Professional",
    requests_per_minute: 61,
    monthly_quota: null,
    billing_product_id: "prod_1",
  });
  assert.equal(status, 200, JSON.stringify(body));
  t.after(() =>
    admin.ask("PATCH", "/v1/admin/plans/pro", { name: "Pro", requests_per_minute: 60, monthly_quota: 1000, billing_product_id: null }),
  );
  const pro = body.plans.find(({ id }: { id: string }) => id === "pro");
  assert.deepEqual(
    [pro.name, pro.requests_per_minute, pro.monthly_quota, pro.max_keys, pro.billing_product_id],
    ["Professional", 61, null, 20, "prod_1"],
  );
  assert.equal(await limitAt(service), "61");
  await eventually("the other replica knows about it", async () => (await limitAt(replica)) === "61");
  const [entry] = (await admin.get("/v1/admin/audit?kind=plan&limit=1")).body.entries;
  assert.deepEqual([entry.action, entry.subject, entry.subject_id, entry.actor_id], ["plan.changed", "Pro", "pro", admin.userId]);
  assert.deepEqual(entry.changes, [
    { field: "name", from: "Pro", to: "Professional" },
    { field: "rate_limit", from: 60, to: 61 },
    { field: "monthly_quota", from: 1000, to: null },
    { field: "billing_product_id", from: null, to: "prod_1" },
  ]);
  assert.equal((await person.get("/v1/account")).body.plan.monthly_quota, null);

  for (const [wrong, message] of [
    [{ requests_per_minute: 0 }, /requests_per_minute must be an integer from 1/],
    [{ name: " " }, /name/],
    [{ max_keys: 0 }, /max_keys must be an integer from 1/],
    [{ billing_product_id: "prod_1" }, /already belongs to another plan/],
    [{ price: 5 }, /price/],
  ] as const) {
    const refused = await admin.ask("PATCH", "/v1/admin/plans/free", wrong);
    assert.equal(refused.status, 400, JSON.stringify(wrong));
    assert.match(refused.body.details[0].message, message);
  }
  assert.equal((await admin.ask("PATCH", "/v1/admin/plans/gold", { max_keys: 5 })).status, 404);
});

test("an administrator lists a user's keys and revokes one, which stops working immediately", async () => {
  const person = await signedUp(service);
  const { key, secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  const path = `/v1/admin/users/${person.userId}/keys`;
  const listed = (await admin.get(path)).body;
  assert.deepEqual(
    listed.keys.map(({ id, name }: { id: string; name: string }) => [id, name]),
    [[key.id, "site"]],
  );
  assert.ok(!JSON.stringify(listed).includes(secret));
  assert.equal((await admin.post(`/v1/admin/users/${admin.userId}/keys/${key.id}/revoke`)).status, 404, "another user's key");
  assert.equal((await admin.post(`${path}/${key.id}/revoke`)).body.key.state, "revoked");
  assert.equal((await service.take({ api_key: secret, url: "http://127.0.0.1/" })).status, 403);
  const [latest] = (await person.get("/v1/account/audit?limit=1")).body.entries;
  assert.deepEqual([latest.action, latest.by], ["key.revoked", "administrator"]);
});

test("an administrator can create a link with which a user can choose a new password once", async () => {
  const person = await signedUp(service);
  const { status, body } = await admin.post(`/v1/admin/users/${person.userId}/reset-link`);
  assert.equal(status, 201);
  assert.equal((await person.get("/v1/account")).status, 200, "nothing has changed so far");
  const token = new URL(body.link).searchParams.get("token");
  const visitor = createVisitor(service);
  const password = "only the user can choose it";
  assert.equal((await visitor.post("/v1/auth/password/reset", { token, password })).status, 204);
  assert.equal((await visitor.post("/v1/auth/password/reset", { token, password: goodPassword })).status, 403);
  assert.equal((await person.get("/v1/account")).status, 401, "all sessions have ended");
  assert.equal((await visitor.post("/v1/auth/sign-in", { email: person.email, password })).status, 200);
  const { entries } = (await visitor.get("/v1/account/audit?kind=sign_in")).body;
  assert.deepEqual(
    entries.map(({ action, by, ip_address }: { action: string; by: string; ip_address: string | null }) => [
      action,
      by,
      ip_address !== null,
    ]),
    [
      ["sign_in.password_reset", "owner", true],
      ["sign_in.reset_link_created", "administrator", false],
    ],
  );
  assert.ok(!JSON.stringify(entries).includes(token ?? ""));
  assert.equal((await admin.post(`/v1/admin/users/${crypto.randomUUID()}/reset-link`)).status, 404);
});

test("a disabled account immediately loses its sessions, keys and ability to sign in, and regains them when enabled", async () => {
  const person = await signedUp(service);
  const { secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  const take = async () => (await service.take({ api_key: secret, url: "http://127.0.0.1/" })).status;
  const signIn = () => createVisitor(service).post("/v1/auth/sign-in", { email: person.email, password: goodPassword });
  assert.equal(await take(), 400, "the target is refused, not the key");
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

test("administration: totals cover the whole service", async () => {
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
