/** The states of watches and their runs. */

import type { Watch, WatchRun } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { runNames } from "./words.ts";

const tones = { queued: "plain", running: "plain", learning: "plain", unchanged: "good", changed: "warn", failed: "bad" } as const;

export function RunBadge({ run: { status, accepted } }: { run: Pick<WatchRun, "status" | "accepted"> }) {
  return (
    <>
      <Badge tone={tones[status]}>{runNames[status]}</Badge>
      {accepted && <Badge tone="good">Accepted</Badge>}
    </>
  );
}

const ofWatch = {
  new: ["plain", "Learning"],
  unchanged: ["good", "Unchanged"],
  changed: ["warn", "Changed"],
  failed: ["bad", "Failed"],
} as const;

export function WatchBadge({ watch: { status, phase, state } }: { watch: Watch }) {
  const [tone, name] = ofWatch[status];
  return (
    <>
      <Badge tone={tone}>{status === "new" && phase === "watching" ? "Watching" : name}</Badge>
      {state === "paused" && <Badge tone="plain">Paused</Badge>}
    </>
  );
}
