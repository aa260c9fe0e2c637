/** Decides when the page is ready to be captured. */

import { z } from "zod";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { findElement } from "../in-page/elements.ts";
import { dropLateSheets } from "../in-page/late-sheets.ts";
import { fetchTripwire } from "../loading/fetches.ts";
import { reportNetworkIdle } from "../loading/main-frame.ts";
import { withoutQuery } from "../loading/traffic.ts";
import { optionGroup, type Work } from "../option-group.ts";

const moments = ["auto", "load", "domcontentloaded", "networkidle0", "networkidle2"] as const;

export const waiting = optionGroup({
  title: "Waiting",
  intro: "When to capture the page. `timeout` limits the sum of all waits.",
  example: { wait_for_selector: "h1", delay: "0.5" },
  parameters: (limits) => ({
    wait_until: z.array(z.enum(moments)).min(1).max(moments.length).default(["auto"]).meta({
      output: "load",
      description:
        "Events to wait for. If several are given, waits for all of them. `auto` waits until the page is visually complete: it has loaded, no pending request is about to change it, its fonts and the images in view have loaded, and its layout is stable. It also waits up to 2 seconds after the load event for charts, counters and typing animations that scripts are drawing, for preloaders and skeletons, and for content that the page marks as loading, and up to 1 second for empty elements that scripts may fill. Refreshes by a `meta` element or a header, with a delay of up to 2 seconds, are followed. Background traffic, such as polling, doesn't delay the capture. `load` and `domcontentloaded` are the page's events; `networkidle0` waits for half a second without connections, `networkidle2` for half a second with at most two.",
    }),
    wait_until_timeout: z.number().min(0).max(30).default(5).meta({
      output: "load",
      unit: "seconds",
      description:
        "Seconds after which `auto`, `networkidle0` and `networkidle2` stop waiting and the page is captured in its current state, with a warning. `styles`, `scripts`, `click`, `steps`, `wait_for_hidden`, `wait_for_function` and `wait_for_event` restart this wait.",
    }),
    wait_for_selector: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({
        output: "load",
        description: "CSS selector of an element that must become visible before the capture.",
        examples: ["#chart.ready"],
      }),
    delay: z
      .number()
      .min(0)
      .max(30)
      .default(0)
      .meta({ output: "load", unit: "seconds", description: "Additional seconds to wait once the page is ready.", examples: [1.5] }),
    timeout: z
      .number()
      .min(1)
      .max(90)
      .default(limits.timeoutMaxSeconds)
      .overwrite((seconds) => Math.min(seconds, limits.timeoutMaxSeconds))
      .meta({
        output: "shared",
        identity: false,
        unit: "seconds",
        description: `Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above ${limits.timeoutMaxSeconds} are treated as ${limits.timeoutMaxSeconds}, with a warning.`,
      }),
    on_timeout: z
      .enum(["error", "partial"])
      .default("error")
      .meta({
        output: "none",
        identity: false,
        description:
          "What to return once `timeout` is reached: the error `target_timeout`, or a `partial` screenshot of what the page shows by then, with the verdict `partial` and a warning. A partial screenshot counts against the quota and is never cached. If the page doesn't show anything yet, the error is returned anyway.",
        examples: ["partial"],
      }),
  }),
  requests: ({ wait_until }) => (wait_until.includes("auto") ? fetchTripwire : undefined),
  beforeNavigation: ({ wait_until }, { tab, readiness }) => {
    if (wait_until.includes("auto")) readiness.followFetches();
    return wait_until.some((moment) => moment.startsWith("networkidle")) ? reportNetworkIdle(tab) : undefined;
  },
  afterNavigation: async ({ wait_until, wait_until_timeout }, work) => {
    const { tab, lifecycle, readiness } = work;
    if (wait_until.includes("domcontentloaded")) await requireEvent("DOMContentLoaded", work);
    if (wait_until.includes("load")) await requireEvent("load", work);
    const idle: Promise<unknown>[] = [];
    if (wait_until.includes("networkidle0")) idle.push(lifecycle.reached("networkIdle"));
    if (wait_until.includes("networkidle2")) idle.push(lifecycle.reached("networkAlmostIdle"));
    const ms = wait_until_timeout * 1000;
    if (wait_until.includes("auto")) await waitOrWarn(readiness.within(ms, Promise.all(idle)), wait_until_timeout, work);
    else if (idle.length > 0) await waitOrWarn(tab.within(ms, Promise.all(idle)), wait_until_timeout, work);
    if (!wait_until.includes("auto")) await readiness.clock()?.runLoaded(ms);
  },
  afterReady: async ({ wait_until_timeout, wait_for_selector, delay }, work) => {
    const { tab, readiness } = work;
    if (readiness.needsRecheck()) await waitOrWarn(readiness.within(wait_until_timeout * 1000), wait_until_timeout, work);
    if (wait_for_selector) await untilVisible(work, wait_for_selector);
    if (wait_for_selector) work.recorder?.step("an element matched wait_for_selector");
    if (delay > 0) await (readiness.clock()?.run(delay * 1000) ?? tab.pause(delay * 1000));
    if (delay > 0) work.recorder?.step("the delay ended");
    if (wait_for_selector || delay > 0) readiness.invalidate();
  },
  // Typing animations start too late to be detected earlier.
  frame: async ({ wait_until }, { shot, readiness }) => {
    if (wait_until.includes("auto") && shot.isMeasured && (await readiness.untilTextIsStill())) readiness.invalidate();
  },
  duringShot: ({ wait_until }, { shot, readiness }) =>
    wait_until.includes("auto") && !shot.isMeasured ? readiness.untilTextIsStill() : undefined,
});

