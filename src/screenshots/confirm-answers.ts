/** Confirms in the background that answers have left, also while the database is away for a moment. */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import type { Answers } from "../accounts/usage/answers.ts";
import { withDeadline } from "../deadline.ts";

export interface ConfirmAnswers {
  /** Returns at once. Until it has succeeded, the end of this process returns what the capture cost. */
  confirm(captureId: string): void;
  /** Tries once; otherwise the sweep does it. Never rejects. */
  release(captureId: string): Promise<void>;
  /** Waits for confirmations that are under way, for a few seconds. */
  close(): Promise<void>;
}

/** Together less than what an answer's lease has left after half a minute of sending. */
const pausesMs = [500, 2_000, 5_000, 10_000, 20_000];
const closeTimeoutMs = 5_000;

export function createConfirmAnswers(answers: Answers, log: BaseLogger): ConfirmAnswers {
  const running = new Set<Promise<void>>();

  async function confirm(captureId: string): Promise<void> {
    for (const pauseMs of [...pausesMs, undefined]) {
      try {
        if (!(await answers.confirm(captureId))) log.warn({ captureId }, "a capture was answered after its lease, so it has cost nothing");
        return;
      } catch (error) {
        if (pauseMs === undefined) return log.warn({ err: error, captureId }, "failed to confirm an answer: its capture costs nothing");
        await delay(pauseMs, undefined, { ref: false });
      }
    }
  }

  return {
    confirm(captureId) {
      const confirming = confirm(captureId);
      running.add(confirming);
      confirming.finally(() => running.delete(confirming));
    },
    release: async (captureId) => void (await answers.release(captureId).catch(() => false)),
    close: async () => void (await withDeadline(Promise.all(running), closeTimeoutMs, () => {})),
  };
}
