/** PostgreSQL connections, with deadlines for statements and transactions. */

import type pg from "pg";
import { abortAfter, DeadlineExceeded, withDeadline } from "../shared/deadline.ts";
import { AppError } from "../shared/errors.ts";
import type { SharedPool } from "./shared-pool.ts";
import { types } from "./times.ts";

export interface DatabaseSettings {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  /** If undefined, the driver's environment variables decide; without them, TLS is not used. */
  ssl?: pg.ConnectionConfig["ssl"];
}

const connectTimeoutMs = 5_000;
/** How much longer than the server this process waits. */
export const answerGraceMs = 3_000;
/** Default deadline of a statement or transaction, including waiting for a connection and connecting. */
const answerTimeoutMs = 5_000;

/**
 * Options for every connection: a deadline for connecting, keep-alive probes that detect a broken network, a date format that the client
 * can parse, regardless of the database's setting, and how it reads dates.
 */
export function connectionOptions(settings: DatabaseSettings, applicationName: string) {
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    password: settings.password,
    ssl: settings.ssl,
    application_name: applicationName,
    options: "-c DateStyle=ISO",
    types,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  } satisfies pg.ClientConfig;
}

/** The author of a change, as recorded in the audit log (see accounts/people/audit.ts). */
export interface Actor {
  via: "dashboard" | "api" | "command" | "billing" | "service";
  /** Null if there is no user. */
  userId: string | null;
  /** The client's IP address. */
  ip: string | null;
}

/** Runs statements, on the pool or within a transaction. */
export interface Queries {
  readonly actor: Actor;
  /**
   * Runs one statement.
   * @throws {AppError} `unavailable` if the database is unreachable or doesn't respond in time; `rate_limited` if too many statements of the
   *   same account are waiting. @throws PostgreSQL's errors.
   */
  query<Row extends pg.QueryResultRow>(statement: string | Statement, values?: unknown[]): Promise<pg.QueryResult<Row>>;
}

export interface Statement {
  /** A named statement is prepared once per connection. */
  name?: string;
  text: string;
  values?: unknown[];
  /**
   * Deadline including connecting, 5 s by default; the statement may then keep running. If infinite, only the pool's limits apply: they
   * end the statement after about 13 s in total.
   */
  timeoutMs?: number;
  /** Receives the result of a statement that missed its deadline. Must not throw. */
  onLate?: (result: pg.QueryResult) => void;
}

interface TransactionLimits {
  timeoutMs?: number;
  statementTimeoutMs?: number;
}

export interface Database extends Queries {
  /** The same database, for changes made by `actor`. */
  as(actor: Actor): Database;
  /**
   * Runs `work` in a transaction. An error rolls it back, as does the deadline (`timeoutMs`, 5 s by default) unless the commit has already
   * started. Each statement may take 5 s, or `statementTimeoutMs`.
   * @throws {AppError} `unavailable` and `rate_limited` in the same cases as `query`. @throws anything that `work` throws.
   */
  transaction<T>(work: (transaction: Queries) => Promise<T>, limits?: TransactionLimits): Promise<T>;
}

/** The caller ends `pool`. @param actor who makes the changes; by default the service itself. */
export function createDatabase(pool: SharedPool, actor: Actor = { via: "service", userId: null, ip: null }): Database {
  return {
    actor,
    as: (other) => createDatabase(pool, other),
    async query(statement, values) {
      pool.assertRoom();
      return await runQuery(pool, statement, values);
    },
    async transaction(work, { timeoutMs = answerTimeoutMs, statementTimeoutMs: statementMs } = {}) {
      pool.assertRoom();
      try {
        return await abortAfter(timeoutMs, (signal) => runTransaction(pool, (query) => work({ actor, query }), signal, statementMs));
      } catch (error) {
        throw asUnavailable(error);
      }
    },
  };
}

async function runQuery<Row extends pg.QueryResultRow>(
  connection: pg.Pool | pg.PoolClient,
  statement: string | Statement,
  values?: unknown[],
): Promise<pg.QueryResult<Row>> {
  const { timeoutMs = answerTimeoutMs, onLate, ...config } = typeof statement === "string" ? { text: statement, values } : statement;
  const running = connection.query<Row>(config);
  try {
    return await withDeadline(running, timeoutMs, () => {
      running.then(onLate, () => {});
      throw new DeadlineExceeded(timeoutMs, "the database");
    });
  } catch (error) {
    throw asUnavailable(error);
  }
}

async function runTransaction<T>(
  pool: pg.Pool,
  work: (query: Queries["query"]) => Promise<T>,
  signal: AbortSignal,
  statementMs?: number,
): Promise<T> {
  const limits = statementMs === undefined ? {} : { timeoutMs: statementMs + answerGraceMs, query_timeout: statementMs + answerGraceMs };
  const client = await pool.connect();
  let broken: Error | undefined;
  // Without a listener, a connection that breaks between statements would crash the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on("error", onError);
  try {
    const query: Queries["query"] = async (statement, values) => {
      signal.throwIfAborted();
      return await runQuery(client, { ...limits, ...(typeof statement === "string" ? { text: statement, values } : statement) });
    };
    await query("begin");
    if (statementMs !== undefined) await query(`set local statement_timeout = ${statementMs}`);
    const result = await work(query);
    await query("commit");
    return result;
  } catch (error) {
    // A connection that can't even roll back is discarded, which also rolls back.
    await client.query("rollback").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

/** Turns errors that mean the database can't be reached or can't respond into {@link AppError} `unavailable`; returns others unchanged. */
export function asUnavailable(error: unknown): unknown {
  return isDatabaseAway(error) ? new AppError("unavailable", { retryAfterSeconds: 5, cause: error }) : error;
}

/** SQLSTATE classes and codes about the server, not the statement: connection, login, resources, shutdown, read-only, timeout, deadlock. */
const awayStates = /^(08|28|53|57P|3D000|57014|25006|25P03|55P03|40P01)/;
/** Temporary errors: connection lost, too many connections, shutting down, starting up. Excludes 08P01, which poolers use for refusals. */
const unreachableStates = /^(08(?!P01)|53300|57P0[123])/;
const awayCodes = new Set([
  "EMFILE",
  "ENFILE",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
]);
/** Messages of errors raised by pg itself, which have no code. */
const awayMessages =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client (has encountered|was closed))/;

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DeadlineExceeded) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") return awayCodes.has(code) || awayStates.test(code);
  return awayMessages.test(error.message);
}

/** Whether the server can't be reached or doesn't accept connections yet, as opposed to rejecting this login or database. */
export function isDatabaseUnreachable(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  const isRefusal = typeof code === "string" && !awayCodes.has(code) && !unreachableStates.test(code);
  return isDatabaseAway(error) && !isRefusal;
}

/** Makes text storable in PostgreSQL, as text or in `jsonb`: replaces NUL and lone surrogates, which callers and pages can send. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

export function jsonbText(value: object): string {
  return JSON.stringify(value, (_name, part) => (typeof part === "string" ? storableText(part) : part));
}
