/** Hashes changed regions, so that regions that were already reported, such as a carousel slide, are ignored. */

import { createHash } from "node:crypto";
import sharp from "sharp";
import type { Box, Comparison } from "./comparison.ts";
import { assertInTime } from "./effort.ts";

/** One hash per region, in order. @param image the later image, in any format. */
export async function hashRegions({ regions, sizeAfter }: Comparison, image: Buffer): Promise<string[]> {
  if (regions.length === 0) return [];
  const { data, info } = await sharp(image, { limitInputPixels: false }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return regions.map(({ kind, selector, before, after, textAfter }) => {
    assertInTime();
    const position = kind === "moved" || !after ? [before, after] : [after.width, after.height];
    const hash = createHash("sha256").update(JSON.stringify([kind, selector, position, textAfter]));
    for (const row of after && kind !== "moved" ? rowsOf(after, sizeAfter) : [])
      hash.update(data.subarray((row.y * info.width + row.x) * info.channels, (row.y * info.width + row.x + row.width) * info.channels));
    return hash.digest("base64url").slice(0, 22);
  });
}

/** The part of each of the box's rows that is inside the image. */
function* rowsOf({ x, y, width, height }: Box, size: { width: number; height: number }) {
  const left = Math.max(0, Math.floor(x));
  const right = Math.min(size.width, Math.ceil(x + width));
  for (let row = Math.max(0, Math.floor(y)); row < Math.min(size.height, Math.ceil(y + height)); row += 1)
    if (right > left) yield { x: left, y: row, width: right - left };
}
