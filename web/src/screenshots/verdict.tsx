/** Verdicts that differ from the page itself: walls, error pages, blank pages. */

import type { HistoryEntry } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";

export type Verdict = NonNullable<HistoryEntry["verdict"]>;

/** Verdicts that people should know about. */
export const verdictNames: Partial<Record<Verdict, string>> = {
  bot_wall: "Bot wall",
  login_wall: "Login wall",
  consent_wall: "Consent wall",
  error_page: "Error page",
  parked: "Parked domain",
  blank: "Blank",
  partial: "Partial",
};

/** A verdict, with the target's status if that is the reason. */
export function VerdictBadge({
  screenshot: { verdict, verdict_reason },
}: {
  screenshot: Pick<HistoryEntry, "verdict" | "verdict_reason">;
}) {
  const name = verdict && verdictNames[verdict];
  const [, status] = /returned status (\d{3})/.exec(verdict_reason ?? "") ?? [];
  return name ? <Badge tone="warn">{status ? `${name} ${status}` : name}</Badge> : null;
}
