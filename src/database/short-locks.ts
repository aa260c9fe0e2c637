/** Schema changes whose locks block other statements only briefly. */

import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";

/** Short, because other statements queue behind a pending lock. */
const lockTimeoutMs = 400;
const lockAttempts = 300;
const betweenTriesMs = 1_000;

export type RunQuery = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/**
 * Runs `work` in a transaction. If it waits more than 0.4 s for a lock, or deadlocks, it is rolled back and retried a second later.
 * @throws anything that `work` throws; PostgreSQL's 55P03 or 40P01 after 300 attempts.
 */
export async function inShortLocks(client: pg.Client, work: (query: RunQuery) => Promise<void>): Promise<void> {
  for (let left = lockAttempts - 1; ; left -= 1) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await work((text, values) => client.query(text, values));
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      const { code } = error as { code?: unknown };
      if ((code !== "55P03" && code !== "40P01") || left <= 0) throw error;
      await pause(betweenTriesMs);
    }
  }
}
