/** Has a browser draw that draws only when it is asked to: so pictures don't wait for a screen's clock, and idle tabs cost nothing. */

import type { CDPSession } from "puppeteer-core";

export interface Frames {
  /** While `work` runs, frames come as often as a screen shows them, whether or not anything changes. */
  follow<T>(work: Promise<T>): Promise<T>;
  /** While `work` runs, one frame comes right after the other. */
  hurry<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

/** Sixty frames a second, as on a screen: pages move, count and load by them. */
const frameMs = 16;
/** A page that hasn't changed with the last frame is looked at less often. */
const restMs = 50;
/** A frame waits for the page's scripts; one that a page was replaced under has no answer. */
const lostAfterMs = 1_000;
/** While a picture is on its way, but the page has nothing new or is not done with the frame before. */
const idleMs = 2;

/** Draws the frames of one tab until `stop`. Never throws: a tab that is gone draws none, and whoever uses it is told so. */
export function drawFrames(session: CDPSession): Frames {
  let over = false;
  let followed = 0;
  let hurried = 0;
  let wake = () => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const draw = async () => {
    const drawn = session.send("HeadlessExperimental.beginFrame", {}).then(
      ({ hasDamage }) => (hasDamage ? "changed" : "same"),
      () => "busy",
    );
    const lost = Promise.withResolvers<string>();
    const timer = setTimeout(lost.resolve, lostAfterMs, "busy");
    const word = await Promise.race([drawn, lost.promise]);
    clearTimeout(timer);
    return word;
  };
  const run = async () => {
    let last = "changed";
    while (!over) {
      if (hurried === 0) await pause(last === "changed" || followed > 0 ? frameMs : restMs);
      else if (last !== "changed") await pause(idleMs);
      if (!over) last = await draw();
    }
  };
  void run();

  return {
    follow: async (work) => {
      followed += 1;
      try {
        return await work;
      } finally {
        followed -= 1;
      }
    },
    hurry: async (work) => {
      hurried += 1;
      wake();
      try {
        return await work;
      } finally {
        hurried -= 1;
      }
    },
    stop: () => {
      over = true;
      wake();
    },
  };
}
