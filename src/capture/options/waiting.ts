/** When the page is ready for its picture. */

import { z } from "zod";
import { AppError } from "../../errors.ts";
import { fetchTripwire } from "../fetches.ts";
import { untilVisible } from "../in-page/elements.ts";
import { optionGroup, type Work } from "../option-group.ts";

const moments = ["auto", "load", "domcontentloaded", "networkidle0", "networkidle2"] as const;

export const waiting = optionGroup({
  title: "Waiting",
  intro: "When the page is ready for its picture. All waits together end with `timeout`.",
  example: { wait_for_selector: "h1", delay: "0.5" },
  parameters: (limits) => ({
    wait_until: z.array(z.enum(moments)).min(1).max(moments.length).default(["auto"]).meta({
      description:
        "What the capture waits for, all of it. `auto` is when the page looks as it will: it has loaded, nothing that changes it is on its way, its fonts and the images in view are there, and its layout is still; a page that keeps talking doesn't hold it up. `load` and `domcontentloaded` are the page's own events; `networkidle0` and `networkidle2` are half a second with no or at most two connections.",
    }),
    wait_until_timeout: z.number().min(0).max(30).default(5).meta({
      unit: "seconds",
      description:
        "Seconds after which `auto`, `networkidle0` and `networkidle2` give up and the picture is taken as the page is, with a warning. After `scripts` and `click` the page may take as long again.",
    }),
    wait_for_selector: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({ description: "CSS selector of an element that must be visible before the picture is taken.", examples: ["#chart.ready"] }),
    delay: z
      .number()
      .min(0)
      .max(30)
      .default(0)
      .meta({ unit: "seconds", description: "Seconds to wait once the page is ready.", examples: [1.5] }),
    timeout: z
      .number()
      .min(1)
      .max(90)
      .default(limits.timeoutMaxSeconds)
      .overwrite((seconds) => Math.min(seconds, limits.timeoutMaxSeconds))
      .meta({
        identity: false,
        unit: "seconds",
        description: `Seconds that the whole capture may take, waiting for a browser included; more than ${limits.timeoutMaxSeconds} count as ${limits.timeoutMaxSeconds}.`,
      }),
  }),
  requests: ({ wait_until }) => (wait_until.includes("auto") ? fetchTripwire : undefined),
  beforeNavigation: ({ wait_until }, { readiness }) => {
    if (wait_until.includes("auto")) readiness.followFetches();
    return undefined;
  },
  afterNavigation: async ({ wait_until, wait_until_timeout }, work) => {
    const { tab, lifecycle, readiness } = work;
    if (wait_until.includes("domcontentloaded")) await insistOn("DOMContentLoaded", work);
    if (wait_until.includes("load")) await insistOn("load", work);
    const idle: Promise<unknown>[] = [];
    if (wait_until.includes("networkidle0")) idle.push(lifecycle.reached("networkIdle"));
    if (wait_until.includes("networkidle2")) idle.push(lifecycle.reached("networkAlmostIdle"));
    const ms = wait_until_timeout * 1000;
    if (wait_until.includes("auto")) await softly(readiness.within(ms, Promise.all(idle)), wait_until_timeout, work);
    else if (idle.length > 0) await softly(tab.within(ms, Promise.all(idle)), wait_until_timeout, work);
  },
  afterReady: async ({ wait_until_timeout, wait_for_selector, delay }, work) => {
    const { tab, readiness } = work;
    if (readiness.needsRecheck()) await softly(readiness.within(wait_until_timeout * 1000), wait_until_timeout, work);
    if (wait_for_selector) await visible(work, wait_for_selector);
    if (delay > 0) await tab.within(delay * 1000, new Promise(() => {}));
    if (wait_for_selector || delay > 0) readiness.invalidate();
  },
});

async function softly(inTime: Promise<boolean>, seconds: number, { readiness, warn }: Work): Promise<void> {
  if (await inTime) return;
  readiness.markTimedOut();
  warn(`the page was not ready after ${seconds} s and was captured as it was`);
}

async function insistOn(moment: "DOMContentLoaded" | "load", { tab, lifecycle, limits }: Work): Promise<void> {
  if (await tab.within(limits.pageLoadTimeoutMs, lifecycle.reached(moment))) return;
  throw new AppError("target_timeout", {
    message: `The page's ${moment} event did not come in time; wait_until=auto doesn't insist on it.`,
  });
}

/** Waits until an element is visible; the capture's deadline ends the wait. */
async function visible({ tab }: Work, selector: string): Promise<void> {
  const found = await tab.waitFor(untilVisible, selector);
  if (found === "invalid")
    throw new AppError("invalid_parameters", {
      details: [
        {
          parameter: "wait_for_selector",
          message: `wait_for_selector is ${JSON.stringify(selector)}, which is not a CSS selector`,
          allowed: "a CSS selector",
        },
      ],
    });
}
