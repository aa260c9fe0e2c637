/** Names for batches and for the states of their captures. */

import type { AccountBatch, BatchCapture } from "../api/types.ts";
import { count } from "../ui/format.ts";

/** "example.com-docs and 299 more" */
export function titleOf({ names, total }: Pick<AccountBatch, "names" | "total">): string {
  const [first = "Batch"] = names;
  return total > 1 ? `${first} and ${count(total - 1)} more` : first;
}

/** The states, in the order in which they are listed. */
export const stateNames: Record<BatchCapture["status"], string> = {
  done: "Done",
  failed: "Failed",
  running: "Running",
  queued: "Waiting",
  canceled: "Canceled",
};

export const states = Object.keys(stateNames) as BatchCapture["status"][];

/** Number of captures that have ended. */
export const endedOf = ({ counts: { done, failed, canceled } }: AccountBatch): number => done + failed + canceled;

/** "12 of 300 captures" */
export const progressOf = (batch: AccountBatch): string => `${count(endedOf(batch))} of ${count(batch.total)} captures`;
