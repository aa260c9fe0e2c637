/** What an operator does at the same time as another one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AdminError, createApiKey, createUser, revokeKey } from "../../src/accounts/admin.ts";
import { createTestDatabase } from "../support/database.ts";

test("keys made at the same time don't pass the plan's number", async (t) => {
  const { pool } = await createTestDatabase(t);
  const { email } = await createUser(pool, "a@example.test");
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => createApiKey(pool, email, { prefix: "ss" })));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 3);
  for (const result of results) if (result.status === "rejected") assert.ok(result.reason instanceof AdminError, String(result.reason));
  assert.equal((await pool.query("select 1 from api_keys")).rowCount, 3);
});

test("a hint that two keys share revokes neither", async (t) => {
  const { pool } = await createTestDatabase(t);
  const { email } = await createUser(pool, "a@example.test");
  for (let made = 0; made < 2; made++) await createApiKey(pool, email, { prefix: "ss" });
  await pool.query("update api_keys set hint = 'ss_Ab12…x9Zk'");
  await assert.rejects(revokeKey(pool, "ss_Ab12…x9Zk"), { name: "AdminError", message: /^2 keys look like/ });
  assert.equal((await pool.query("select 1 from api_keys where revoked_at is not null")).rowCount, 0);
});
