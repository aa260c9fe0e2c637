/** Brings the database's schema up to date. */

import { readdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { BaseLogger } from "pino";
import { connectionOptions, type DatabaseSettings } from "./database.ts";
import { changeOnline } from "./online-changes.ts";

const lockTimeoutMs = 120_000;
const statementTimeoutMs = 600_000;
const betweenTriesMs = 500;
const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));
const migrationsTable = "migrations";

/**
 * Applies the migrations that the database lacks, and then makes the changes that services make in the background, waiting for a process that is
 * making them.
 * @throws as `applyMigrations`; {OnlineChangesFailed}.
 */
export async function migrate(settings: DatabaseSettings, log: BaseLogger): Promise<void> {
  await applyMigrations(settings, log);
  try {
    for (let tries = 1; !(await changeOnline(settings, log)); tries += 1) {
      if (tries === 1) log.warn("waiting for another process, which is changing large tables");
      await pause(betweenTriesMs);
    }
  } catch (error) {
    throw new OnlineChangesFailed(error);
  }
}

/** The service works without them. */
export class OnlineChangesFailed extends Error {
  constructor(cause: unknown) {
    super(
      `The migrations are applied, but large tables could not be changed: ${(cause as Error).message}. The service works without, and tries again.`,
      { cause },
    );
  }
}

/**
 * Applies the migrations that the database lacks, all in one transaction. Replicas that start together take turns under an advisory
 * lock, each waiting for at most two minutes. Opens and closes a dedicated connection.
 * @throws when the database is unreachable, the lock isn't granted in time, or a migration fails (then none is applied).
 */
export async function applyMigrations(settings: DatabaseSettings, log: BaseLogger): Promise<void> {
  const client = new pg.Client({
    ...connectionOptions(settings, "tintype migrations"),
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 2_000,
  });
  client.on("error", (error) => log.warn({ err: error }, "lost the database connection for migrations"));
  const logTo = (level: "debug" | "warn" | "error") => (message: unknown) => log[level](String(message));
  try {
    await client.connect();
    if (await isUpToDate(client)) return;
    const { runner } = await import("node-pg-migrate"); // only here: most starts find nothing to do
    const applied = await runner({
      dbClient: client,
      dir: migrationsFolder,
      migrationsTable,
      direction: "up",
      checkOrder: true,
      singleTransaction: true,
      advisoryLockMode: "wait",
      logger: { info: logTo("debug"), warn: logTo("warn"), error: logTo("error") },
    });
    for (const { name } of applied) log.info({ migration: name }, "migration applied");
  } finally {
    await client.end();
  }
}

/** Whether exactly the migrations in the folder were applied, in order. Anything else is for the runner to judge. */
async function isUpToDate(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query("select to_regclass($1) as found", [`public.${migrationsTable}`]);
  if (tables[0].found === null) return false;
  const { rows } = await client.query(`select name from public.${migrationsTable} order by run_on, id`);
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith(".sql")).sort();
  return rows.length === files.length && files.every((file, index) => file === `${rows[index].name}.sql`);
}
