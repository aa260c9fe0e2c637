/** Worker thread for one comparison. */

import { createHash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import sharp from "sharp";
import { compareShots } from "./compare-shots.ts";
import type { Box, CompareOptions, Comparison, ReadShot, Region, Shot } from "./comparison.ts";
import { assertInTime, beginEffort, TooMuchEffort } from "./effort.ts";

interface Task {
  before: ReadShot;
  after: ReadShot;
  options: CompareOptions;
  timeoutMs: number;
}

/** Wraps the image, which was transferred as a plain Uint8Array, in a Buffer, and parses serialized elements. */
const read = ({ image, elements, ...shot }: ReadShot): Shot => ({
  ...shot,
  image: Buffer.from(image.buffer, image.byteOffset, image.length),
  ...(elements ? { elements: elements instanceof Uint8Array ? JSON.parse(Buffer.from(elements).toString()) : elements } : {}),
});

async function compareInTime({ options, timeoutMs, ...shots }: Task): Promise<Comparison | "late"> {
  beginEffort(timeoutMs);
  try {
    const [before, after] = [read(shots.before), read(shots.after)];
    const comparison = await compareShots(before, after, options);
    return {
      ...comparison,
      regions: shortened(comparison.regions),
      ...(options.hasHashes && { hashes: await hashRegions(comparison, after.image) }),
    };
  } catch (error) {
    if (error instanceof TooMuchEffort) return "late";
    throw error;
  }
}

/** Maximum lengths in characters. A page determines the lengths, and one request can have twenty comparisons of a hundred regions. */
const lengthMax = { text: 1_000, selector: 2_000 };
/** Maximum lengths once the texts and selectors of the regions so far have `together` characters. */
const shortMax = { text: 100, selector: 200, together: 20_000 };

function shortened(regions: Region[]): Region[] {
  let together = 0;
  return regions.map(({ selector, textBefore, textAfter, ...region }) => {
    const max = together < shortMax.together ? lengthMax : shortMax;
    const cut = (text: string | null) => (text !== null && text.length > max.text ? `${text.slice(0, max.text - 1)}…` : text);
    const known = selector !== null && selector.length <= max.selector ? selector : null; // a part of it would match something else
    const texts = { selector: known, textBefore: cut(textBefore), textAfter: cut(textAfter) };
    for (const text of Object.values(texts)) together += text?.length ?? 0;
    return { ...region, ...texts };
  });
}

/**
 * Hashes changed regions, so that regions seen before, such as a carousel slide, can be ignored. Returns one hash per region, in order.
 * @param image the later image, in any format.
 */
async function hashRegions({ regions, sizeAfter }: Comparison, image: Buffer): Promise<string[]> {
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

/** For each row of the box, the part that is inside the image. */
function* rowsOf({ x, y, width, height }: Box, size: { width: number; height: number }) {
  const left = Math.max(0, Math.floor(x));
  const right = Math.min(size.width, Math.ceil(x + width));
  for (let row = Math.max(0, Math.floor(y)); row < Math.min(size.height, Math.ceil(y + height)); row += 1)
    if (right > left) yield { x: left, y: row, width: right - left };
}

// To compile the modules, the container build loads all of them on the main thread, which has no parent port.
if (parentPort) parentPort.postMessage(await compareInTime(workerData));
