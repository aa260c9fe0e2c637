/** Clean-up removes expired data, and nothing else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { createCleanUp } from "../../../src/accounts/people/clean-up.ts";
import { deleteUser } from "../../../src/accounts/people/users.ts";
import { createTestDatabase } from "../../support/database.ts";
import { createAccount } from "../accounts.ts";

test("expired sessions and sign-in attempts are removed, others stay", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  for (const [token, left] of [
    ["over", "-1 second"],
    ["open", "1 hour"],
  ]) {
    await database.query("insert into sessions (user_id, token, expires_at) values ($1, $2, now() + $3::interval)", [userId, token, left]);
    await database.query("insert into verifications (identifier, value, expires_at) values ($1, '', now() + $2::interval)", [token, left]);
  }
  await createCleanUp(database, pino({ level: "silent" })).run();
  assert.deepEqual((await database.query("select token from sessions")).rows, [{ token: "open" }]);
  assert.deepEqual((await database.query("select identifier from verifications")).rows, [{ identifier: "open" }]);
});

test("a deleted user's data is removed at once, the row itself after the last image", async (t) => {
  const database = await createTestDatabase(t);
  const cleanUp = createCleanUp(database, pino({ level: "silent" }));
  const { userId } = await createAccount(database, { planId: "pro" });
  const { userId: other } = await createAccount(database);
  for (const owner of [userId, other])
    await database.query(
      `insert into screenshots (id, user_id, period_start, status, url, options, cache_key, object_key, expires_at)
       values (gen_random_uuid(), $1, now(), 'done', 'https://example.test/', '{}', '', 'a/b.png', now() + interval '1 day')`,
      [owner],
    );
  await deleteUser(database, userId);
  for (const table of ["api_keys", "sessions", "identities", "subscriptions"])
    assert.equal((await database.query(`select 1 from ${table} where user_id = $1`, [userId])).rowCount, 0, table);
  await cleanUp.run();
  assert.equal((await database.query("select 1 from users where id = $1", [userId])).rowCount, 1, "while there is a picture to remove");
  await database.query("delete from screenshots where user_id = $1", [userId]);
  await cleanUp.run();
  assert.deepEqual((await database.query("select id from users")).rows, [{ id: other }]);
});
