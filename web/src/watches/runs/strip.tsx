/** The latest runs of a watch as a strip, with the newest on the right. */

import type { Watch, WatchRun } from "../../api/types.ts";
import { counted, timeOf } from "../../ui/format.ts";
import { runNames } from "../words.ts";

const places = 30;

/** Classes that set height and color. */
const looks: Record<WatchRun["status"], string> = {
  queued: "h-1/4 bg-edge",
  running: "h-1/4 bg-edge",
  learning: "h-1/2 bg-edge",
  unchanged: "h-1/2 bg-accent-mid",
  changed: "h-full bg-warn",
  failed: "h-full bg-bad",
};

export function RunStrip({ recent }: { recent: Watch["recent"] }) {
  const free = Math.max(0, places - recent.length);
  return (
    <div role="img" aria-label={summaryOf(recent)} className="flex h-6 items-end gap-0.5">
      {Array.from({ length: free }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: positions without a run have no identity
        <span key={index} className="h-1/4 min-w-0.5 flex-1 rounded-xs bg-line" />
      ))}
      {recent.toReversed().map(({ id, status, at }) => (
        <span key={id} title={`${runNames[status]}, ${timeOf(at)}`} className={`min-w-0.5 flex-1 rounded-xs ${looks[status]}`} />
      ))}
    </div>
  );
}

/** "Last 12 runs: 10 unchanged, 2 changed" */
function summaryOf(recent: Watch["recent"]): string {
  if (recent.length === 0) return "No runs yet";
  const byStatus = Map.groupBy(recent, ({ status }) => status);
  const parts = [...byStatus].map(([status, runs]) => `${runs.length} ${runNames[status].toLowerCase()}`);
  return `Last ${counted(recent.length, "run")}: ${parts.join(", ")}`;
}
