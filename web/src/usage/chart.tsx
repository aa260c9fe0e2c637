/** Bar chart of daily usage: captured, cached, failed. */

import { useState } from "react";
import type { UsageDay } from "../api/types.ts";
import { bytesOf, count, counted, dayOf } from "../ui/format.ts";

const parts = [
  { name: "captured", label: "Captured", fill: "fill-accent", dot: "bg-accent" },
  { name: "cached", label: "Cached", fill: "fill-accent-mid", dot: "bg-accent-mid" },
  { name: "failed", label: "Failed", fill: "fill-bad", dot: "bg-bad" },
] as const;

const height = 120;
const step = 10;
const gap = 2;

/** Hovering a day shows its numbers instead of the totals. */
export function UsageChart({ days }: { days: UsageDay[] }) {
  const [pointed, point] = useState<UsageDay>();
  const total = (name: (typeof parts)[number]["name"]) => days.reduce((sum, day) => sum + day[name], 0);
  const highest = Math.max(...days.map((day) => day.captured + day.cached + day.failed));
  const sentence = parts.map(({ name, label }) => `${label}: ${count(total(name))}`).join(", ");
  return (
    <figure className="grid gap-4">
      <figcaption className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {parts.map(({ name, label, dot }) => (
          <span key={name} className="tabular inline-flex items-center gap-2">
            <span className={`size-2.5 rounded-sm ${dot}`} />
            {label} <strong className="font-semibold">{count(pointed ? pointed[name] : total(name))}</strong>
          </span>
        ))}
        <span className="ml-auto text-muted">{pointed ? dayOf(pointed.day) : `${days.length} days`}</span>
      </figcaption>
      <div className="relative">
        {highest === 0 && <p className="absolute inset-x-0 top-14 text-center text-sm text-muted">No requests yet.</p>}
        <svg
          role="img"
          aria-label={`${days.length} days. ${sentence}.`}
          viewBox={`0 0 ${days.length * step} ${height}`}
          preserveAspectRatio="none"
          className="block h-36 w-full"
          onPointerLeave={() => point(undefined)}
        >
          {days.map((day, index) => (
            <Bar key={day.day} day={day} x={index * step} highest={highest} onPoint={() => point(day)} />
          ))}
        </svg>
        <div className="mt-1 flex justify-between border-t border-line pt-1 text-xs text-muted">
          <span>{days[0] && dayOf(days[0].day)}</span>
          <span>today</span>
        </div>
      </div>
      <UsageTable days={days} />
    </figure>
  );
}

function Bar({ day, x, highest, onPoint }: { day: UsageDay; x: number; highest: number; onPoint: () => void }) {
  let top = height;
  return (
    <g onPointerEnter={onPoint} className="group">
      <rect x={x} y={0} width={step} height={height} className="fill-transparent group-hover:fill-line/60" />
      {parts.map(({ name, fill }) => {
        const size = highest === 0 ? 0 : (day[name] / highest) * (height - 4);
        top -= size;
        return size === 0 ? null : <rect key={name} x={x + gap / 2} y={top} width={step - gap} height={size} className={fill} />;
      })}
    </g>
  );
}

function UsageTable({ days }: { days: UsageDay[] }) {
  const busy = days.filter((day) => day.captured + day.cached + day.failed + day.rejected > 0).toReversed();
  return (
    <details className="text-sm">
      <summary className="w-fit rounded text-muted hover:text-ink">Show as table</summary>
      {busy.length === 0 ? (
        <p className="mt-3 text-muted">No requests in {counted(days.length, "day")}.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="mt-3 overflow-x-auto" tabIndex={0} aria-label="Days with requests">
          <table className="tabular w-full text-right">
            <thead className="text-muted">
              <tr>
                {["Day", "Captured", "Cached", "Failed", "Rejected", "Delivered"].map((head, index) => (
                  <th key={head} scope="col" className={`py-1 pl-4 font-normal whitespace-nowrap ${index === 0 ? "pl-0 text-left" : ""}`}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {busy.map((day) => (
                <tr key={day.day} className="border-t border-line">
                  <th scope="row" className="py-1 text-left font-normal whitespace-nowrap">
                    {dayOf(day.day)}
                  </th>
                  {[day.captured, day.cached, day.failed, day.rejected].map((value, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: four columns that never move
                    <td key={index} className="pl-4">
                      {count(value)}
                    </td>
                  ))}
                  <td className="pl-4 whitespace-nowrap">{bytesOf(day.bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
