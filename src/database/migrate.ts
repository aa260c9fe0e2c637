/** Brings the database's schema up to date. */

import { readdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { BaseLogger } from "pino";
import { version } from "../shared/version.ts";
import { connectionOptions, type DatabaseSettings } from "./database.ts";
import { updateMonths } from "./screenshot-months-loop.ts";

const lockTimeoutMs = 120_000;
const statementTimeoutMs = 600_000;
const betweenTriesMs = 500;
const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));
const migrationsTable = "migrations";

/**
 * Applies missing migrations, then adds missing monthly partitions of `screenshots` and drops past ones that retention has emptied. Waits
 * if another process is already doing so.
 * @throws the errors of `applyMigrations`; {PartitionsFailed}.
 */
export async function migrate(settings: DatabaseSettings, log: BaseLogger): Promise<void> {
  await applyMigrations(settings, log);
  try {
    while (!(await updateMonths(settings, log))) await pause(betweenTriesMs);
  } catch (error) {
    throw new PartitionsFailed(error);
  }
}

/** The partitions could not be updated. Captures are not affected. */
export class PartitionsFailed extends Error {
  constructor(cause: unknown) {
    super(
      `The migrations have been applied, but the partitions of the screenshots table could not be updated: ${(cause as Error).message}. Captures are not affected; the service will try again.`,
      { cause },
    );
  }
}

/**
 * Applies the migrations that the database lacks, all in one transaction. Replicas that start together wait for each other's advisory
 * lock, for at most two minutes. Opens and closes a dedicated connection.
 * @throws if the database is unreachable or has migrations that this version lacks, if the lock isn't granted in time, or if a migration
 *   fails (in which case none is applied).
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
    if (await isUpToDate(client)) return; // throws if the database has migrations that this version lacks
    const { runner } = await import("node-pg-migrate"); // loaded only if needed: most starts have nothing to apply
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

/**
 * Whether exactly the migrations in the folder were applied, in order.
 * @throws {Error} if the database has other migrations.
 */
async function isUpToDate(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query("select to_regclass($1) as found", [`public.${migrationsTable}`]);
  if (tables[0].found === null) return false;
  const { rows } = await client.query<{ name: string }>(`select name from public.${migrationsTable} order by run_on, id`);
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith(".sql")).sort();
  const unknown = rows.filter(({ name }) => !files.includes(`${name}.sql`)).map(({ name }) => name);
  if (unknown.length > 0)
    throw new Error(
      `The database has migrations that version ${version} doesn't have: ${unknown.slice(0, 3).join(", ")}${unknown.length > 3 ? " ..." : ""}. It was used by a newer version, or by one before 1.0: see "Upgrade" in docs/operations.md.`,
    );
  return rows.length === files.length && files.every((file, index) => file === `${rows[index]?.name}.sql`);
}
