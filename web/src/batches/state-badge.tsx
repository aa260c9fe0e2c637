/** The states of a batch and of its captures. */

import type { AccountBatch, BatchCapture } from "../api/types.ts";
import { StatusBadge } from "../screenshots/status-badge.tsx";
import { Badge } from "../ui/badge.tsx";
import { stateNames } from "./words.ts";

export function BatchBadge({ batch: { status } }: { batch: AccountBatch }) {
  return status === "running" ? <Badge tone="warn">Running</Badge> : <Badge tone="good">Done</Badge>;
}

const tones = { queued: "plain", running: "warn", done: "good", failed: "bad", canceled: "plain" } as const;

/** For a capture that is done, the badge of its screenshot. */
export function CaptureBadge({ capture: { status, screenshot } }: { capture: BatchCapture }) {
  if (status === "done" && screenshot) return <StatusBadge screenshot={screenshot} />;
  return <Badge tone={tones[status]}>{stateNames[status]}</Badge>;
}
