/** A dedicated PostgreSQL database for a test, with the whole schema, on the server of `TEST_DATABASE_URL`. */

import { randomBytes } from "node:crypto";
import { after } from "node:test";
import pg from "pg";
import { pino } from "pino";
import { createPool } from "../../src/database/create-pool.ts";
import { createDatabase, type Database, type DatabaseSettings } from "../../src/database/database.ts";
import { migrate } from "../../src/database/migrate.ts";
import type { SharedPool } from "../../src/database/shared-pool.ts";
import { openLibrary } from "../../src/jobs/open-library.ts";

/** A test context, or anything else that runs functions at its end. */
interface Scope {
  after(close: () => unknown): void;
}

/** Untyped rows, for the tests' own queries. */
interface TestQueries {
  query(statement: string, values?: unknown[]): Promise<pg.QueryResult>;
}

type PoolSettings = Parameters<typeof createPool>[0];

interface TestDatabaseParts {
  settings: DatabaseSettings;
  /** The pool for its queries. */
  pool: SharedPool;
  /** The same database with other connection settings. */
  connect(changes: Partial<PoolSettings>): Database;
  /** Runs `close` before the database is dropped; the function added last runs first. `after` would run it too late. */
  beforeDrop(close: () => unknown): void;
}

export type TestDatabase = TestQueries & Database & TestDatabaseParts;

const log = pino({ level: "silent" });
/** Shared by the files of a run; without it, each file has its own. */
const sharedTemplate = process.env.TEST_DATABASE_TEMPLATE;
let server: pg.Pool | undefined;
let template: Promise<string> | undefined;

after(async () => {
  const name = await template?.catch(() => undefined);
  if (name && name !== sharedTemplate) await onServer(`drop database if exists ${name} with (force)`);
});

/** A copy of a migrated template with the job queue's schema. Dropped when the test ends, and its pool closed. */
export async function createTestDatabase(t: Scope): Promise<TestDatabase> {
  template ??= sharedTemplate ? ensureTemplate(sharedTemplate) : createTemplate(newName("template"));
  return createFrom(t, `template ${await template} strategy file_copy`); // takes half as long as logging each page
}

/** A database without a schema. */
export async function createEmptyTestDatabase(t: Scope): Promise<TestDatabase> {
  return createFrom(t, "");
}

async function createFrom(t: Scope, from: string): Promise<TestDatabase> {
  const settings = { ...serverSettings(), database: newName("test") };
  await onServer(`create database ${settings.database} ${from}`);
  const pool = createPool(settings, log);
  const closers: (() => unknown)[] = [() => pool.end()];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
    await onServer(`drop database if exists ${settings.database} with (force)`);
  });
  const beforeDrop = (close: () => unknown) => void closers.push(close);
  const connect = (changes: Partial<PoolSettings>) => {
    const other = createPool({ ...settings, ...changes }, log);
    beforeDrop(() => other.end());
    return createDatabase(other);
  };
  return { ...createDatabase(pool), settings, pool, connect, beforeDrop };
}

/** Creates the database `name` unless another file already has. Files that need it concurrently wait for the first one. */
async function ensureTemplate(name: string): Promise<string> {
  server ??= createServerPool();
  const client = await server.connect();
  const lock = "hashtextextended($1, 0)";
  try {
    await client.query(`select pg_advisory_lock(${lock})`, [name]);
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) {
      const unfinished = `${name}_unfinished`;
      await client.query(`drop database if exists ${unfinished} with (force)`); // left by a killed process
      await createTemplate(unfinished, (statement) => client.query(statement));
      await client.query(`alter database ${unfinished} rename to ${name}`);
    }
    await client.query(`select pg_advisory_unlock(${lock})`, [name]);
    return name;
  } finally {
    client.release();
  }
}

/** No connections are allowed to it later, so that every copy is the same. */
async function createTemplate(name: string, execute: (statement: string) => Promise<unknown> = onServer): Promise<string> {
  await execute(`create database ${name}`);
  const settings = { ...serverSettings(), database: name };
  await migrate(settings, log);
  const library = await openLibrary(settings, log, () => {});
  await library.start(); // creates the job queue's schema, which would take each service a tenth of a second
  await library.stop();
  await execute(`alter database ${name} allow_connections false`);
  return name;
}

function newName(kind: string): string {
  return `tintype_${kind}_${process.pid}_${randomBytes(4).toString("hex")}`;
}

function serverSettings(): DatabaseSettings {
  const text = process.env.TEST_DATABASE_URL;
  if (!text) throw new Error("TEST_DATABASE_URL must name a PostgreSQL server on which tests may create databases");
  const url = new URL(text);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || 5432,
    database: decodeURIComponent(url.pathname.slice(1)) || "postgres",
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

async function onServer(statement: string): Promise<void> {
  server ??= createServerPool();
  await server.query(statement);
}

/** A single connection, because opening another costs more than most statements. It doesn't keep the process from exiting. */
function createServerPool(): pg.Pool {
  const pool = new pg.Pool({
    ...serverSettings(),
    max: 1,
    connectionTimeoutMillis: 60_000,
    query_timeout: 60_000,
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
  });
  pool.on("error", () => {}); // an idle connection was lost: the next statement opens another
  return pool;
}
