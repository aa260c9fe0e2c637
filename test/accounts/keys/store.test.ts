/** Keys created concurrently or with identical hints. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findUnrevokedKey } from "../../../src/accounts/keys/keys-of-any-user.ts";
import { createUser } from "../../../src/accounts/people/users.ts";
import { createTestDatabase } from "../../support/database.ts";
import { createApiKey } from "../accounts.ts";

test("concurrent creation doesn't exceed the plan's number of keys", async (t) => {
  const database = await createTestDatabase(t);
  const { email } = await createUser(database, "a@example.test");
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => createApiKey(database, email)));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 3);
  for (const result of results) if (result.status === "rejected") assert.equal(result.reason.code, "key_limit_reached");
  assert.equal((await database.query("select 1 from api_keys")).rowCount, 3);
});

test("an ambiguous hint doesn't select any key", async (t) => {
  const database = await createTestDatabase(t);
  const { email } = await createUser(database, "a@example.test");
  for (let made = 0; made < 2; made++) await createApiKey(database, email);
  await database.query("update api_keys set hint = 'ss_Ab12…x9Zk'");
  await assert.rejects(findUnrevokedKey(database, "ss_Ab12…x9Zk"), { code: "not_possible", message: /^2 keys match/ });
});
