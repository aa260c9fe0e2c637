/** What a screenshot shows, where it is not the page itself. */

import type { HistoryEntry } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";

export type Verdict = NonNullable<HistoryEntry["verdict"]>;

/** Those that people should know of. */
export const verdictNames: Partial<Record<Verdict, string>> = {
  bot_wall: "Bot wall",
  login_wall: "Login wall",
  consent_wall: "Consent wall",
  error_page: "Error page",
  parked: "Parked domain",
  blank: "Blank",
  partial: "Partial",
};

export function VerdictBadge({ verdict }: { verdict: Verdict | null }) {
  const name = verdict && verdictNames[verdict];
  return name ? <Badge tone="warn">{name}</Badge> : null;
}
