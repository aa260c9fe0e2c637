/** Draws a recording's frames. */

import { AppError } from "../../shared/errors.ts";
import { renderImage } from "../image/render.ts";
import { findSections, scrollSectionsTo } from "../in-page/scroll-down.ts";
import { alwaysStill, beginStill } from "../in-page/still-rules.ts";
import type { Work } from "../option-group.ts";
import type { Recording } from "./encoder.ts";
import { createStepPlayer } from "./play-steps.ts";
import { scrollPath } from "./scroll-path.ts";

/** Time limit for drawing a frame. */
const drawMaxMs = 10_000;
/** Number of frames after the first that are drawn before the remaining time is estimated. */
const triedFrames = 10;
/** A recording estimated to take more than this many times the time left is abandoned, since it would tie up a browser for nothing. */
const tooLongFactor = 3;
/** Rules that stop what the page's clock doesn't control: animated images and the caret. */
const stillRules = { ...alwaysStill, caret: "*{caret-color:transparent!important}" };

/**
 * Yields a PNG of each frame. `times` are relative to the page time of the first frame; page time stops while a frame is drawn.
 * @throws {AppError} `target_timeout` if the frames would take much too long; `image_too_large`; `selector_not_found`, `invalid_parameters`
 *   or `rate_limited` for a step; {Error} if the document is replaced; {BrowserHung} if a frame isn't drawn in time.
 */
export async function* drawFrames(work: Work, { times, durationMs, scrolls, steps }: Recording): AsyncGenerator<Buffer> {
  const { tab, readiness, lifecycle, shot, deadlineAt } = work;
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
  await tab.evaluate(beginStill, stillRules);
  const scrollAt = scrolls ? scrollPath(await tab.evaluate(findSections), durationMs) : undefined;
  const [begin, started] = [clock.now(), performance.now()];
  const player = createStepPlayer(work, clock, steps);
  for (const [index, atMs] of times.entries()) {
    work.waitsFor = `frame ${index + 1} of ${times.length}`;
    await player.playUntil(begin + atMs);
    await clock.advanceTo(begin + atMs, scrollAt && (() => tab.evaluate(scrollSectionsTo, scrollAt(atMs))));
    const { bytes } = await renderImage(source, drawMaxMs);
    if (isReplaced) throw new Error("The document was replaced during the recording");
    if (index === triedFrames) assertInTime(performance.now() - started, times.length, deadlineAt - performance.now());
    yield bytes;
  }
  player.assertPlayed();
}

/**
 * @param drawnMs time that the first frame and the next `triedFrames` took.
 * @throws {AppError} `target_timeout` if the remaining frames would take far more than the time left.
 */
function assertInTime(drawnMs: number, count: number, leftMs: number): void {
  const neededMs = (drawnMs / triedFrames) * (count - triedFrames);
  if (neededMs <= tooLongFactor * leftMs) return;
  const [needed, left] = [neededMs, Math.max(0, leftMs)].map((ms) => Math.round(ms / 1000));
  throw new AppError("target_timeout", {
    message: `The ${count} frames of the recording would take about ${needed} s more, but its timeout leaves only ${left} s. Reduce the duration, fps or image size.`,
  });
}
