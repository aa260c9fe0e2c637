/** Captures the viewport once it is stable. */

import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "puppeteer-core";
import { decode, type Image } from "../images.ts";

const pauseMs = 200;
const shotsMax = 15;
/** Number of captures of an unstable viewport, from which moving content is detected. */
const comparedShots = 6;

/** @returns one capture if two consecutive ones are equal; otherwise, the last few. */
export async function still(page: Page): Promise<{ image: Image; shots: Image[] }> {
  await page.mouse.move(-1, -1); // at the position of the wheel, something may be hovered over
  const shoot = async () => Buffer.from(await page.screenshot({ captureBeyondViewport: false, optimizeForSpeed: true }));
  const taken = [await shoot()];
  while (taken.length < shotsMax) {
    await pause(pauseMs);
    const now = await shoot();
    if (taken.at(-1)?.equals(now)) taken.length = 0;
    taken.push(now);
    if (taken.length === 1) break;
  }
  const shots = await Promise.all(taken.slice(-comparedShots).map(decode));
  const image = shots.at(-1);
  if (!image) throw new Error("unreachable: there is a shot");
  return { image, shots };
}

/** Waits until nothing is loading, for at most ten seconds. */
export async function calm(page: Page): Promise<void> {
  await page.waitForNetworkIdle({ idleTime: 500, timeout: 10_000 }).catch(() => {});
}
