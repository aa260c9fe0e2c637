/** The pool of browser slots. */

import { createPool } from "generic-pool";
import type { BaseLogger } from "pino";
import { onAbort } from "../shared/deadline.ts";
import { BrowserLost } from "./chromium-errors.ts";
import type { Slot } from "./slot.ts";

/** Idle slots are closed after this time, except for the last one. */
const idleTimeoutMs = 5 * 60_000;
const launchRetryDelayMs = 500;

/**
 * The queue already limits concurrent captures, so an array of slots would almost be enough. generic-pool is a fixed part of the stack, and
 * adds what an array lacks: starting on demand, validating on borrow, closing idle slots.
 */
export function createSlotPool({ slotsMax, log }: { slotsMax: number; log: BaseLogger }, start: () => Promise<Slot>) {
  const launchFailures = new EventTarget();
  const create = async () => {
    try {
      return await start();
    } catch (error) {
      log.error({ err: error }, "failed to start a browser");
      launchFailures.dispatchEvent(new CustomEvent("failure", { detail: error }));
      await new Promise((resolve) => setTimeout(resolve, launchRetryDelayMs)); // the pool retries immediately while a request is pending
      throw error;
    }
  };
  const pool = createPool<Slot>(
    { create, destroy: (slot) => slot.close(), validate: async (slot) => slot.alive() },
    {
      max: slotsMax,
      min: 1,
      testOnBorrow: true,
      autostart: false,
      softIdleTimeoutMillis: idleTimeoutMs,
      evictionRunIntervalMillis: 60_000,
    },
  );

  /** Takes a slot from the pool. @throws {BrowserLost} as soon as a browser fails to start; the signal's reason if it aborts. */
  const acquire = async (signal: AbortSignal): Promise<Slot> => {
    signal.throwIfAborted();
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const onFailure = (event: Event) => reject(new BrowserLost("No browser starts", { cause: (event as CustomEvent).detail }));
    launchFailures.addEventListener("failure", onFailure);
    const stop = onAbort(signal, () => reject(signal.reason));
    const acquired = Promise.resolve(pool.acquire());
    let isTaken = false;
    try {
      const slot = await Promise.race([acquired, failed]);
      isTaken = true;
      return slot;
    } finally {
      launchFailures.removeEventListener("failure", onFailure);
      stop();
      if (!isTaken) acquired.then((slot) => pool.release(slot)).catch(() => {}); // the caller is gone
    }
  };
  return { pool, acquire };
}
