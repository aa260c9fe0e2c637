/** The state of a screenshot. */

import type { HistoryEntry } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { VerdictBadge, verdictNames } from "./verdict.tsx";

/** A screenshot that shows something else than the page has a verdict in place of "Captured". */
export function StatusBadge({ screenshot }: { screenshot: HistoryEntry }) {
  const { status, verdict } = screenshot;
  if (status === "done")
    return verdict && verdictNames[verdict] ? <VerdictBadge screenshot={screenshot} /> : <Badge tone="good">Captured</Badge>;
  return status === "failed" ? <Badge tone="bad">Failed</Badge> : <Badge tone="warn">Pending</Badge>;
}