async function waitOrWarn(inTime: Promise<boolean>, seconds: number, { tab, lifecycle, readiness, recorder, warn }: Work): Promise<void> {
  const isReady = await inTime;
  recorder?.step(isReady ? "the page was ready" : `the page was not ready after ${seconds} s`);
  if (isReady) return;
  readiness.markTimedOut();
  const isLoaded = await tab.within(1, lifecycle.reached("load"));
  const pending = isLoaded ? "" : "; its load event was pending";
  warn(`the page was not ready after ${seconds} s and was captured in its current state${pending}${listed(await readiness.pendingUrls())}`);
  if (!(await tab.resultWithin(sheetsMs, tab.evaluate(dropLateSheets)))) return;
  recorder?.step("style sheets that had not arrived were dropped: nothing would have been drawn without them");
  await readiness.within(sheetsMs);
}

/** Time limit for dropping late style sheets, and for a page to become ready once they have been. */
const sheetsMs = 2_000;

/** Lists the first few URLs, for a warning. */
function listed(urls: string[]): string {
  const shown = urls.slice(0, 3).map((url) => withoutQuery(url).slice(0, 100));
  if (shown.length === 0) return "";
  const more = urls.length > shown.length ? ` and ${urls.length - shown.length} more` : "";
  return `; still loading: ${shown.join(", ")}${more}`;
}

async function requireEvent(moment: "DOMContentLoaded" | "load", { tab, lifecycle, limits, recorder }: Work): Promise<void> {
  if (await tab.within(limits.pageLoadTimeoutMs, lifecycle.reached(moment))) return recorder?.step(`the page's ${moment} event fired`);
  throw new AppError("target_timeout", {
    message: `The page's ${moment} event did not fire in time; wait_until=auto doesn't require it.`,
  });
}

/** Page time per attempt to find an element, with `clock`. */
const clockStepMs = 1_000;
const clockStepsMax = 30;
/** Stands in for infinity, which JSON can't express. */
const forever = Number.MAX_SAFE_INTEGER;

/** Waits until an element is visible; the capture's deadline ends the wait. */
async function untilVisible(work: Work, selector: string): Promise<void> {
  const { tab, readiness } = work;
  work.waitsFor = `an element that matches wait_for_selector=${selector}`;
  for (let attempt = 0; attempt < clockStepsMax && readiness.clock(); attempt += 1) {
    if (await tab.evaluate(findElement, selector, { orEmpty: true })) break;
    await readiness.clock()?.run(clockStepMs);
  }
  const found = await tab.waitFor(findElement, selector, { waitMs: forever, orEmpty: true });
  if (found === "invalid")
    throw wrongParameter("wait_for_selector", `is ${JSON.stringify(selector)}, which is not a CSS selector`, "a CSS selector");
}
