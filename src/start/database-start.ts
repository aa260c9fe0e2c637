/** Applies migrations when the service starts, and waits for a database that isn't reachable yet. */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import { type DatabaseSettings, isDatabaseUnreachable } from "../database/database.ts";
import { applyMigrations } from "../database/migrate.ts";
import { type Clock, systemClock } from "../shared/clock.ts";

const defaultPatienceMs = 60_000;
const tryEveryMs = 2_000;

export interface Waiting {
  clock?: Clock;
  /** Pauses between attempts. */
  pause?: (ms: number) => Promise<unknown>;
  /** Maximum wait for an unreachable database: a minute by default. */
  patienceMs?: number;
}

/**
 * Applies missing migrations. While the database is unreachable, retries every 2 s, by default for a minute, and logs a warning each time.
 * Doesn't retry if the credentials are refused or the database doesn't exist.
 * @throws {Error} if the database stays unreachable or rejects the connection, or if a migration fails.
 */
export async function migrateWhenReachable(
  settings: DatabaseSettings,
  log: BaseLogger,
  { clock = systemClock, pause = delay, patienceMs = defaultPatienceMs }: Waiting = {},
): Promise<void> {
  const started = clock.now();
  for (;;) {
    try {
      return await applyMigrations(settings, log);
    } catch (error) {
      if (!isDatabaseUnreachable(error)) throw error;
      // A name with several addresses fails with an AggregateError, which has a code but no message.
      const reason = (error as Error).message || (error as NodeJS.ErrnoException).code;
      const waitedMs = clock.now() - started;
      if (waitedMs + tryEveryMs > patienceMs)
        throw new Error(`The database could not be reached for ${patienceMs / 1000} s: ${reason}`, { cause: error });
      log.warn({ reason, waitedMs, patienceMs }, "the database is not reachable yet; retrying");
      await pause(tryEveryMs);
    }
  }
}
