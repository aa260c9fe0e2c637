/** Serves one client's connection to a lent browser, and charges for it by the minute. */

import type { BaseLogger } from "pino";
import type { WebSocket } from "ws";
import type { Keys } from "../accounts/keys/authenticate.ts";
import type { ApiKey } from "../accounts/keys/caller.ts";
import type { BrowserMinutes } from "../accounts/usage/browser-minutes.ts";
import type { UsageCounts } from "../accounts/usage/counts.ts";
import type { LentBrowser, PageHooks } from "../browser/cdp-browsers.ts";
import { onAbort } from "../shared/deadline.ts";
import { AppError } from "../shared/errors.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { relay } from "./relay.ts";

export interface SessionParts {
  minutes: BrowserMinutes;
  /** Length of a charged minute, in milliseconds. */
  minuteMs: number;
  keys: Keys;
  usage: UsageCounts;
  metrics: Metrics;
  log: BaseLogger;
}

export interface Opened {
  id: string;
  browser: LentBrowser;
  key: ApiKey;
  /** The plaintext key, which is authenticated again each minute in case it has been revoked. */
  keyText: string;
  timeoutMs: number;
  hooks: PageHooks | undefined;
}

/** WebSocket close codes (RFC 6455, 7.4.1). */
const codes = { goingAway: 1001, policyViolation: 1008, internalError: 1011 };

/** Pings detect clients that are gone, and keep connections open through proxies that close them after an idle minute. */
const pingEveryMs = 30_000;
/** Time for the client to complete the closing handshake. */
const closeTimeoutMs = 2_000;

/** Aborting `closing` ends the session. Resolves once the session has ended and its browser is closed. Never rejects. */
export async function serve(socket: WebSocket, opened: Opened, parts: SessionParts, closing: AbortSignal): Promise<void> {
  const { id, browser, key, keyText, timeoutMs, hooks } = opened;
  const { usage, metrics, log, minuteMs } = parts;
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const startedAt = performance.now();
  const end = (code: number, reason: string) => {
    if (socket.readyState === socket.OPEN) socket.close(code, reason);
    resolve(reason);
  };
  const fail = (error: unknown) => {
    const hasFailed = !(error instanceof AppError) || error.code === "page_crashed";
    end(
      hasFailed ? codes.internalError : codes.policyViolation,
      error instanceof AppError ? error.message.slice(0, 120) : "Internal error.",
    );
  };
  socket.on("error", (error) => resolve(`The client sent an invalid message: ${error.message}.`)); // `ws` has already sent the close code
  socket.once("close", (code) => resolve(`The client closed the connection (${code}).`));
  onAbort(browser.signal, () => fail(browser.signal.reason));
  const stopFollowing = onAbort(closing, () => end(codes.goingAway, "The service is shutting down."));

  usage.record(key, "captured", 0);
  metrics.browserSessions.inc();
  const minutes = createMinutes(opened, parts);
  const timers = [
    setTimeout(() => end(codes.policyViolation, `The time limit of ${timeoutMs / 1000} s was reached.`), timeoutMs),
    setInterval(() => void minutes.next(keyText).catch(fail), minuteMs),
    pinging(socket),
  ];
  relay(socket, browser, end, hooks?.beforeImage);

  const reason = await ended;
  for (const timer of timers) clearTimeout(timer);
  stopFollowing();
  setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
  await browser.close();
  const seconds = (performance.now() - startedAt) / 1000;
  metrics.browserSessions.dec();
  metrics.browserSessionSeconds.observe(seconds);
  log.info({ session: id, keyId: key.id, seconds: Math.round(seconds), minutes: minutes.charged(), reason }, "browser session ended");
  await minutes.end(reason);
}

/**
 * Charges each additional minute as it begins. While the database is unavailable, charges accumulate until the next attempt, or until the
 * session ends. If the quota refuses a minute, the session ends and the charge is not retried.
 */
function createMinutes({ id, key }: Opened, { minutes, keys, usage, log }: SessionParts) {
  let charged = 1;
  let owed = 0;
  const settle = async () => {
    const count = owed;
    if (count === 0) return;
    owed = 0;
    await minutes.charge(key, id, count).catch((error) => {
      if (!(error instanceof AppError && error.code === "unavailable")) throw error;
      owed += count;
    });
  };
  const warn = (error: unknown) => log.warn({ err: error, session: id, owed }, "failed to charge a browser session or to record its end");
  return {
    charged: () => charged,
    /** @throws {AppError} `quota_exceeded`, `invalid_api_key`. */
    next: async (keyText: string) => {
      await keys.authenticate(keyText).catch((error) => {
        if (error instanceof AppError && error.code === "invalid_api_key") throw error;
      });
      charged += 1;
      owed += 1;
      await settle();
      usage.record(key, "captured", 0);
    },
    end: async (reason: string) => {
      await settle().catch(warn);
      await minutes.end(id, reason).catch(warn);
    },
  };
}

function pinging(socket: WebSocket): NodeJS.Timeout {
  let isAlive = true;
  socket.on("pong", () => {
    isAlive = true;
  });
  return setInterval(() => {
    if (socket.isPaused) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingEveryMs);
}
