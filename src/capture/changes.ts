/** Waits until a loaded page stops changing on its own and shows the content that it announces. */

import type { Tab } from "../browser/tab.ts";
import { type Settled, textHasChanged } from "./in-page/settle.ts";
import { untilStill } from "./in-page/still.ts";
import { announcesMore, hasRoomForMore, isCoveredByItself, showsPlaceholder } from "./in-page/unfinished.ts";
import type { Fetches } from "./loading/fetches.ts";

/** `announced`: the page says that more content is coming; `room`: it has an empty area, which may be intentional. */
export type Sign = "announced" | "room";

export async function signOfMore(tab: Tab): Promise<Sign | undefined> {
  const [isAnnounced, hasRoom] = await tab.evaluateBoth(announcesMore, hasRoomForMore);
  if (isAnnounced) return "announced";
  return hasRoom ? "room" : undefined;
}

/** Maximum wait for a loaded page that keeps changing on its own. */
const changesMs = 2_000;
/** Maximum wait for an empty area that may be about to be filled. */
const roomMs = 1_000;
/** Quiet period to wait for once an empty area has been filled: a page that fills one area on a timer often fills several. */
const filledQuietMs = 600;

interface Loaded {
  fetches: Fetches | undefined;
  /** When the document loaded, as a `performance.now()` time. */
  loadedAt: number;
  /** From when it first settled: later, `hadTimers` would include this service's own timers, and `fillsLate` every change. */
  first: Pick<Settled, "hadTimers" | "fillsLate">;
  /** Sign of more content, if the page shows any. */
  sign: Sign | undefined;
}

/**
 * Waits while the page keeps changing on its own or announces more content. Resolves to true if the page has changed and become still, or
 * is fetching again.
 */
export async function untilUnchanged(tab: Tab, page: Loaded): Promise<boolean> {
  const { fetches, loadedAt, first } = page;
  const until = loadedAt + changesMs;
  const mayFill = page.sign === "room" && (first.hadTimers || fetches?.hasStreams() || (await hasConnections(tab)));
  let hasRoom = mayFill || (first.hadTimers && first.fillsLate); // the area may be filled before the first check
  for (let hasChanged = false; ; ) {
    const now = performance.now();
    if (now >= until) return fetches?.arePending() ?? false;
    const stillness = await tab.waitFor(untilStill, until - now, false);
    if (stillness === "moving") return false;
    hasChanged ||= stillness === "changed";
    if (fetches?.arePending()) return true;
    const covered = await tab.evaluateBoth(showsPlaceholder, isCoveredByItself);
    const sign = covered.includes(true) ? "announced" : await signOfMore(tab);
    const isFilled = hasRoom && sign !== "room";
    hasRoom = mayFill && sign === "room" && performance.now() < loadedAt + roomMs;
    if (isFilled) await tab.waitFor(untilStill, Math.max(0, until - performance.now()), false, filledQuietMs);
    if (isFilled) continue;
    if (sign !== "announced" && !hasRoom) return hasChanged;
    hasChanged ||= sign === "announced";
  }
}

/** If text has changed since the page was ready, waits until it stops changing. Resolves to true if any text changed. */
export async function untilTextIsStill(tab: Tab): Promise<boolean> {
  if (!(await tab.evaluate(textHasChanged))) return false;
  await tab.within(changesMs, tab.waitFor(untilStill, changesMs, false));
  return true;
}

/** Number of state observers in every Chromium document. Each socket adds one, but so does each image. */
const ownObservers = 7;

/** Whether the page has a worker, or may have a socket: either can bring new content without a fetch or timer in the page itself. */
async function hasConnections(tab: Tab): Promise<boolean> {
  await tab.send("Performance.enable");
  const { metrics } = await tab.send("Performance.getMetrics");
  await tab.send("Performance.disable");
  const count = (called: string) => metrics.find(({ name }) => name === called)?.value ?? 0;
  return count("WorkerGlobalScopes") > 0 || count("ContextLifecycleStateObservers") > ownObservers;
}
