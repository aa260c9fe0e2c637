/** Formats numbers, times and sizes. */

const numbers = new Intl.NumberFormat("en-GB");
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const days = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto" });

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

export const count = (value: number): string => numbers.format(value);

/** "1 key", "2 keys". */
export const counted = (value: number, noun: string): string => `${numbers.format(value)} ${noun}${value === 1 ? "" : "s"}`;

/** "21 Nov 2026", in the user's time zone. */
export const dateOf = (time: string): string => dates.format(new Date(time));

export const timeOf = (time: string): string => times.format(new Date(time));

/** "Sat, 21 Nov" of `YYYY-MM-DD`. */
export const dayOf = (day: string): string => days.format(new Date(`${day}T00:00:00Z`));

/** "3 minutes ago", "in 9 days". */
export function relativeTo(time: string): string {
  const seconds = (new Date(time).getTime() - Date.now()) / 1000;
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return length === 1 ? (seconds > 0 ? "in a moment" : "just now") : relative.format(Math.trunc(seconds / length), unit);
}

export function bytesOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** "40 seconds", "3 minutes", "2.5 hours". */
export function secondsOf(seconds: number): string {
  if (seconds < 60) return counted(Math.ceil(seconds), "second");
  if (seconds < 3600) return counted(Math.round(seconds / 60), "minute");
  return counted(Math.round(seconds / 360) / 10, "hour");
}

export const durationOf = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
