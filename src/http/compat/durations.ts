/** Converts other products' durations to seconds, the unit of our options. Pure. */

/** Seconds per unit, by each of the unit's names. */
const inSeconds: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 0.001,
  s: 1,
  sec: 1,
  m: 60,
  min: 60,
  h: 3600,
  hr: 3600,
  d: 86_400,
  w: 604_800,
};

const longNames: Record<string, string> = { millisecond: "ms", second: "s", minute: "m", hour: "h", day: "d", week: "w" };

function unitOf(name: string): number {
  const singular = name.length > 2 ? name.replace(/s$/, "") : name;
  return inSeconds[longNames[singular] ?? singular] ?? Number.NaN;
}

/** Maximum length in characters; enough for `1 week 2 days 3 hours 4 minutes 5 seconds`. */
const durationLengthMax = 60;

/**
 * Accepts `500ms`, `2.5s`, `3 seconds`, `1h30m`, or a bare number of milliseconds; returns anything else unchanged, for our validation to
 * reject.
 */
export function toSeconds(value: unknown): unknown {
  const text = String(value).trim();
  if (text.length > durationLengthMax) return value;
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text)) return Number(text) / 1000;
  // Sticky matching: each part begins where the previous one ends, so the pattern is not retried at every digit.
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+) ?([a-zµ]+)/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return value;
  const total = parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * unitOf(unit), 0);
  return Number.isNaN(total) ? value : Math.round(total * 1000) / 1000;
}
