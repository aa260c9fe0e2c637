/** Scrolls by wheel: slowly to the bottom, then back up in stops at which a band of the viewport is captured. */

import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "puppeteer-core";
import { hideFixed } from "./fixed.ts";
import { atRest, type Scroller } from "./scroller.ts";
import { calm, still } from "./still.ts";
import { join, part, type Strip, type Visit } from "./strips.ts";

export interface Band {
  /** Pixels from the top of the viewport. */
  top: number;
  height: number;
}

const downMaxPx = 60_000;
const bottomRestMs = 1_500;
/** The end is reached after this many wheel events without effect. */
const turnsMax = 20;

/**
 * Scrolls to the bottom, and continues while the content grows.
 * @throws {Error} if the end is never reached.
 */
export async function scrollDown(page: Page, scroller: Scroller, stepPx: number): Promise<void> {
  let last = -1;
  for (let wheeled = 0, stuck = 0; wheeled < downMaxPx; wheeled += stepPx) {
    await scroller.wheel(stepPx);
    const { y, height, view } = await scroller.read();
    stuck = y === last ? stuck + 1 : 0;
    last = y;
    if (y + view.height < height - 1 && stuck < turnsMax) continue;
    await pause(bottomRestMs);
    await calm(page);
    if (stuck >= turnsMax || (await isAtEnd(scroller))) return;
  }
  throw new Error(`its end was not reached by ${downMaxPx} pixels of wheel`);
}

async function isAtEnd(scroller: Scroller): Promise<boolean> {
  const { y, height, view } = await scroller.read();
  return y + view.height >= height - 1;
}

/**
 * Captures a band at each stop from bottom to top. Rows are counted from the end of the content, because content above the viewport may
 * change its height: a header that shrinks on scroll is large again at the top.
 * @throws {Error} if the page can't be scrolled so that every row is visible.
 */
export async function scrollUp(page: Page, scroller: Scroller, band: Band, stepPx: number): Promise<Visit> {
  const { view } = await scroller.read();
  const strips: Strip[] = [];
  await hideFixed(page, true);
  for (let next = 0, isTop = false; !isTop; ) {
    isTop = (await atRest(scroller)).y <= 0;
    if (isTop) await hideFixed(page, false);
    const { shots } = await still(page);
    const { y, height, end } = await scroller.read();
    const windowTop = y - end;
    if (strips.length === 0) next = Math.min(height - end, windowTop + view.height); // fractions of pixels are rounded both ways
    const from = isTop ? windowTop : Math.min(next, windowTop + band.top);
    if (next > windowTop + view.height) throw new Error(`rows ${windowTop + view.height} to ${next} from the end were passed over`);
    const cut = { x: view.x, y: view.y + from - windowTop, width: view.width, height: Math.max(0, next - from) };
    strips.push({ from, height: cut.height, shots: shots.map((shot) => part(shot, cut)) });
    next = Math.min(next, from);
    if (!isTop) await wheelUp(scroller, Math.max(0, next + end - band.top - band.height), stepPx);
  }
  return join(strips, view.width);
}

async function wheelUp(scroller: Scroller, target: number, stepPx: number): Promise<void> {
  let { y } = await scroller.read();
  for (let stuck = 0; y > target; ) {
    await scroller.wheel(-Math.min(stepPx, y - target));
    const now = (await atRest(scroller)).y;
    stuck = now < y ? 0 : stuck + 1;
    if (stuck > turnsMax) throw new Error(`it can't be scrolled up from ${y}`);
    y = now;
  }
}
