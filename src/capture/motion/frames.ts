/** Draws a page at the times of a recording's frames. */

import { renderImage } from "../image/render.ts";
import { alwaysStill, beginStill } from "../in-page/still-rules.ts";
import type { Work } from "../option-group.ts";
import type { Timing } from "./options.ts";

/** Time limit for drawing a frame. */
const drawMaxMs = 10_000;
/** Rules that stop what the page's clock doesn't control: animated images, and the caret. */
const outOfTime = { ...alwaysStill, caret: "*{caret-color:transparent!important}" };

/** Times of the frames in milliseconds. The last frame lasts until the end, so that no frame is shorter than the others. */
export function frameTimes({ durationMs, fps }: Timing): number[] {
  const count = Math.max(1, Math.floor((durationMs * fps) / 1000 + 1e-9));
  return Array.from({ length: count }, (_, index) => (index * 1000) / fps);
}

/**
 * Yields a PNG for each of `times`. Page time begins with the first one, and stands still while a frame is drawn.
 * @throws {Error} if the document is replaced.
 */
export async function* drawFrames(work: Work, times: readonly number[]): AsyncGenerator<Buffer> {
  const { tab, readiness, lifecycle, shot } = work;
  const clock = readiness.clock();
  if (!clock) throw new TypeError("a recording requires a clock");
  const { bytes: _, ...fit } = shot.fit;
  const source = { ...work, shot: { ...shot, fit } };
  let isReplaced = false;
  lifecycle.replaced().then(
    () => {
      isReplaced = true;
    },
    () => {}, // reported by the next call
  );
  await tab.evaluate(beginStill, outOfTime);
  const begin = clock.now();
  for (const [index, atMs] of times.entries()) {
    work.waitsFor = `frame ${index + 1} of ${times.length}`;
    await clock.advanceTo(begin + atMs);
    const { bytes } = await renderImage(source, drawMaxMs);
    if (isReplaced) throw new Error("The document was replaced while it was recorded");
    yield bytes;
  }
}
