/** When the page is ready for its picture. */

import { z } from "zod";
import { AppError } from "../../errors.ts";
import { optionGroup, type Work } from "../option-group.ts";

const moments = ["auto", "load", "domcontentloaded", "networkidle0", "networkidle2"] as const;

export const waiting = optionGroup({
  title: "Waiting",
  intro: "When the page is ready for its picture. All waits together end with `timeout`.",
  example: { wait_for_selector: "h1", delay: "0.5" },
  parameters: (limits) => ({
    wait_until: z.array(z.enum(moments)).min(1).max(moments.length).default(["auto"]).meta({
      description:
        "What the capture waits for, all of it: `load` and `domcontentloaded` are the page's own events, `networkidle0` and `networkidle2` half a second with no or at most two connections, `auto` the load event, fonts and the images in view, each for a bounded time.",
    }),
    wait_until_timeout: z.number().min(0).max(30).default(5).meta({
      description:
        "Seconds after which `auto`, `networkidle0` and `networkidle2` give up and the picture is taken as the page is, with a warning.",
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
      .meta({ description: "Seconds to wait once the page is ready.", examples: [1.5] }),
    timeout: z
      .number()
      .min(1)
      .max(90)
      .default(limits.timeoutMaxSeconds)
      .overwrite((seconds) => Math.min(seconds, limits.timeoutMaxSeconds))
      .meta({
        identity: false,
        description: `Seconds that the whole capture may take, waiting for a browser included; more than ${limits.timeoutMaxSeconds} count as ${limits.timeoutMaxSeconds}.`,
      }),
  }),
  afterNavigation: async ({ wait_until, wait_until_timeout, wait_for_selector, delay }, work) => {
    const { tab, lifecycle } = work;
    if (wait_until.includes("domcontentloaded")) await insistOn("DOMContentLoaded", work);
    if (wait_until.includes("load")) await insistOn("load", work);
    const soft: Promise<unknown>[] = [];
    if (wait_until.includes("auto")) soft.push(tab.waitFor(visuallyReady));
    if (wait_until.includes("networkidle0")) soft.push(lifecycle.reached("networkIdle"));
    if (wait_until.includes("networkidle2")) soft.push(lifecycle.reached("networkAlmostIdle"));
    if (soft.length > 0) {
      const ready = await tab.within(wait_until_timeout * 1000, Promise.all(soft));
      if (!ready) work.warn(`the page was not ${wait_until.join(" and ")} after ${wait_until_timeout} s and was captured as it was`);
    }
    if (wait_for_selector) await visible(work, wait_for_selector);
    if (delay > 0) await tab.within(delay * 1000, new Promise(() => {}));
  },
});

async function insistOn(moment: "DOMContentLoaded" | "load", { tab, lifecycle, limits }: Work): Promise<void> {
  if (await tab.within(limits.pageLoadTimeoutMs, lifecycle.reached(moment))) return;
  throw new AppError("target_timeout", {
    message: `The page's ${moment} event did not come in time; wait_until=auto doesn't insist on it.`,
  });
}

/** Runs in the page: it has loaded, fonts are there, and what images are in view have been decoded. */
async function visuallyReady(): Promise<void> {
  if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", resolve, { once: true }));
  await document.fonts.ready;
  const inView = [...document.images].filter((image) => {
    const { top, bottom, left, right } = image.getBoundingClientRect();
    return top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
  });
  await Promise.all(inView.map((image) => image.decode().catch(() => {}))); // a broken image is as ready as it gets
}

/** Waits until an element is visible; the capture's deadline ends the wait. */
async function visible({ tab }: Work, selector: string): Promise<void> {
  const found = await tab.waitFor(async (css: string) => {
    try {
      document.querySelector(css);
    } catch {
      return "invalid";
    }
    const isVisible = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
    while (![...document.querySelectorAll(css)].some(isVisible)) await new Promise((resolve) => setTimeout(resolve, 50));
    return "visible";
  }, selector);
  if (found === "invalid")
    throw new AppError("invalid_parameters", {
      details: [{ parameter: "wait_for_selector", message: "wait_for_selector is not a CSS selector", allowed: "a CSS selector" }],
    });
}
