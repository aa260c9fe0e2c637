/** Ends scrolling, and shows content that scripts move or page through on wheel events, on pages that seem to do so. */

import { hasLostHeader, scrollUp } from "../in-page/lost-headers.ts";
import { pageSize } from "../in-page/page-size.ts";
import { findStacked } from "../in-page/stacked.ts";
import { clipsContent, findUnreachable } from "../in-page/unreachable.ts";
import type { Work } from "../option-group.ts";
import { listensToWheel } from "./listeners.ts";

/** Maximum height of a page that shows its parts one at a time, in viewports. */
const partsMax = 1.25;
/** Time limit for transitions and animations at the beginning. */
const restMs = 1_000;
/** Time limit for bringing back a header. */
const headerMs = 3_000;

const onlyBeginning =
  "scripts seem to move the page's content on wheel events instead of scrolling it: the screenshot shows only its beginning; with viewport_device many such pages scroll normally";

/** Shows content that a script moves in a document that can't scroll. Call it again once the page `isReady`: the script may start late. */
export async function showMoved(work: Work, isReady = false): Promise<void> {
  if (!work.shot.hidContent || !(await work.tab.evaluate(findUnreachable))) return;
  const { showByWheel } = await import("./wheel.ts"); // loaded on demand, since few pages are like this
  await showByWheel(work, isReady);
}

/** Ends a scroll through the page: brings back a header that it has hidden, and shows what only the wheel shows. */
export async function endScrolling(work: Work): Promise<void> {
  const { tab } = work;
  if (await tab.evaluate(hasLostHeader)) await tab.within(headerMs, tab.waitFor(scrollUp));
  await showMoved(work);
  await showParts(work);
}

/** Shows parts of the window's size if a script pages through them on wheel events. */
async function showParts(work: Work): Promise<void> {
  const { tab, shot, readiness, warn } = work;
  if (readiness.isInert()) return;
  const heightMax = shot.viewport.height * partsMax;
  // Unlike the page's size, the height down to which it was scrolled includes parts that transforms have moved out of a locked document.
  if ((shot.scrolledHeight ?? 0) >= heightMax && (await tab.evaluate(pageSize)).height >= heightMax) return;
  if (!(await listensToWheel(tab))) return;
  await readiness.untilStill(restMs, true); // the first part may be coming into view
  if (!(await tab.evaluate(findStacked))) return void ((await tab.evaluate(clipsContent)) && warn(onlyBeginning));
  const { showStacked } = await import("./wheel.ts");
  await showStacked(work);
}
