/** Progress of a batch: a bar with a part for each state. */

import type { AccountBatch, BatchCapture } from "../api/types.ts";
import { endedOf, progressOf, states } from "./words.ts";

const colors: Record<BatchCapture["status"], string> = {
  done: "bg-good",
  failed: "bg-bad",
  running: "bg-accent-mid motion-safe:animate-pulse",
  queued: "",
  canceled: "bg-edge",
};

/** The color of a state in the bar. */
export function StateDot({ state }: { state: BatchCapture["status"] }) {
  return <span aria-hidden="true" className={`inline-block size-2.5 rounded-full border border-edge/40 ${colors[state] || "bg-line"}`} />;
}

export function BatchBar({ batch, label }: { batch: AccountBatch; label: string }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={batch.total}
      aria-valuenow={endedOf(batch)}
      aria-valuetext={progressOf(batch)}
      className="flex h-2.5 overflow-hidden rounded-full bg-line"
    >
      {states.map((state) => (
        <span key={state} className={colors[state]} style={{ width: `${(batch.counts[state] / batch.total) * 100}%` }} />
      ))}
    </div>
  );
}
