/** Chooses the rows at which a long image is cut: in empty space, as near as possible to a target height. Pure. */

import type { Extent } from "../in-page/content-boxes.ts";

/** Cost of cutting above a row. Cutting through text always costs more than cutting through pixels; the middle of a line costs most. */
const costOf = { insideLine: 1_000, line: 200, block: 60, pixelsMax: 50 };
/** Share of a line's height at its top and bottom that glyphs seldom reach. */
const outerShare = 0.18;
/** Minimum difference between neighboring pixels, summed over all channels, that counts as an edge. */
const edgeMin = 24;

/** @param lines extents in rows of the image, like `blocks`. @returns the cost of cutting before each row, not counting the pixels. */
export function costsOfBoxes(height: number, lines: Extent[], blocks: Extent[]): Int32Array {
  const costs = new Int32Array(height + 1);
  const add = (top: number, bottom: number, cost: number) => {
    const from = Math.max(0, Math.floor(top) + 1);
    const until = Math.min(height, Math.ceil(bottom));
    if (from >= until) return;
    costs[from] = (costs[from] ?? 0) + cost;
    costs[until] = (costs[until] ?? 0) - cost;
  };
  for (const [top, bottom] of lines) {
    const outer = (bottom - top) * outerShare;
    add(top, bottom, costOf.line);
    add(top + outer, bottom - outer, costOf.insideLine);
  }
  for (const [top, bottom] of blocks) add(top, bottom, costOf.block);
  for (let row = 1; row <= height; row += 1) costs[row] = (costs[row] ?? 0) + (costs[row - 1] ?? 0);
  return costs;
}

/** Number of color changes along a row of raw pixels, at most `costOf.pixelsMax`. */
export function edgesOfRow(pixels: Uint8Array, row: number, { width, channels }: { width: number; channels: number }): number {
  const start = row * width * channels;
  const end = start + width * channels;
  let edges = 0;
  for (let at = start + channels; at < end && edges < costOf.pixelsMax; at += channels) {
    let difference = 0;
    for (let channel = 0; channel < channels; channel += 1)
      difference += Math.abs((pixels[at + channel] ?? 0) - (pixels[at + channel - channels] ?? 0));
    if (difference > edgeMin) edges += 1;
  }
  return edges;
}

/** Cost difference to ignore, since a few edges are vertical borders. */
const slack = 3;
/** Gaps larger than this are considered equally good. */
const gapMax = 48;
/** Maximum number of rows left above and below a cut in a large gap. */
const marginMax = 8;

/**
 * @param costs costs of cutting before each row, starting at `low`.
 * @returns a row from `low` to `low + costs.length - 1`, in the largest of the gaps with the lowest cost, unless a smaller one is much
 *   nearer.
 */
export function chooseCut(costs: readonly number[], low: number, target: number): number {
  const limit = costs.reduce((least, cost) => Math.min(least, cost), Infinity) + slack;
  const reach = Math.max(1, costs.length);
  let best = { cut: low, score: Number.NEGATIVE_INFINITY };
  for (let from = 0; from < costs.length; from += 1) {
    if ((costs[from] ?? Infinity) > limit) continue;
    let until = from;
    while (until + 1 < costs.length && (costs[until + 1] ?? Infinity) <= limit) until += 1;
    const margin = Math.min(marginMax, Math.floor((until - from) / 2));
    const cut = Math.min(low + until - margin, Math.max(low + from + margin, target));
    const score = Math.min(gapMax, until - from + 1) / gapMax - Math.abs(cut - target) / reach;
    if (score > best.score) best = { cut, score };
    from = until;
  }
  return best.cut;
}
