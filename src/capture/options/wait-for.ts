/** Waits until matching elements, such as a spinner, have disappeared, or until the page has dispatched an event. */

import { z } from "zod";
import { inOwnWorld, ownWorld } from "../../browser/own-world.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { findElement } from "../in-page/elements.ts";
import { waitUntil } from "../loading/wait-until.ts";
import { optionGroup } from "../option-group.ts";

export const waitForHidden = optionGroup({
  title: "Waiting for something to disappear",
  onlyIfSet: true,
  intro: "Elements that must disappear before the waits below begin.",
  example: { wait_for_hidden: ".spinner" },
  parameters: () => ({
    wait_for_hidden: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({
        output: "load",
        description: "CSS selector of elements that must be hidden or removed before the capture: no matching element may be visible.",
        examples: [".spinner"],
      }),
  }),
  afterReady: async ({ wait_for_hidden: selector }, work) => {
    if (selector === undefined) return;
    work.waitsFor = `the elements that match wait_for_hidden=${selector} to be hidden`;
    await waitUntil(work, async () => {
      const found = await work.tab.evaluate(findElement, selector, {});
      if (found === "invalid")
        throw wrongParameter("wait_for_hidden", `is ${JSON.stringify(selector)}, which is not a CSS selector`, "a CSS selector");
      return !found;
    });
    work.recorder?.step("no visible element matched wait_for_hidden");
  },
});

/** This group's options, and those of other groups that it reads. */
interface EventOptions {
  wait_for_event?: string | undefined;
  wait_for_event_timeout?: number | undefined;
  on_timeout?: string;
  javascript?: boolean;
}

interface World {
  /** Listens for the awaited event. */
  noteEvent?: (event: Event) => void;
  /** Whether the awaited event has been dispatched in this document. */
  eventHappened?: boolean;
}

export const waitForEvent = optionGroup({
  title: "Waiting for an event",
  onlyIfSet: ["wait_for_event"],
  intro: "An event that the page must dispatch before the waits below begin.",
  example: { wait_for_event: "chart-drawn" },
  parameters: () => ({
    wait_for_event: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .meta({
        output: "load",
        description:
          "Type of an event that must have been dispatched on the document or the window, or have reached them from an element, before the capture. Events since the document began to load count.",
        examples: ["chart-drawn"],
      }),
    wait_for_event_timeout: z
      .number()
      .min(0)
      .max(90)
      .optional()
      .meta({
        output: "load",
        unit: "seconds",
        description:
          "Seconds after which the wait for `wait_for_event` ends: with the error `target_timeout` or, with `on_timeout=partial`, with a warning. If unset, only `timeout` limits it.",
        examples: [5],
      }),
  }),
  conflicts: ({ wait_for_event: type, wait_for_event_timeout: seconds, javascript }: EventOptions) => {
    if (type === undefined)
      return seconds === undefined ? [] : [{ parameter: "wait_for_event", message: "is required with wait_for_event_timeout" }];
    if (javascript !== false) return [];
    return [{ parameter: "wait_for_event", message: "can't be combined with javascript=false: no script could dispatch an event" }];
  },
  beforeNavigation: async ({ wait_for_event: type }, { tab }) => {
    if (type === undefined) return;
    const source = `(${inOwnWorld(`${noteEvent}`)})(${JSON.stringify(type)})`;
    await tab.send("Page.addScriptToEvaluateOnNewDocument", { source, worldName: ownWorld });
  },
  afterReady: async ({ wait_for_event: type, wait_for_event_timeout: seconds, on_timeout }: EventOptions, work) => {
    if (type === undefined) return;
    work.waitsFor = `the event ${JSON.stringify(type)}`;
    const since = performance.now();
    let isLate = false;
    await waitUntil(work, async () => {
      if (await work.tab.evaluate(hasHappened, type)) return true;
      isLate = seconds !== undefined && performance.now() - since >= seconds * 1000;
      return isLate;
    });
    if (!isLate) return work.recorder?.step("the event of wait_for_event was dispatched");
    if (on_timeout !== "partial")
      throw new AppError("target_timeout", { message: `The target was not ready in time. Timed out waiting for ${work.waitsFor}.` });
    work.warn(`${work.waitsFor} was not dispatched within wait_for_event_timeout=${seconds}`);
  },
});

/** Notes an event whose target is the document or the window, or that bubbles to it. Runs before the document's own scripts. */
function noteEvent(type: string): void {
  const world = globalThis.tintypeOwn as World;
  const note = ({ target, bubbles }: Event) => {
    if (!bubbles && target !== document && target !== window) return;
    world.eventHappened = true;
    removeEventListener(type, note, true); // a page may dispatch millions
  };
  world.noteEvent = note;
  addEventListener(type, note, true); // also of events whose propagation the page stops
}

function hasHappened(type: string): boolean {
  const world = globalThis.tintypeOwn as World;
  if (world.eventHappened) return true;
  // While scripts are disabled, which they are in HTML that has none, listeners aren't called.
  const { readyState } = document;
  if (readyState === "complete" && /^(DOMContentLoaded|load|pageshow|readystatechange)$/.test(type)) return true;
  if (world.noteEvent) addEventListener(type, world.noteEvent, true); // unless it is still there: `document.open` removes all listeners
  return false;
}
