/** The audit log: which changes are recorded, and who can see them. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pino } from "pino";
import { createCleanUp } from "../../../src/accounts/people/clean-up.ts";
import { setRole } from "../../../src/accounts/people/users.ts";
import { cliOn } from "../../cli/cli.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { goodPassword, type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const longTest = longOnly(test);

interface Entry {
  id: string;
  created_at: string;
  action: string;
  by: string;
  ip_address: string | null;
  subject: string | null;
  changes: { field: string; from: unknown; to: unknown }[];
  account_email?: string | null;
  actor_email?: string | null;
}

const scope = fileScope();
let service: TestService;
let admin: Person;
before(async () => {
  service = await startWithVisitors(scope);
  admin = await signedUp(service, "Admin");
  await setRole(service.database, admin.email, "admin");
});

/** Entries, oldest first. */
async function auditOf(person: Person, query = ""): Promise<Entry[]> {
  const { status, body } = await person.get(`/v1/account/audit${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.entries.toReversed();
}

const briefly = ({ action, by }: Entry) => `${action} by ${by}`;

test("an account owner sees every change to the account: what was changed, by whom, when, and from which IP address", async () => {
  const person = await signedUp(service, "Ada");
  const { key } = (await person.post("/v1/account/keys", { name: "Blog" })).body;
  const path = `/v1/account/keys/${key.id}`;
  await person.ask("PATCH", path, { version: 1, name: "Site", allowed_domains: ["example.com"], enabled: true });
  const { key: next } = (await person.post(`${path}/rotate`, { version: 2 })).body;
  await person.post(`${path}/revoke`);
  await person.post(`${path}/revoke`);
  await person.ask("PATCH", "/v1/account", { name: "Ada Lovelace" });
  await person.post("/v1/account/password", { current_password: goodPassword, new_password: `${goodPassword}!` });
  await admin.ask("PUT", `/v1/admin/users/${person.userId}/plan`, { plan_id: "pro", rate_limit: 77 });
  await admin.ask("PUT", `/v1/admin/users/${person.userId}/plan`, { plan_id: "pro", rate_limit: 77 });

  const entries = await auditOf(person);
  assert.deepEqual(entries.map(briefly), [
    "account.created by owner",
    "key.created by owner",
    "key.changed by owner",
    "key.rotated by owner",
    "key.revoked by owner",
    "account.renamed by owner",
    "sign_in.password_changed by owner",
    "plan.assigned by administrator",
  ]);
  assert.deepEqual(entries[2]?.changes, [
    { field: "name", from: "Blog", to: "Site" },
    { field: "allowed_domains", from: [], to: ["example.com"] },
  ]);
  assert.equal(entries[4]?.subject, `Site ${key.hint}`);
  assert.notEqual(next.hint, key.hint);
  assert.deepEqual(entries[7]?.changes, [
    { field: "plan", from: "free", to: "pro" },
    { field: "source", from: "default", to: "manual" },
    { field: "rate_limit", from: null, to: 77 },
  ]);
  const { sessions } = (await person.get("/v1/account/sessions")).body;
  const own = entries.slice(0, 7);
  assert.deepEqual(new Set(own.map((entry) => entry.ip_address)), new Set([sessions[0].ip_address]));
  assert.equal(entries[7]?.ip_address, null, "the owner doesn't see the administrator's IP address");
  const times = entries.map((entry) => Date.parse(entry.created_at));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.ok(!JSON.stringify(entries).includes(goodPassword));
});

test("administrators see changes to all accounts, with both users, and can filter them by kind, user and day", async () => {
  const person = await signedUp(service, "Grace");
  await admin.post(`/v1/admin/users/${person.userId}/disable`);
  await admin.post(`/v1/admin/users/${person.userId}/enable`);
  await admin.post(`/v1/admin/users/${person.userId}/enable`);
  const { invitation } = (await admin.post("/v1/admin/invitations", { email: "joan@example.com", plan_id: "pro" })).body;
  await admin.ask("DELETE", `/v1/admin/invitations/${invitation.id}`);
  const list = async (query: string): Promise<Entry[]> => (await admin.get(`/v1/admin/audit?${query}`)).body.entries.toReversed();

  const about = await list(`user_id=${person.userId}`);
  assert.deepEqual(about.map(briefly), [
    "account.created by owner",
    "account.disabled by administrator",
    "account.enabled by administrator",
  ]);
  assert.deepEqual([about[1]?.account_email, about[1]?.actor_email], [person.email, admin.email]);
  assert.ok(about[1]?.ip_address);
  const invitations = await list(`user_id=${admin.userId}&kind=invitation`);
  assert.deepEqual(invitations.map(briefly), ["invitation.created by administrator", "invitation.revoked by administrator"]);
  assert.equal(invitations[0]?.subject, "joan@example.com");
  const today = new Date().toISOString().slice(0, 10);
  assert.ok((await list(`since=${today}`)).length > 3);
  assert.deepEqual(await list(`until=${"2020-01-01"}`), []);
});

test("audit: pagination neither skips nor repeats entries", async () => {
  const person = await signedUp(service, "Hedy");
  for (let number = 0; number < 5; number++) await person.ask("PATCH", "/v1/account", { name: `Hedy ${number}` });
  const seen: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { entries, next_cursor }: { entries: Entry[]; next_cursor: string | null } = (
      await person.get(`/v1/account/audit?limit=2&kind=account${cursor ? `&cursor=${cursor}` : ""}`)
    ).body;
    seen.push(...entries.map(({ changes }) => changes[0]?.to));
    cursor = next_cursor;
  }
  assert.deepEqual(seen, ["Hedy 4", "Hedy 3", "Hedy 2", "Hedy 1", "Hedy 0", undefined]);
});

test("an account's audit log contains only its own entries, whatever other accounts and administrators do", async () => {
  const people = await Promise.all(["A", "B", "C", "D"].map((name) => signedUp(service, name)));
  const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)] as T;
  const acts: ((person: Person) => Promise<unknown>)[] = [
    (person) => person.post("/v1/account/keys", { name: "k" }),
    (person) => person.ask("PATCH", "/v1/account", { name: crypto.randomUUID() }),
    (person) => admin.ask("PUT", `/v1/admin/users/${person.userId}/plan`, { plan_id: pick(["free", "pro", "enterprise"]) }),
    (person) => admin.post("/v1/admin/invitations", { email: person.email }),
  ];
  for (let step = 0; step < 60; step++) await pick(acts)(pick(people));
  const { rows } = await service.pool.query("select id, account_id, actor_id from audit_entries");
  for (const person of people) {
    const own = rows.filter(({ account_id }) => account_id === person.userId).map(({ id }) => id);
    for (const query of [
      "?limit=100",
      "?limit=100&since=2020-01-01",
      `?limit=100&cursor=${"f".repeat(8)}-ffff-7fff-bfff-${"f".repeat(12)}`,
    ]) {
      const entries = await auditOf(person, query);
      assert.deepEqual(new Set(entries.map(({ id }) => id)), new Set(own), query);
      for (const other of people) if (other !== person) assert.ok(!JSON.stringify(entries).includes(other.email));
      for (const { by, ip_address } of entries) assert.equal(ip_address !== null, by === "owner");
    }
  }
});

test("a change that can't be recorded is not made, and a failed change is not recorded", async (t) => {
  const person = await signedUp(service, "Ida");
  const { key } = (await person.post("/v1/account/keys", { name: "Blog" })).body;
  const path = `/v1/account/keys/${key.id}`;
  assert.equal((await person.ask("PATCH", path, { version: 9, name: "Other" })).status, 409);
  assert.equal((await person.ask("PATCH", path, { version: 1, expires_at: "2020-01-01T00:00:00Z" })).status, 400);
  const recorded = (await auditOf(person)).map(({ action }) => action);
  assert.deepEqual(recorded, ["account.created", "key.created"]);

  await service.pool.query("alter table audit_entries add constraint full_disk check (action <> 'key.revoked') not valid");
  t.after(() => service.pool.query("alter table audit_entries drop constraint if exists full_disk"));
  assert.equal((await person.post(`${path}/revoke`)).status, 500);
  assert.equal((await person.get(path)).body.key.state, "active");
  await service.pool.query("alter table audit_entries drop constraint full_disk");
  assert.equal((await person.post(`${path}/revoke`)).body.key.state, "revoked");
});

longTest("changes on the command line are attributed to the operator", async () => {
  const { hostname: host, port, username: user, password, pathname } = new URL(service.env.DATABASE_URL ?? "");
  const run = cliOn(
    { host, port: Number(port), user, password, database: pathname.slice(1) },
    { DEFAULT_API_KEY_PREFIX: "ss", SIGN_UP: "invite", WEB_PUBLIC_URL: "http://localhost:3001" },
  );
  const email = `cli-${crypto.randomUUID()}@example.com`;
  const made = [
    ["user:create", email, "--plan", "pro"],
    ["key:create", email],
    ["user:reset-password", email],
    ["user:grant-admin", email],
    ["plan:set", email, "enterprise"],
    ["invite", email],
  ];
  for (const command of made) assert.equal((await run(...command)).code, 0, command.join(" "));
  const { rows } = await service.pool.query(
    `select action, via, ip from audit_entries
      where account_id = (select id from users where email = $1) or subject = $1 order by id`,
    [email],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    [
      "account.created",
      "plan.assigned",
      "key.created",
      "sign_in.password_reset",
      "account.role_changed",
      "plan.assigned",
      "invitation.created",
    ],
  );
  assert.deepEqual(new Set(rows.map(({ via, ip }) => `${via} ${ip}`)), new Set(["command null"]));
});

test("for a deleted account, the audit log keeps what happened and when, but not the names", async () => {
  const person = await signedUp(service, "Secretive");
  await person.post("/v1/account/keys", { name: "Private project" });
  await person.ask("PATCH", "/v1/account", { name: "Known to nobody" });
  await person.post("/v1/account/delete", { password: goodPassword });
  const { entries } = (await admin.get(`/v1/admin/audit?user_id=${person.userId}`)).body;
  assert.deepEqual(entries.toReversed().map(briefly), [
    "account.created by owner",
    "key.created by owner",
    "account.renamed by owner",
    "account.deleted by owner",
  ]);
  assert.doesNotMatch(JSON.stringify(entries), /Secretive|Private|nobody|@/);
});

test("audit: entries are deleted after a year", async () => {
  const person = await signedUp(service, "Vera");
  await person.ask("PATCH", "/v1/account", { name: "Vera Rubin" });
  await person.post("/v1/account/keys", { name: "Blog" });
  const age = (action: string, interval: string) =>
    service.pool.query(`update audit_entries set created_at = now() - $3::interval where account_id = $1 and action = $2`, [
      person.userId,
      action,
      interval,
    ]);
  await age("account.created", "366 days 1 hour");
  await age("account.renamed", "364 days");
  await createCleanUp(service.database, pino({ level: "silent" })).run();
  assert.deepEqual(
    (await auditOf(person)).map(({ action }) => action),
    ["account.renamed", "key.created"],
  );
});
