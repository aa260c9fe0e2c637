/** The bars of the usage chart: captured, cached, failed. */

import { Link, type LinkProps } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import type { UsageDay } from "../api/types.ts";
import { count, dayOf } from "../ui/format.ts";

export const parts = [
  { name: "captured", label: "Captured", fill: "bg-accent" },
  { name: "cached", label: "Cached", fill: "bg-accent-mid" },
  { name: "failed", label: "Failed", fill: "bg-bad" },
] as const;

export const requestsOf = ({ captured, cached, failed }: UsageDay): number => captured + cached + failed;

export type DayLink = (day: string) => LinkProps;

interface BarsProps {
  days: UsageDay[];
  /** Number of requests that a bar of full height stands for. */
  top: number;
  /** The chart's numbers as text, used if the days aren't links with labels of their own. */
  label: string;
  linkTo: DayLink | undefined;
  onPoint: (day: UsageDay | undefined) => void;
}

const gridLines =
  "bg-[linear-gradient(var(--color-line),var(--color-line)),linear-gradient(var(--color-line),var(--color-line)),linear-gradient(var(--color-line),var(--color-line))] bg-[size:100%_1px] bg-[position:top,center,bottom] bg-no-repeat";

export function Bars({ days, top, label, linkTo, onPoint }: BarsProps) {
  const last = days.findLast((day) => requestsOf(day) > 0);
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a form, so not a fieldset
    <div
      role="group"
      aria-label={linkTo ? "Days with requests" : label}
      onKeyDown={move}
      onPointerLeave={() => onPoint(undefined)}
      onBlur={() => onPoint(undefined)}
      className={`relative flex h-40 items-stretch ${gridLines}`}
    >
      {!last && <p className="absolute inset-x-0 top-14 text-center text-sm text-muted">No requests yet.</p>}
      {days.map((day) => {
        const shape = "flex min-w-0 flex-1 flex-col justify-end px-px hover:bg-line/60";
        return linkTo && requestsOf(day) > 0 ? (
          <Link
            key={day.day}
            {...linkTo(day.day)}
            preload={false}
            tabIndex={day === last ? 0 : -1}
            aria-label={`${dayOf(day.day)}: ${parts.map(({ name, label }) => `${count(day[name])} ${label.toLowerCase()}`).join(", ")}`}
            onPointerEnter={() => onPoint(day)}
            onFocus={() => onPoint(day)}
            className={shape}
          >
            <Stack day={day} top={top} />
          </Link>
        ) : (
          <div key={day.day} className={shape} onPointerEnter={() => onPoint(day)}>
            <Stack day={day} top={top} />
          </div>
        );
      })}
    </div>
  );
}

function Stack({ day, top }: { day: UsageDay; top: number }) {
  return parts
    .toReversed()
    .map(({ name, fill }) => <span key={name} className={`block ${fill}`} style={{ height: `${(day[name] / top) * 100}%` }} />);
}

/** All links together are a single tab stop: the arrow keys move from day to day. */
function move(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const links = [...event.currentTarget.querySelectorAll("a")];
  const next = step && links[links.indexOf(document.activeElement as HTMLAnchorElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
