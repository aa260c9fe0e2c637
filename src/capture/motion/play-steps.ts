/** Performs the caller's steps during a recording. */

import { AppError, wrongParameter } from "../../shared/errors.ts";
import type { Work } from "../option-group.ts";
import type { PageClock } from "../page-clock.ts";
import { isShown, runStep, type Step } from "../steps.ts";

/** How long an action waits for its element to become visible, in page time. */
const patienceMs = 3_000;

export interface StepPlayer {
  /** Performs the steps due by `to`, each at its exact page time. A step whose element isn't visible yet is retried on each call. */
  playUntil(to: number): Promise<void>;
  /** @throws {AppError} `selector_not_found` if a step was not performed because its element was not visible. */
  assertPlayed(): void;
}

/**
 * The first step is due at the current page time, and each later step once the previous one has been performed. Waits in seconds are
 * exact; elements are looked up once per frame.
 */
export function createStepPlayer(work: Work, clock: PageClock, steps: readonly Step[]): StepPlayer {
  const left = [...steps];
  let dueAt = clock.now();
  let isWaiting = false; // whether the next step was due, but its element was not visible
  const perform = async (step: Step, at: number): Promise<boolean> => {
    const element = elementOf(step);
    await clock.advanceTo(at);
    const mayWait = step.wait !== undefined || at - dueAt < patienceMs;
    if (element !== undefined && mayWait && !(await isShown(work, element))) return false;
    if (step.wait === undefined) await performOnPage(work, step);
    return true;
  };
  return {
    playUntil: async (to) => {
      for (let step = left[0]; step && dueAt <= to; step = left[0]) {
        if (typeof step.wait === "number") dueAt += Math.round(step.wait * 1000);
        else {
          const at = isWaiting ? to : dueAt;
          isWaiting = !(await perform(step, at));
          if (isWaiting) return;
          dueAt = at;
        }
        left.shift();
      }
    },
    assertPlayed: () => {
      if (!isWaiting || !left[0]) return;
      const message = `The recording ended before an element that matches the selector ${elementOf(left[0])} in steps was visible.`;
      throw new AppError("selector_not_found", { message });
    },
  };
}

/** A recording shows a single document, so its steps must not leave it. */
async function performOnPage(work: Work, step: Step): Promise<void> {
  let hasLeft = false;
  work.lifecycle.replaced().then(
    () => {
      hasLeft = true;
    },
    () => {}, // reported by the next call
  );
  await runStep(work, step);
  if (hasLeft) throw leadsAway();
}

export const leadsAway = () =>
  wrongParameter("steps", "lead to another page, but a recording shows only one", "steps that stay on the page");

function elementOf({ text: _, press, ...step }: Step): string | undefined {
  return Object.values(step).find((value) => typeof value === "string");
}
