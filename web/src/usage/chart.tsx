/** Bar chart of daily usage: captured, cached, failed. Each day leads to its screenshots. */

import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import type { UsageDay } from "../api/types.ts";
import { count, dayOf } from "../ui/format.ts";
import { UsageTable } from "./usage-table.tsx";

const parts = [
  { name: "captured", label: "Captured", fill: "bg-accent" },
  { name: "cached", label: "Cached", fill: "bg-accent-mid" },
  { name: "failed", label: "Failed", fill: "bg-bad" },
] as const;

interface UsageChartProps {
  days: UsageDay[];
  /** The key whose usage it is; undefined: the whole account. */
  keyId?: string | undefined;
}

/** Pointing at a day shows its numbers instead of the totals; a click leads to its screenshots. */
export function UsageChart({ days, keyId }: UsageChartProps) {
  const [pointed, point] = useState<UsageDay>();
  const total = (name: (typeof parts)[number]["name"]) => days.reduce((sum, day) => sum + day[name], 0);
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
        <Bars days={days} top={top} keyId={keyId} onPoint={point} />
        <div className="col-start-2 mt-1 flex justify-between text-xs text-muted">
          <span>{days[0] && dayOf(days[0].day)}</span>
          <span>today</span>
        </div>
      </div>
      <UsageTable days={days} />
    </figure>
  );
}

const requestsOf = ({ captured, cached, failed }: UsageDay): number => captured + cached + failed;

/** The next even multiple of a power of ten: half of it is a whole number, too. */
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

interface BarsProps extends UsageChartProps {
  top: number;
  onPoint: (day: UsageDay | undefined) => void;
}

/** One stop of the Tab key: the arrow keys move from day to day. */
function Bars({ days, top, keyId, onPoint }: BarsProps) {
  const last = days.findLast((day) => requestsOf(day) > 0);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const links = [...event.currentTarget.querySelectorAll("a")];
    const next = step && links[links.indexOf(document.activeElement as HTMLAnchorElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form, so no fieldset
    <div
      role="group"
      aria-label="Days with requests"
      onKeyDown={move}
      onPointerLeave={() => onPoint(undefined)}
      onBlur={() => onPoint(undefined)}
      className="relative flex h-40 items-stretch bg-[linear-gradient(var(--color-line),var(--color-line)),linear-gradient(var(--color-line),var(--color-line)),linear-gradient(var(--color-line),var(--color-line))] bg-[size:100%_1px] bg-[position:top,center,bottom] bg-no-repeat"
    >
      {!last && <p className="absolute inset-x-0 top-14 text-center text-sm text-muted">No requests yet.</p>}
      {days.map((day) =>
        requestsOf(day) === 0 ? (
          <div key={day.day} className="flex-1 hover:bg-line/60" onPointerEnter={() => onPoint(day)} />
        ) : (
          <Link
            key={day.day}
            to="/screenshots"
            search={{ since: day.day, until: day.day, key_id: keyId }}
            preload={false}
            tabIndex={day === last ? 0 : -1}
            aria-label={`${dayOf(day.day)}: ${parts.map(({ name, label }) => `${count(day[name])} ${label.toLowerCase()}`).join(", ")}`}
            onPointerEnter={() => onPoint(day)}
            onFocus={() => onPoint(day)}
            className="flex flex-1 flex-col justify-end px-px hover:bg-line/60"
          >
            {parts.toReversed().map(({ name, fill }) => (
              <span key={name} className={`block ${fill}`} style={{ height: `${(day[name] / top) * 100}%` }} />
            ))}
          </Link>
        ),
      )}
    </div>
  );
}
