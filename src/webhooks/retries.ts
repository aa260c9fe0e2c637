/** When a failed delivery is tried again. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Between one try and the next: ten tries in about 22 hours. */
const gapsMs = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 7 * hour, 10 * hour];
/** Share of a gap by which it is longer or shorter, so that the deliveries of an outage don't return all at once. */
const jitter = 0.1;
const retryAfterMaxMs = hour;

/** Tries of one delivery. */
export const triesMax = gapsMs.length + 1;

/**
 * Milliseconds until the next try. An answer's `Retry-After` can make it longer, up to an hour.
 * @param tries made so far, at least 1. @param random in [0, 1).
 */
export function pauseMs(tries: number, retryAfter: string | undefined, now: number, random: number): number {
  const gap = gapsMs[Math.min(tries, gapsMs.length) - 1] ?? hour;
  const pause = Math.round(gap * (1 - jitter + 2 * jitter * random));
  return Math.max(pause, Math.min(retryAfterMs(retryAfter, now), retryAfterMaxMs));
}

/** Seconds or a date (RFC 9110, 10.2.3); 0 if it is neither, or past. */
function retryAfterMs(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : Math.max(time - now, 0);
}
