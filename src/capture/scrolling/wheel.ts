/** Shows the content of a document that doesn't scroll, and that a script moves on wheel events instead. */

import { noteRevealed } from "../in-page/reveals.ts";
import { keepLooks, notePart, partInView, placeStacked, stayHere } from "../in-page/stacked.ts";
import { endTurns, notePositions, scrollBack, scrollOn, watchTurns } from "../in-page/turned.ts";
import { findIncomplete, findUnreachable, showUnreachable, turnWheel } from "../in-page/unreachable.ts";
import type { Work } from "../option-group.ts";
import { listensToWheel } from "./listeners.ts";
import { passMs } from "./stops.ts";

/** Interval and maximum number of checks for wheel listeners on a ready page, because scripts may start a second or two after loading. */
const [lookEveryMs, looksMax] = [150, 10];
/** Maximum share of the capture's remaining time for that. */
const lateShare = 0.1;

/** Pause after each turn: long enough for a script that follows the wheel smoothly to have moved most of the way. */
const turnMs = 150;
/** Time limits for all turns down, the larger of which applies: a busy machine takes longer for each. The way back takes as long. */
const [turnsMs, turnsShare] = [6_000, 0.25];
/** Maximum share of the capture's remaining time for either. */
const mostShare = 0.35;
/** The content should move by this share of the viewport per turn, so that everything is in view at some time. */
const movedShare = 0.6;
/** After this many turns without effect, the end is reached. */
const stillMax = 4;
/** Time for the page to come to rest at the top. */
const restMs = 2_500;

const movedByWheel =
  "scripts move the page's content instead of scrolling it: parts that appear only as it moves are missing or out of place; with viewport_device many such pages scroll normally";

const onePart =
  "the page shows one of several parts at a time, and the screenshot only the one that was in view: steps, or the fragment of a part's URL, can show another";
const turned = "scripts changed the page as a turn of the wheel was tried, and not all of it could be put back";
const someParts = "the page shows one of several parts at a time, as the wheel turns: parts that the wheel didn't show are missing";

/**
 * Shows large parts of such a document that `findUnreachable` has found, if a script listens to the wheel. If content in them appears only
 * as a script moves it, turns the wheel down to the end and up again, then puts displaced content in its place. Warns of content that is
 * still hidden.
 * @param waits whether to wait for a script that starts late.
 */
export async function showByWheel(work: Work, waits: boolean): Promise<void> {
  const { tab, warn } = work;
  if (!(await listensToWheel(tab)) && !(waits && (await startsToListen(work)))) return;
  await tab.evaluate(showUnreachable);
  const { hides, displaces } = await tab.evaluate(findIncomplete, false);
  if (!hides && !displaces) return;
  const isBack = await turnThrough(work);
  const left = await tab.evaluate(findIncomplete, true);
  if (left.hides || !isBack) warn(movedByWheel);
}

/** Waits for a wheel listener, and then looks again for parts to show, because the script that has just started may have hidden more. */
async function startsToListen({ tab, readiness, deadlineAt }: Work): Promise<boolean> {
  const until = performance.now() + (deadlineAt - performance.now()) * lateShare;
  for (let looks = 0; looks < looksMax && performance.now() < until; looks += 1) {
    await (readiness.clock()?.run(lookEveryMs) ?? tab.pause(lookEveryMs));
    if (await listensToWheel(tab)) return await tab.evaluate(findUnreachable);
  }
  return false;
}

/** Resolves to whether the page is at its top again. */
async function turnThrough({ tab, shot, deadlineAt, readiness }: Work): Promise<boolean> {
  const { height } = shot.viewport;
  const left = deadlineAt - performance.now();
  const ms = Math.min(left * mostShare, Math.max(turnsMs, left * turnsShare));
  const wanted = height * movedShare;
  let delta = wanted;
  const downUntil = performance.now() + ms;
  for (let still = 0; still < stillMax && performance.now() < downUntil; ) {
    const { moved, hasChanged } = await tab.waitFor(turnWheel, delta, turnMs);
    shot.changesOnScroll = await tab.evaluate(noteRevealed, false);
    still = hasChanged ? 0 : still + 1;
    if (moved > 0) delta = Math.min(4 * height, Math.max(delta / 2, Math.min(2 * delta, (delta * wanted) / moved)));
  }
  const upUntil = performance.now() + ms;
  for (let still = 0; still < stillMax && performance.now() < upUntil; ) {
    const { hasChanged } = await tab.waitFor(turnWheel, -4 * delta, turnMs);
    still = hasChanged ? 0 : still + 1;
  }
  await readiness.untilStill(restMs, true);
  return (await tab.waitFor(turnWheel, -delta, 0)).isAtStart;
}

/** A notch of an ordinary mouse wheel, in CSS pixels. */
const notchPx = 120;
/** Wait for another part after a turn, number of turns before the end is reached, and time for the part's content to appear. */
const [nextMs, turnsMax, appearMs] = [600, 4, 700];
/** Maximum share of the capture's remaining time for all parts. */
const partsShare = 0.5;

/**
 * Shows the parts that `findStacked` has found: turns the wheel until each has been on top, so that its content appears, and places them one
 * below another. If the wheel shows no other part, turns it back, puts the document back as
 * it was and warns, unless the wheel only scrolls. What it has scrolled is scrolled back.
 */
export async function showStacked(work: Work): Promise<void> {
  const { tab, deadlineAt, readiness, warn } = work;
  const until = performance.now() + (deadlineAt - performance.now()) * partsShare;
  const seen: number[] = [];
  let [turns, scrolls] = [0, false];
  await tab.evaluate(stayHere, true);
  await tab.evaluate(watchTurns);
  let { part, count } = await tab.waitFor(partInView, -1, 0);
  while (part !== -1 && !seen.includes(part) && performance.now() < until) {
    const now = part;
    seen.push(now);
    await readiness.untilStill(appearMs, true);
    await tab.evaluate(notePart, now);
    await tab.evaluate(notePositions, now);
    ({ count } = await tab.waitFor(partInView, -1, 0));
    // Many scripts ignore the wheel for a second after each change; before the first, once shows whether they page through the parts.
    let triesMax = seen.length === 1 ? 1 : turnsMax;
    for (let tries = 0; tries < triesMax && part === now && seen.length < count; tries += 1) {
      turns += 1;
      await turn(work, notchPx);
      ({ part } = await tab.waitFor(partInView, now, nextMs));
      if (part !== now || !(await tab.evaluate(scrollOn))) continue;
      if (!scrolls) triesMax += 1;
      scrolls = true;
    }
  }
  if (seen.length > 1) {
    await tab.evaluate(endTurns, false);
    await tab.evaluate(scrollBack);
    const isWhole = await tab.evaluate(placeStacked, seen);
    await tab.evaluate(keepLooks);
    if (!isWhole) warn(someParts);
  } else {
    for (; turns > 0; turns -= 1) await turn(work, -notchPx);
    await readiness.untilStill(appearMs, true);
    await tab.evaluate(scrollBack);
    if (!(await tab.evaluate(endTurns, true))) warn(turned);
    if (!scrolls) warn(onePart);
  }
  await tab.evaluate(stayHere, false);
}

/** Unlike an event that a script dispatches, this one also reaches listeners for `mousewheel`. */
async function turn({ tab, shot: { viewport } }: Work, deltaY: number): Promise<void> {
  const [x, y] = [viewport.width / 2, viewport.height / 2];
  // Long enough for a busy page: one that scrolled only later would do so after everything has been scrolled back.
  await tab.within(passMs, tab.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY }));
}
