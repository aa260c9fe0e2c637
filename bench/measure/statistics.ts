/** Medians and percentiles. */

/** NaN of nothing. */
export function median(values: number[]): number {
  return percentile(values, 50);
}

/** The value that `percent` of them do not exceed, between two neighbours where it falls between them; NaN of nothing. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (percent / 100) * (sorted.length - 1);
  const lower = sorted[Math.floor(position)] ?? Number.NaN;
  const upper = sorted[Math.ceil(position)] ?? Number.NaN;
  return lower + (upper - lower) * (position - Math.floor(position));
}
