/**
 * Charges for captures that a worker makes while an API process waits. A charge is confirmed in the background once the response has been
 * sent, with retries during short database outages.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import { withDeadline } from "../../shared/deadline.ts";
import type { Charge } from "./charge.ts";

export interface AwaitedCharges {
  /** Returns immediately. If the process ends before the confirmation succeeds, the sweep drops the capture. */
  confirm(captureId: string): void;
  /**
   * Drops the capture: it is refunded, and its outputs can't be read. If an output is stored, confirms the capture instead and resolves to
   * false. Tries once; if that fails, resolves to true and leaves the capture to the sweep. Never rejects.
   */
  drop(captureId: string): Promise<boolean>;
  /** Refunds the capture and keeps its images. Tries once; if that fails, the sweep drops the capture. Never rejects. */
  release(captureId: string): Promise<void>;
  /** Waits a few seconds for pending confirmations. */
  close(): Promise<void>;
}

/** Retry delays. Their sum fits into the time left to confirm a response that took 30 s to send. */
const pausesMs = [500, 2_000, 5_000, 10_000, 20_000];
const closeTimeoutMs = 5_000;

export function createAwaitedCharges(charge: Pick<Charge, "confirm" | "refund">, log: BaseLogger): AwaitedCharges {
  const running = new Set<Promise<void>>();

  async function confirm(captureId: string): Promise<void> {
    for (const pauseMs of [...pausesMs, undefined]) {
      try {
        const isConfirmed = await charge.confirm(captureId);
        if (!isConfirmed) log.warn({ captureId }, "a capture was delivered after its reservation had expired, so it is not charged");
        return;
      } catch (error) {
        if (pauseMs === undefined) return log.warn({ err: error, captureId }, "failed to confirm a delivery: its capture is not charged");
        await delay(pauseMs, undefined, { ref: false });
      }
    }
  }

  function confirmSoon(captureId: string): void {
    const confirming = confirm(captureId);
    running.add(confirming);
    confirming.finally(() => running.delete(confirming));
  }

  return {
    confirm: confirmSoon,
    async drop(captureId) {
      const isDropped = await charge.refund({ unanswered: captureId }).catch(() => true);
      if (!isDropped) confirmSoon(captureId);
      return isDropped;
    },
    release: async (captureId) => void (await charge.refund({ unreadable: captureId }).catch(() => false)),
    close: async () => void (await withDeadline(Promise.all(running), closeTimeoutMs, () => {})),
  };
}
