/** Order of queued captures: fair between accounts, and determined without reading the queue. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createUser } from "../../src/accounts/people/users.ts";
import type { Queries } from "../../src/database/database.ts";
import { addCaptures } from "../../src/screenshots/queued/records.ts";
import { createTestDatabase } from "../support/database.ts";

const add = (queries: Queries, userId: string, count: number) =>
  addCaptures(queries, {
    userId,
    keyId: null,
    isAwaited: false,
    expiresAt: new Date(Date.now() + 86_400_000),
    captures: Array.from({ length: count }, () => ({ id: randomUUID(), request: Buffer.from("encrypted") })),
  });

test("a capture's position is found without reading waiting captures, whether the account's own or others'", async (t) => {
  const database = await createTestDatabase(t);
  const [ada, grace] = [await createUser(database, "ada@example.com"), await createUser(database, "grace@example.com")];
  await add(database, ada.id, 3_000);
  await database.query("vacuum analyze captures");
  await database.transaction(async (transaction) => {
    await transaction.query("set local plan_cache_mode = force_generic_plan"); // the plan that a connection uses after a few executions
    const rowsRead = async () => {
      const { rows } = await transaction.query<{ read: string }>(
        "select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'captures'",
      );
      return Number(rows[0]?.read);
    };
    const [first] = (await add(transaction, grace.id, 1)).positions.values();
    const [next] = (await add(transaction, ada.id, 1)).positions.values();
    const [second] = (await add(transaction, grace.id, 1)).positions.values();
    assert.deepEqual([first, next, second], [0, 3_000 * 60, 60]);
    assert.ok((await rowsRead()) < 100, `${await rowsRead()} rows were read`);
  });
});
