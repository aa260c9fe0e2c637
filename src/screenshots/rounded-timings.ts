/** @returns whole milliseconds of each phase. */
export function roundedTimings(timings: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(timings).map(([phase, ms]) => [phase, Math.round(ms)]));
}
