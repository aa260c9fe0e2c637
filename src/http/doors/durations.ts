/** Durations as other products write them, in the seconds of our options. Pure. */

const inSeconds: Record<string, number> = { ms: 0.001, s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 };

/** `500ms`, `2.5s`, `1h30m`, or a number in milliseconds; what is no duration stays as it is, for our options to refuse. */
export function seconds(value: unknown): unknown {
  const text = String(value).trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) / 1000;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return value;
  const total = parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (inSeconds[unit] ?? Number.NaN), 0);
  return Number.isNaN(total) ? value : Math.round(total * 1000) / 1000;
}
