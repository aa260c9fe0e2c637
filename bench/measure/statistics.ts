/** Medians and percentiles. */

/** NaN for an empty list. */
export function median(values: number[]): number {
  return percentile(values, 50);
}

/** Linearly interpolated percentile; NaN for an empty list. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (percent / 100) * (sorted.length - 1);
  const lower = sorted[Math.floor(position)] ?? Number.NaN;
  const upper = sorted[Math.ceil(position)] ?? Number.NaN;
  return lower + (upper - lower) * (position - Math.floor(position));
}
