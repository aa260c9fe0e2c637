/**
 * Password hashes are made and checked two at a time, and clients take turns: each hash occupies one of the process's four threads for
 * about 0.1 s, which also read files and resolve host names for captures.
 */

import { timeoutSignal } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import { createPermits } from "../../shared/permits.ts";
import { addressBucket, siteOf } from "../usage/rate-limit.ts";

/** Whose turn it is. */
export interface Client {
  ip: string;
  /** Aborts when the client disconnects. */
  disconnected?: AbortSignal | undefined;
}

const atOnceMax = 2;
/** Per address; only one hash of an address is made at a time. */
const waitingMax = 10;
/** Maximum wait: with a database that doesn't respond, each turn lasts as long as its time limits. */
const waitMaxMs = 10_000;

const turns = createPermits(atOnceMax, waitingMax);

/**
 * Runs `work`, which makes or checks a hash, once it is the turn of the client's site, and within it of its address. The turn lasts until `work` ends, even if
 * `limited` has already given up on it. Work of a client that has left doesn't begin.
 * @throws {AppError} `rate_limited` if too much of the address's work is waiting; `unavailable` if it has waited for ten seconds.
 */
export async function inHashTurn<T>(
  { ip, disconnected }: Client,
  work: () => Promise<T>,
  limited = (working: Promise<T>) => working,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const run = async () => {
    const working = work();
    resolve(limited(working));
    await working.catch(() => {}); // the caller's to handle
  };
  const late = timeoutSignal(waitMaxMs, () => new AppError("unavailable", { retryAfterSeconds: 5 }));
  const signal = disconnected ? AbortSignal.any([disconnected, late]) : late;
  turns.run(addressBucket(ip), run, { signal, group: siteOf(ip) }).catch((error) => reject(asRateLimit(error)));
  return await promise;
}

function asRateLimit(error: unknown): unknown {
  if (!(error instanceof AppError && error.code === "queue_full")) return error;
  const message = "Too many attempts from this address are waiting; try again in 2 s.";
  return new AppError("rate_limited", { message, retryAfterSeconds: 2 });
}
