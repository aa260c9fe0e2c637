/** Creates pools of connections to PostgreSQL. */

import type { BaseLogger } from "pino";
import { answerGraceMs, connectionOptions, type DatabaseSettings } from "./database.ts";
import { SharedPool } from "./shared-pool.ts";

const statementTimeoutMs = 5_000;
const betweenStatementsTimeoutMs = 10_000;

/**
 * A pool of at most `connectionsMax` connections, 10 by default, which accounts share. Waiting for a connection, connecting, and each statement have time limits,
 * so that a hanging database shows up as an error. Connects on first use; the caller ends the pool.
 */
export function createPool(settings: DatabaseSettings & { connectionsMax?: number }, log: BaseLogger): SharedPool {
  const pool = new SharedPool({
    ...connectionOptions(settings, "tintype"),
    max: settings.connectionsMax ?? 10,
    idleTimeoutMillis: 30_000,
    // The memory of a connection's server process never shrinks, and old connections stay on the previous primary after a failover.
    maxLifetimeSeconds: 1_800,
    statement_timeout: statementTimeoutMs,
    // Covers a server that no longer responds. Longer than the server's own limit, whose error is more specific.
    query_timeout: statementTimeoutMs + answerGraceMs,
    idle_in_transaction_session_timeout: betweenStatementsTimeoutMs,
  });
  // Without these listeners, losing a connection that is idle, or that a library holds between statements, would crash the process.
  const onLost = ({ message }: Error) => log.warn({ reason: message }, "lost a database connection"); // the error references the client
  pool.on("error", onLost).on("connect", (client) => client.on("error", onLost));
  return pool;
}
