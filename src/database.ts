/** Connections to PostgreSQL. */

import pg from "pg";
import type { BaseLogger } from "pino";
import type { Config } from "./config.ts";
import { withDeadline } from "./deadline.ts";

export interface DatabaseSettings {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
}

/** Settings that name the database; `DATABASE_URL` may stand for the others. */
export const databaseSettingNames = [
  "DATABASE_URL",
  "DATABASE_HOST",
  "DATABASE_PORT",
  "DATABASE_NAME",
  "DATABASE_USER",
  "DATABASE_PASSWORD",
] as const;

export function databaseSettingsOf(config: Pick<Config, (typeof databaseSettingNames)[number]>): DatabaseSettings {
  return {
    host: config.DATABASE_HOST,
    port: config.DATABASE_PORT,
    database: config.DATABASE_NAME,
    user: config.DATABASE_USER,
    password: config.DATABASE_PASSWORD,
  };
}

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 5_000;
const betweenStatementsTimeoutMs = 10_000;
/** What one request waits for the database in all: for a connection, for making it, for the statement. */
const answerTimeoutMs = 5_000;

/** What every connection of ours has in common: a deadline for connecting, and probes so that a silent network is noticed. */
export function connectionOptions(settings: DatabaseSettings, applicationName: string): pg.ClientConfig {
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    password: settings.password,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * A pool of at most `connectionsMax` connections (10). Waiting for one, connecting and every statement have a deadline, so a database
 * that hangs shows as an error. Connects on first use; the caller ends the pool.
 */
export function createPool(settings: DatabaseSettings & { connectionsMax?: number }, log: BaseLogger): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions(settings, "tintype"),
    max: settings.connectionsMax ?? 10,
    idleTimeoutMillis: 30_000,
    // A connection's server process only ever grows, and a failover leaves connections on the old primary.
    maxLifetimeSeconds: 1_800,
    statement_timeout: statementTimeoutMs,
    // Later than the server's own, which names the reason; this one is for a server that no longer answers.
    query_timeout: statementTimeoutMs + 3_000,
    idle_in_transaction_session_timeout: betweenStatementsTimeoutMs,
  });
  // Without a listener an idle connection's loss would end the process.
  pool.on("error", (error) => log.warn({ err: error }, "an idle database connection was lost"));
  return pool;
}

/** Runs `work` in a transaction; whatever it throws rolls back. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A lent client whose connection breaks between two queries says so by an event that would end the process.
  const breaks = (error: Error) => {
    broken = error;
  };
  client.on("error", breaks);
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    // A connection that can't even do that is thrown away, which rolls back as well.
    await client.query("rollback").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off("error", breaks);
    client.release(broken);
  }
}

class TooLate extends Error {
  override readonly name = "TooLate";
}

/**
 * The answer of `query`, or within `timeoutMs` (5 s) an error for which `isDatabaseAway` holds. Nothing stops the query then: it
 * may still run, and `late` gets its answer.
 */
export async function answerInTime<T>(query: Promise<T>, { timeoutMs = answerTimeoutMs, late }: AnswerLimits<T> = {}): Promise<T> {
  return await withDeadline(query, timeoutMs, () => {
    query.then(late, () => {});
    throw new TooLate(`the database did not answer within ${timeoutMs} ms`);
  });
}

interface AnswerLimits<T> {
  timeoutMs?: number;
  /** Must not throw. */
  late?: (answer: T) => void;
}

/** SQLSTATE classes and codes that speak of the server, not of the statement: connection, login, resources, shutdown, read-only, timeout. */
const awayStates = /^(08|28|53|57P|3D000|57014|25006|55P03)/;
/** Of these, what can pass by itself: connection lost, too many connections, shutting down, starting up. */
const unreachableStates = /^(08|53300|57P0[123])/;
const awayCodes = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EPIPE"]);
/** What pg says without a code when it gives up by itself. */
const awayWords =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client (has encountered|was closed))/;

/** Whether a query failed because the database can't be reached or can't answer now, rather than because the query is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TooLate) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") return awayCodes.has(code) || awayStates.test(code);
  return awayWords.test(error.message);
}

/** Whether the server can't be reached or doesn't accept connections yet, rather than that it refuses this login or database. */
export function isDatabaseUnreachable(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  const isRefusal = typeof code === "string" && !awayCodes.has(code) && !unreachableStates.test(code);
  return isDatabaseAway(error) && !isRefusal;
}
