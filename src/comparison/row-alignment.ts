/** Finds the rows of one image in another, so that content that moved vertically is compared with itself. */

import { align, type EqualRun, reordered } from "./align.ts";
import type { Pixels } from "./pixels.ts";

export interface RowAlignment {
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

/** For lossy images: the mean brightness of eight parts of each row, rounded so coarsely that most rows keep their key despite noise. */
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
