/** Schedules the retries of failed deliveries. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delays between attempts: ten attempts in about 22 hours. */
const gapsMs = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 7 * hour, 10 * hour];
/**
 * Share by which a delay is lengthened or shortened at random, so that deliveries that failed in the same outage aren't all retried at
 * once.
 */
const jitter = 0.1;
const retryAfterMaxMs = hour;

/** Maximum number of attempts per delivery. */
export const attemptsMax = gapsMs.length + 1;

/**
 * Milliseconds until the next attempt. The response's `Retry-After` can lengthen this up to an hour.
 * @param attempts attempts made so far, at least 1. @param random a number in [0, 1).
 */
export function pauseMs(attempts: number, retryAfter: string | undefined, now: number, random: number): number {
  const gap = gapsMs[Math.min(attempts, gapsMs.length) - 1] ?? hour;
  const pause = Math.round(gap * (1 - jitter + 2 * jitter * random));
  return Math.max(pause, Math.min(retryAfterMs(retryAfter, now), retryAfterMaxMs));
}

/** Seconds or a date (RFC 9110, 10.2.3); 0 if it is neither, or is in the past. */
function retryAfterMs(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : Math.max(time - now, 0);
}
