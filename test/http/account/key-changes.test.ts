/** Changes to keys through the management API take effect as soon as the response arrives. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setRole } from "../../../src/accounts/people/users.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";
import { goodPassword, type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const scope = fileScope();
let site: Site;
let service: TestService;
let admin: Person;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#00ff00") });
  service = await startWithVisitors(scope, { ROLE: "all", EGRESS_ALLOWED_HOSTS: site.host });
  admin = await signedUp(service, "Admin");
  await setRole(service.database, admin.email, "admin");
  // Without these triggers PostgreSQL sends no notifications, so only the replica that made the change can know about it.
  for (const table of ["api_keys", "subscriptions", "users"]) await service.database.query(`alter table ${table} disable trigger user`);
});

interface Used {
  status: number;
  limit: string | null;
}

/** A person with a key that this replica has cached, and the response to a request with that key. */
async function withKnownKey() {
  const person = await signedUp(service);
  const { body } = await person.post("/v1/account/keys", { name: "known" });
  const use = async (): Promise<Used> => {
    const response = await service.take({ api_key: body.secret, url: `${site.origin}/`, dry_run: "true" });
    await response.arrayBuffer();
    return { status: response.status, limit: response.headers.get("x-ratelimit-limit") };
  };
  assert.deepEqual(await use(), { status: 200, limit: "10" });
  return { person, path: `/v1/account/keys/${body.key.id}`, use };
}

const changes: [name: string, change: (person: Person, path: string) => Promise<{ status: number }>, expected: number][] = [
  ["a disabled key is refused", (person, path) => person.ask("PATCH", path, { version: 1, enabled: false }), 403],
  ["a revoked key is refused", (person, path) => person.post(`${path}/revoke`), 403],
  ["a deleted account's key is refused", (person) => person.post("/v1/account/delete", { password: goodPassword }), 403],
  ["a disabled account's key is refused", (person) => admin.post(`/v1/admin/users/${person.userId}/disable`), 403],
];

for (const [name, change, expected] of changes) {
  test(`${name} as soon as the change has been confirmed`, async () => {
    const { person, path, use } = await withKnownKey();
    assert.ok([200, 204].includes((await change(person, path)).status));
    assert.equal((await use()).status, expected);
  });
}

test("a key works as soon as its account is confirmed to be enabled", async () => {
  const { person, use } = await withKnownKey();
  await admin.post(`/v1/admin/users/${person.userId}/disable`);
  assert.equal((await use()).status, 403);
  await admin.post(`/v1/admin/users/${person.userId}/enable`);
  assert.equal((await use()).status, 200);
});

test("a new plan's limits apply as soon as the change has been confirmed", async () => {
  const { person, use } = await withKnownKey();
  await admin.ask("PUT", `/v1/admin/users/${person.userId}/plan`, { plan_id: "pro" });
  assert.deepEqual(await use(), { status: 200, limit: "60" });
});
