/**
 * Captures cross-origin frames outside the viewport. Chromium doesn't draw them there, so they are blank in a screenshot larger than the
 * viewport. Each frame is moved into the viewport and captured together with everything that covers it.
 */

import { foreignFrames, moveDocument, restoreDocument } from "../in-page/foreign-frames.ts";
import { nextFrame } from "../in-page/pass-over.ts";
import type { ImageSource, Region } from "./spec.ts";

/** A part of an image, with its position in device pixels. */
export interface Patch {
  input: Buffer;
  left: number;
  top: number;
}

/** Time limit for all frames of a page, not counting the last frame's screenshot. */
const patchesMs = 4_000;
/** Time limit for the animation frames in which a moved frame is drawn. */
const drawnMs = 600;
const patchPixelsMin = 2;
/** More parts can't be captured in time, because each takes two animation frames. With a tiny viewport, there could be millions. */
const partsMax = 500;

/** Captures the frames that were found. @throws {BrowserHung} if a screenshot takes longer than `timeoutMs`. */
export type DrawPatches = (timeoutMs: number) => Promise<Patch[]>;

/**
 * Finds cross-origin frames outside the viewport; returns undefined if there are none.
 * @param shown the part of the document that the image shows. @param scale device pixels per CSS pixel.
 */
export async function findForeignFrames(source: ImageSource, shown: Region, scale: number): Promise<DrawPatches | undefined> {
  const { frames, viewport } = await source.tab.evaluate(foreignFrames);
  const parts: Region[] = [];
  for (const part of partsOf(frames, shown, viewport)) if (parts.push(part) === partsMax) break;
  return parts.length > 0 ? (timeoutMs) => drawPatches(source, parts, { shown, scale, timeoutMs }) : undefined;
}

/** Captures `parts` one by one and restores the document. Adds a warning if it runs out of time. */
async function drawPatches(
  { tab, shot, warn }: ImageSource,
  parts: Region[],
  { shown, scale, timeoutMs }: { shown: Region; scale: number; timeoutMs: number },
): Promise<Patch[]> {
  const until = performance.now() + patchesMs;
  const patches: Patch[] = [];
  try {
    for (const part of parts) {
      if (performance.now() > until) {
        warn("cross-origin frames may be blank in the lower part of the screenshot, because the page has too many of them");
        break;
      }
      await tab.evaluate(moveDocument, part.x, part.y);
      // A frame is drawn once Chromium has seen it in the viewport. `nextFrame` doesn't resolve while scripts are disabled.
      for (let frame = 0; frame < 2; frame += 1) await tab.within(drawnMs / 2, tab.waitFor(nextFrame));
      const clip = { x: 0, y: 0, width: part.width, height: part.height, scale: scale / shot.scale };
      const input = await tab.captureScreenshot({ format: "png", clip }, timeoutMs);
      patches.push({ input, left: Math.round((part.x - shown.x) * scale), top: Math.round((part.y - shown.y) * scale) });
    }
  } finally {
    await tab.evaluate(restoreDocument);
  }
  return patches;
}

/** The parts of `frames` within `shown`, none larger than the viewport. */
function* partsOf(frames: Region[], shown: Region, viewport: { width: number; height: number }): Generator<Region, void> {
  for (const frame of frames) {
    const left = Math.floor(Math.max(frame.x, shown.x));
    const top = Math.floor(Math.max(frame.y, shown.y));
    const right = Math.min(frame.x + frame.width, shown.x + shown.width);
    const bottom = Math.min(frame.y + frame.height, shown.y + shown.height);
    const widthAt = (x: number) => Math.min(viewport.width, Math.ceil(right - x));
    const heightAt = (y: number) => Math.min(viewport.height, Math.ceil(bottom - y));
    // Only the last row and column may be smaller than the first.
    if (widthAt(left) < patchPixelsMin || heightAt(top) < patchPixelsMin) continue;
    for (let y = top; y < bottom; y += viewport.height)
      for (let x = left; x < right; x += viewport.width)
        if (widthAt(x) >= patchPixelsMin && heightAt(y) >= patchPixelsMin) yield { x, y, width: widthAt(x), height: heightAt(y) };
  }
}
