/** Transactions: what is lost with a connection, and what isn't. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inTransaction } from "../src/database.ts";
import { createTestDatabase } from "./support/database.ts";

test("a connection that breaks in the middle of a transaction fails it alone: the process and the pool go on", async (t) => {
  const { pool } = await createTestDatabase(t);
  const failing = inTransaction(pool, async (client) => {
    await client.query("insert into users (name, email) values ('A', 'a@example.com')");
    const { rows } = await client.query("select pg_backend_pid() as pid");
    // Not by `once` of events, which would listen for errors, too.
    const ended = new Promise((resolve) => client.once("end", () => resolve(undefined)));
    await pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
    await ended;
    await client.query("select 1");
  });
  await assert.rejects(failing);
  assert.equal((await pool.query("select 1 from users")).rowCount, 0);
});
