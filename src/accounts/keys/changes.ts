/** Listens for PostgreSQL notifications about changed accounts, on a dedicated connection. */

import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { BaseLogger } from "pino";
import { connectionOptions, type DatabaseSettings } from "../../database/database.ts";
import { untilAborted, withDeadline } from "../../shared/deadline.ts";

const backoffMs = { first: 100, max: 10_000 };
const queryTimeoutMs = 5_000;
const endTimeoutMs = 1_000;

interface KeyChanges {
  close(): Promise<void>;
}

interface Listeners {
  /** Called when a user's keys or plan change; `*` means that any user's may have changed. */
  onChange(userId: string): void;
  /** Called after each connect and reconnect, because earlier changes may have been missed. */
  onListening(): void;
}

/** Listens until closed. Reconnects with exponential backoff, from about 0.1 s to about 10 s. */
export function listenForKeyChanges(settings: DatabaseSettings, log: BaseLogger, listeners: Listeners): KeyChanges {
  const closing = new AbortController();
  let failures = 0;
  const counted: Listeners = {
    onChange: listeners.onChange,
    onListening() {
      failures = 0;
      listeners.onListening();
      log.info("listening for key changes");
    },
  };
  const running = (async () => {
    while (!closing.signal.aborted) {
      const reason = await listenOnce(settings, counted, closing.signal).then(
        () => new Error("the connection ended"),
        (error: unknown) => error,
      );
      if (closing.signal.aborted) return;
      if (failures === 0) log.warn({ err: reason }, "not listening for key changes, which may now take up to a minute to take effect");
      const waitMs = Math.min(backoffMs.first * 2 ** failures, backoffMs.max);
      failures += 1;
      await delay(waitMs * (0.75 + Math.random() / 2), undefined, { signal: closing.signal }).catch(() => {});
    }
  })();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** Resolves when the connection ends. @throws `signal`'s reason, or the error that prevented or ended the connection. */
async function listenOnce(settings: DatabaseSettings, listeners: Listeners, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ ...connectionOptions(settings, "tintype key changes"), query_timeout: queryTimeoutMs });
  const lost = Promise.withResolvers<void>();
  lost.promise.catch(() => {});
  client.on("error", lost.reject);
  client.on("end", lost.resolve);
  client.on("notification", ({ payload }) => listeners.onChange(payload ?? "*"));
  try {
    await untilAborted(client.connect(), signal);
    await client.query("listen accounts");
    listeners.onListening();
    await untilAborted(lost.promise, signal);
  } finally {
    await withDeadline(client.end(), endTimeoutMs, () => {}).catch(() => {});
  }
}
