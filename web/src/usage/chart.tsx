/** Bar chart of daily usage, with its scale and its numbers. */

import { useState } from "react";
import type { UsageDay } from "../api/types.ts";
import { count, dayOf } from "../ui/format.ts";
import { Bars, type DayLink, parts, requestsOf } from "./bars.tsx";
import { UsageTable } from "./usage-table.tsx";

interface UsageChartProps {
  days: UsageDay[];
  /** Where clicking a day leads; if absent, days are not links. */
  linkTo?: DayLink;
}

/** Pointing at a day shows its numbers instead of the totals. */
export function UsageChart({ days, linkTo }: UsageChartProps) {
  const [pointed, point] = useState<UsageDay>();
  const total = (name: (typeof parts)[number]["name"]) => days.reduce((sum, day) => sum + day[name], 0);
  const sentence = parts.map(({ name, label }) => `${label}: ${count(total(name))}`).join(", ");
  const top = niceTop(Math.max(...days.map(requestsOf)));
  return (
    <figure className="grid gap-4">
      <figcaption className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {parts.map(({ name, label, fill }) => (
          <span key={name} className="tabular inline-flex items-center gap-2">
            <span className={`size-2.5 rounded-sm ${fill}`} />
            {label} <strong className="font-semibold">{count(pointed ? pointed[name] : total(name))}</strong>
          </span>
        ))}
        <span className="ml-auto text-muted">{pointed ? dayOf(pointed.day) : `${days.length} days`}</span>
      </figcaption>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <Scale top={top} />
        <Bars days={days} top={top} label={`${days.length} days. ${sentence}.`} linkTo={linkTo} onPoint={point} />
        <div className="col-start-2 mt-1 flex justify-between text-xs text-muted">
          <span>{days[0] && dayOf(days[0].day)}</span>
          <span>today</span>
        </div>
      </div>
      <UsageTable days={days} />
    </figure>
  );
}

/** The next even multiple of a power of ten, so that half of it is also a whole number. */
function niceTop(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest)));
  return 2 * power * Math.max(1, Math.ceil(highest / (2 * power)));
}

function Scale({ top }: { top: number }) {
  return (
    <div aria-hidden="true" className="tabular flex h-40 flex-col justify-between text-right text-xs leading-none text-muted">
      <span>{count(top)}</span>
      <span>{count(top / 2)}</span>
      <span>0</span>
    </div>
  );
}
