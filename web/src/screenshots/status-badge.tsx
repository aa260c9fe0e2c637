/** The state of a screenshot. */

import type { HistoryEntry } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import type { Outputs } from "./captures.ts";
import { VerdictBadge, verdictNames } from "./verdict.tsx";

/** A screenshot that shows something other than the page has a verdict in place of "Captured". */
export function StatusBadge({ screenshot }: { screenshot: HistoryEntry }) {
  const { status, verdict } = screenshot;
  if (status === "done")
    return verdict && verdictNames[verdict] ? <VerdictBadge screenshot={screenshot} /> : <Badge tone="good">Captured</Badge>;
  return status === "failed" ? <Badge tone="bad">Failed</Badge> : <Badge tone="warn">Pending</Badge>;
}

/** The state of all outputs of a capture. */
export function OutputsBadge({ outputs }: { outputs: Outputs }) {
  const failed = outputs.filter(({ status }) => status === "failed").length;
  const pending = outputs.find(({ status }) => status === "pending");
  if (pending || failed === 0 || failed === outputs.length) return <StatusBadge screenshot={pending ?? outputs[0]} />;
  return (
    <Badge tone="warn">
      {failed} of {outputs.length} failed
    </Badge>
  );
}
