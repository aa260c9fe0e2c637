/** Labels for schedules, states and shares. */

import type { Watch, WatchRun } from "../api/types.ts";
import { counted } from "../ui/format.ts";

const units: Record<string, string> = { s: "second", m: "minute", h: "hour", d: "day" };

/** `1d` gives "every day", `12h` "every 12 hours". */
export function intervalOf(every: string): string {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(every) ?? [];
  const noun = units[unit];
  if (noun === undefined) return every;
  return count === "1" ? `every ${noun}` : `every ${counted(Number(count), noun)}`;
}

export function scheduleOf({ every, cron, time_zone: zone }: Pick<Watch, "every" | "cron" | "time_zone">): string {
  return every === null ? `${cron} (${zone})` : intervalOf(every);
}

/** "1.2 % of the pixels" */
export function shareOf(share: number): string {
  const percent = share * 100;
  const text = percent > 0 && percent < 0.1 ? "less than 0.1" : String(Number(percent.toFixed(percent < 10 ? 1 : 0)));
  return `${text} % of the pixels`;
}

export const comparedNames: Record<Watch["compare"], string> = {
  both: "Pixels and text",
  pixels: "Pixels only",
  text: "Text only",
};

export const runNames: Record<WatchRun["status"], string> = {
  queued: "Waiting",
  running: "Running",
  learning: "Learning",
  unchanged: "Unchanged",
  changed: "Changed",
  failed: "Failed",
};

/** Path of a run's image, for requests with the session. */
export const imageOf = ({ id }: NonNullable<WatchRun["screenshot"]>): string => `/v1/account/screenshots/${id}/image`;
