/** Where content may have come from: candidates for the comparison of each part of an image. */

import type { Run } from "./align.ts";
import { grown } from "./boxes.ts";
import type { Pair } from "./match-items.ts";
import type { RowAlignment } from "./row-alignment.ts";

/** Pixels to the right and down, from before to after. */
export interface Shift {
  dx: number;
  dy: number;
}

const [cellWidth, cellHeight] = [256, 128];
const reach = 64;
const shiftsMax = 12;

/** @returns For a place in the image after, or with `isBackwards` in the one before, what to subtract from it to find it in the other: the likeliest first. */
export function shiftsOf({ runs, moved }: RowAlignment, pairs: Pair[], isBackwards: boolean): (x: number, y: number) => Shift[] {
  const side = isBackwards ? "before" : "after";
  const cells = new Map<string, Shift[]>();
  for (const pair of pairs) {
    const shift = { dx: pair.after.box.x - pair.before.box.x, dy: pair.after.box.y - pair.before.box.y };
    const { x, y, width, height } = grown(pair[side].box, reach);
    for (let row = Math.floor(y / cellHeight); row <= (y + height) / cellHeight; row++)
      for (let column = Math.floor(x / cellWidth); column <= (x + width) / cellWidth; column++) {
        const key = `${column},${row}`;
        const known = cells.get(key) ?? [];
        cells.set(key, known);
        if (!known.some(({ dx, dy }) => dx === shift.dx && dy === shift.dy)) known.push(shift);
      }
  }
  const vertical = (run: Run | undefined) => (run ? [{ dx: 0, dy: run.after - run.before }] : []);
  const ordered = [...runs].sort((one, other) => one[side] - other[side]);
  const nearRow = remembered((y: number) => {
    const above = ordered.findLastIndex((run) => run[side] <= y);
    const near = [ordered[above], ordered[above + 1], ...moved.filter((run) => run[side] <= y + 32 && y < run[side] + run.length + 32)];
    return distinct(near.flatMap(vertical));
  });
  const direction = isBackwards ? -1 : 1;
  return (x, y) => {
    const local = cells.get(`${Math.floor(x / cellWidth)},${Math.floor(y / cellHeight)}`) ?? [];
    const shifts = distinct([...nearRow(y), ...local, { dx: 0, dy: 0 }]).slice(0, shiftsMax);
    return shifts.map(({ dx, dy }) => ({ dx: dx * direction, dy: dy * direction }));
  };
}

/** Remembers the last result. */
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
