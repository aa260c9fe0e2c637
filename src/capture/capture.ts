/** One capture from options to pixels: the stages, in order. */

import type { BaseLogger } from "pino";
import { PageCrashed } from "../browser/chrome-words.ts";
import type { Slots } from "../browser/slots.ts";
import type { Tab } from "../browser/tab.ts";
import { AppError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { interceptRequests } from "./interception.ts";
import { followLifecycle } from "./lifecycle.ts";
import { navigate, readFacts, type TargetFacts } from "./navigate.ts";
import type { Limits, Shot, Work } from "./option-group.ts";
import { type CaptureOptions, stages } from "./options.ts";
import { type Picture, shoot } from "./shoot.ts";

export interface Capture extends Picture {
  format: Shot["format"];
  target: TargetFacts;
  warnings: string[];
  /** Milliseconds of each phase. */
  timings: { queue: number; navigate: number; wait: number; shoot: number };
}

export interface CaptureRequest {
  options: CaptureOptions;
  /** Aborts with the reason that the caller is told: deadline, client gone, shutdown. */
  signal: AbortSignal;
  /** Where the main frame may go, redirects included; everywhere unless given. */
  mayNavigate?: (url: URL) => boolean;
}

export type TakeCapture = (request: CaptureRequest) => Promise<Capture>;

/** @throws {AppError} in the caller's words, whatever went wrong in the page or on the way to it. */
export function createCapture({
  slots,
  limits,
  log,
  metrics,
}: {
  slots: Slots;
  limits: Limits;
  log: BaseLogger;
  metrics: Metrics;
}): TakeCapture {
  return async (request) => {
    if (request.options.bypass_csp) log.warn({ url: request.options.url }, "bypass_csp was used");
    const capture = await slots
      .lend(request.signal, (tab, queuedMs) => run(tab, queuedMs, request, limits))
      .catch((error) => {
        if (error instanceof PageCrashed) throw new AppError("page_crashed", { cause: error });
        throw error;
      });
    for (const [phase, ms] of Object.entries(capture.timings)) metrics.captureSeconds.observe({ phase }, ms / 1000);
    metrics.captures.inc({ format: capture.format });
    return capture;
  };
}

async function run(tab: Tab, queue: number, { options, mayNavigate }: CaptureRequest, limits: Limits): Promise<Capture> {
  const warnings = new Set<string>();
  const shot: Shot = { viewport: { width: 0, height: 0 }, scale: 1, format: "jpeg", quality: 80 };
  const work: Work = {
    tab,
    url: new URL(options.url),
    limits,
    lifecycle: followLifecycle(tab),
    shot,
    warn: (words) => void warnings.add(words),
  };

  const rules = stages.flatMap((group) => group.requests?.(options, work.url) ?? []);
  let strayed = false;
  if (mayNavigate) {
    rules.push({
      pattern: { resourceType: "Document" },
      decide: ({ url, isMainDocument }) => {
        if (!isMainDocument || mayNavigate(new URL(url))) return undefined;
        strayed = true;
        return { abort: true };
      },
    });
  }
  try {
    const started = performance.now();
    await Promise.all([interceptRequests(tab, rules), ...stages.map((group) => group.beforeNavigation?.(options, work))]);
    await navigate(work);
    const navigated = performance.now();
    for (const group of stages) await group.afterNavigation?.(options, work);
    for (const group of stages) await group.beforeShot?.(options, work);
    const ready = performance.now();
    const [picture, target] = await Promise.all([shoot(work), readFacts(work)]);
    if (strayed) throw new AppError("target_not_allowed");
    const timings = { queue, navigate: navigated - started, wait: ready - navigated, shoot: performance.now() - ready };
    return { ...picture, format: shot.format, target, warnings: [...warnings], timings };
  } catch (error) {
    throw strayed ? new AppError("target_not_allowed", { cause: error }) : error;
  }
}
