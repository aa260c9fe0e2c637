/** Candidate shifts: where each part of an image may have moved from. */

import { align, type EqualRun, reordered } from "./align.ts";
import { grown } from "./boxes.ts";
import { assertInTime } from "./effort.ts";
import type { ItemPair } from "./elements/match-items.ts";
import type { Pixels } from "./pixels.ts";

/** Offset right and down, in pixels, from the earlier image to the later one; reversed for points in the earlier image. */
export interface Shift {
  dx: number;
  dy: number;
}

const [cellWidth, cellHeight] = [256, 128];
const reach = 64;
const shiftsMax = 12;

interface Size {
  width: number;
  height: number;
}

/**
 * @returns a function that lists the shifts to subtract from a point in the later image (the earlier one, with `isBackwards`) to find it in
 *   the other image, likeliest first.
 */
export function shiftsOf(
  { runs, moved }: RowAlignment,
  pairs: ItemPair[],
  { size, isBackwards }: { size: Size; isBackwards: boolean },
): (x: number, y: number) => Shift[] {
  const side = isBackwards ? "before" : "after";
  const shiftsNear = localShifts(pairs, side, size);
  const vertical = (run: EqualRun | undefined) => (run ? [{ dx: 0, dy: run.after - run.before }] : []);
  const ordered = [...runs].sort((one, other) => one[side] - other[side]);
  const movedNear = runsNear(moved, side);
  const nearRow = remembered((y: number) => {
    const above = countUpTo(ordered, side, y) - 1;
    const near = [ordered[above], ordered[above + 1], ...movedNear(y)];
    return distinct(near.flatMap(vertical));
  });
  const direction = isBackwards ? -1 : 1;
  return (x, y) => {
    const shifts = distinct([...nearRow(y), ...shiftsNear(x, y), { dx: 0, dy: 0 }]).slice(0, shiftsMax);
    return shifts.map(({ dx, dy }) => ({ dx: dx * direction, dy: dy * direction }));
  };
}

/** Returns a function that lists the shifts of the elements near a point: at most `shiftsMax`, since there may be thousands. */
function localShifts(pairs: ItemPair[], side: "before" | "after", { width, height }: Size): (x: number, y: number) => Shift[] {
  const [columns, rows] = [Math.ceil(width / cellWidth), Math.ceil(height / cellHeight)];
  const cells: Shift[][] = Array.from({ length: columns * rows }, () => []);
  for (const pair of pairs) {
    assertInTime();
    const shift = { dx: pair.after.box.x - pair.before.box.x, dy: pair.after.box.y - pair.before.box.y };
    const { x, y, ...box } = grown(pair[side].box, reach);
    const [right, bottom] = [Math.min(columns - 1, (x + box.width) / cellWidth), Math.min(rows - 1, (y + box.height) / cellHeight)];
    for (let row = Math.max(0, Math.floor(y / cellHeight)); row <= bottom; row++)
      for (let column = Math.max(0, Math.floor(x / cellWidth)); column <= right; column++) {
        const known = cells[row * columns + column] ?? [];
        if (known.length < shiftsMax && !known.some(({ dx, dy }) => dx === shift.dx && dy === shift.dy)) known.push(shift);
      }
  }
  return (x, y) => {
    const [column, row] = [Math.floor(x / cellWidth), Math.floor(y / cellHeight)];
    return column >= 0 && column < columns ? (cells[row * columns + column] ?? []) : [];
  };
}

/** Number of runs that begin at or above a row. `runs` must be sorted by `side`. */
function countUpTo(runs: EqualRun[], side: "before" | "after", row: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.[side] ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

const nearRows = 32;

/** Returns a function that finds the runs within 32 rows of a row, in their original order. Runs must not overlap. */
function runsNear(runs: EqualRun[], side: "before" | "after"): (row: number) => EqualRun[] {
  const ordered = [...runs].sort((one, other) => one[side] - other[side]);
  const order = new Map(runs.map((run, at) => [run, at]));
  return (row) => {
    const found: EqualRun[] = [];
    for (let at = countUpTo(ordered, side, row + nearRows) - 1; at >= 0; at--) {
      const run = ordered[at];
      if (!run || run[side] + run.length + nearRows <= row) break;
      found.push(run);
    }
    return found.sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
  };
}

/** Memoizes the last result. */
function remembered<In, Out>(compute: (input: In) => Out): (input: In) => Out {
  let last: { input: In; output: Out } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: compute(input) };
    return last.output;
  };
}

function distinct(shifts: Shift[]): Shift[] {
  return shifts.filter((shift, at) => shifts.findIndex(({ dx, dy }) => dx === shift.dx && dy === shift.dy) === at);
}

/** Rows of one image that match rows of the other, so vertically moved content can be compared with itself. */
interface RowAlignment {
  /** Equal rows in the same order. */
  runs: EqualRun[];
  /** Equal rows in a different order. */
  moved: EqualRun[];
}

const rowsMovedMin = 8;

/** Compares rows over the width of the narrower image. */
export function alignRows(before: Pixels, after: Pixels): RowAlignment {
  const width = Math.min(before.width, after.width);
  const isLossy = before.isLossy || after.isLossy;
  const keysOf = isLossy ? roughKeys : exactKeys;
  const [old, fresh] = [keysOf(before, width), keysOf(after, width)];
  const runs = align(old, fresh);
  return { runs, moved: isLossy ? [] : reordered(old, fresh, runs).filter(({ length }) => length >= rowsMovedMin) };
}

function exactKeys({ words, width: stride, height }: Pixels, width: number): Int32Array {
  return Int32Array.from({ length: height }, (_, y) => {
    let hash = 0x811c9dc5;
    for (let at = y * stride, end = at + width; at < end; at++) hash = Math.imul(hash ^ (words[at] ?? 0), 0x01000193) ^ (hash >>> 15);
    return hash;
  });
}

/** Row keys for lossy images: the mean brightness of eight parts, rounded so coarsely that most rows keep their key despite noise. */
function roughKeys({ data, width: stride, height }: Pixels, width: number): Int32Array {
  const parts = 8;
  return Int32Array.from({ length: height }, (_, y) => {
    let key = 0;
    for (let part = 0; part < parts; part++) {
      const [from, to] = [Math.floor((part * width) / parts), Math.floor(((part + 1) * width) / parts)];
      let sum = 0;
      for (let at = (y * stride + from) * 4, end = (y * stride + to) * 4; at < end; at += 4)
        sum += (data[at] ?? 0) + 2 * (data[at + 1] ?? 0) + (data[at + 2] ?? 0);
      key = (key << 4) | Math.round(sum / 4 / Math.max(1, to - from) / 17);
    }
    return key;
  });
}
