/** Usage of the monthly quota, and when it resets. */

import type { Month } from "../api/types.ts";
import { count, dateOf, relativeTo } from "../ui/format.ts";

export function MonthMeter({ month: { used, quota, remaining, end } }: { month: Month }) {
  const share = quota === null || quota === 0 ? 0 : Math.min(1, used / quota);
  const tone = remaining === 0 ? "bg-bad" : share >= 0.8 ? "bg-warn" : "bg-accent";
  return (
    <div className="grid gap-3">
      <p className="tabular">
        <span className="text-4xl font-semibold tracking-tight">{count(used)}</span>{" "}
        <span className="ml-1 text-muted">{quota === null ? "screenshots, no limit" : `of ${count(quota)} screenshots`}</span>
      </p>
      {quota !== null && (
        <>
          <meter aria-label="Screenshots used this month" max={quota} value={used} className="sr-only" />
          <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-line">
            <div className={`h-full rounded-full ${tone}`} style={{ width: `${share * 100}%` }} />
          </div>
        </>
      )}
      <p className="text-sm text-muted">
        {remaining === 0 ? "Your quota is used up: new screenshots are rejected until it resets. " : ""}Resets on {dateOf(end)},{" "}
        {relativeTo(end)}.
      </p>
    </div>
  );
}
