/** A dedicated PostgreSQL database for a test, with the whole schema, on the server of `TEST_DATABASE_URL`. */

import { randomBytes } from "node:crypto";
import { after } from "node:test";
import pg from "pg";
import { pino } from "pino";
import { createDatabase, createPool, type Database, type DatabaseSettings } from "../../src/database.ts";
import { migrate } from "../../src/migrate.ts";

/** A test's context or similar. */
interface Scope {
  after(close: () => unknown): void;
}

/** Rows of tests' own queries have any type. */
interface TestQueries {
  query(statement: string, values?: unknown[]): Promise<pg.QueryResult>;
}

interface TestDatabaseParts {
  settings: DatabaseSettings;
  /** The pool of its queries. */
  pool: pg.Pool;
  /** The same database with other connection settings. */
  connect(changes: Partial<DatabaseSettings>): Database;
  /** Runs `close` before the database is dropped, last added first. `after` would run it too late. */
  beforeDrop(close: () => unknown): void;
}

export type TestDatabase = TestQueries & Database & TestDatabaseParts;

const log = pino({ level: "silent" });
let template: Promise<string> | undefined;

after(async () => {
  const name = await template?.catch(() => undefined);
  if (name) await onServer(`drop database if exists ${name} with (force)`);
});

/** Migrated once per process, then copied. Dropped when the test ends, with its pool. */
export async function createTestDatabase(t: Scope): Promise<TestDatabase> {
  template ??= createTemplate();
  return createFrom(t, `template ${await template}`);
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
  const connect = (changes: Partial<DatabaseSettings>) => {
    const other = createPool({ ...settings, ...changes }, log);
    beforeDrop(() => other.end());
    return createDatabase(other);
  };
  return { ...createDatabase(pool), settings, pool, connect, beforeDrop };
}

async function createTemplate(): Promise<string> {
  const name = newName("template");
  await onServer(`create database ${name}`);
  await migrate({ ...serverSettings(), database: name }, log);
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
  const client = new pg.Client({ ...serverSettings(), connectionTimeoutMillis: 5_000, query_timeout: 60_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
