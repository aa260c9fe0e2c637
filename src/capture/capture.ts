/** One capture from options to pixels: the stages, in order. */

import { isDeepStrictEqual } from "node:util";
import type { BaseLogger } from "pino";
import { BrowserHung, BrowserLost, isDocumentReplaced, PageCrashed, ScriptFailed } from "../browser/chromium-errors.ts";
import type { Slots } from "../browser/slots.ts";
import type { Tab } from "../browser/tab.ts";
import { AppError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { contentComes, isEmpty, lookAtBlank } from "./blank.ts";
import { explainTimeout } from "./explain-timeout.ts";
import type { Sight } from "./in-page/blank.ts";
import { type PageSignals, pageSignals } from "./in-page/page-signals.ts";
import { interceptRequests } from "./interception.ts";
import { followLifecycle, followMainFrame, type MainFrame } from "./main-frame.ts";
import { navigate, readFacts, type TargetFacts } from "./navigate.ts";
import type { Limits, Shot, Work } from "./option-group.ts";
import { type CaptureOptions, groupsFor } from "./options.ts";
import { createReadiness, type WaitEnd } from "./readiness.ts";
import { initialShot, mayBeBlank, type Picture, shoot } from "./shoot.ts";
import { assertWanted, judge, type Verdict } from "./verdict/verdict.ts";

export interface Capture extends Picture {
  format: Shot["format"];
  target: TargetFacts;
  /** What the image shows: the page, or something in its place. */
  verdict: Verdict;
  warnings: string[];
  timings: { queue: number; navigate: number; wait: number; shoot: number }; // milliseconds
  waitEnded: WaitEnd;
}

export interface CaptureRequest {
  options: CaptureOptions;
  /** Whose capture it is: browsers are shared fairly between owners. */
  owner: string;
  /** Aborts with the reason that the caller is told: deadline, client gone, shutdown. */
  signal: AbortSignal;
  /** When the request's time is over, as `performance.now()` counts; `signal` aborts then. */
  deadlineAt: number;
  /** The target is not asked for anything before this resolves; when it rejects, the capture fails with its reason. */
  permission?: Promise<unknown>;
  /** What the main frame may show, redirects on the way included; everything unless given. Frames inside the page may be of any site. */
  mayNavigate?: (url: URL) => boolean;
}

export type TakeCapture = (request: CaptureRequest) => Promise<Capture>;

interface CaptureParts {
  slots: Slots;
  limits: Limits;
  log: BaseLogger;
  metrics: Metrics;
}

/** @throws {AppError} with a public message, whatever fails in the page or on the way to it. */
export function createCapture({ slots, limits, log, metrics }: CaptureParts): TakeCapture {
  return async (request) => {
    if (request.options.bypass_csp) log.warn({ url: request.options.url }, "bypass_csp was used");
    const capture = await slots
      .lend(request, (tab, queuedMs) => run(tab, queuedMs, request, limits))
      .catch((error) => {
        if (error instanceof PageCrashed) throw new AppError("page_crashed", { cause: error });
        // It hung in two browsers one after the other: that is the page's doing.
        if (error instanceof BrowserHung) throw new AppError("target_timeout", { cause: error });
        if (error instanceof BrowserLost) throw new AppError("unavailable", { cause: error, retryAfterSeconds: 2 });
        throw error;
      });
    for (const [phase, ms] of Object.entries(capture.timings)) metrics.captureSeconds.observe({ phase }, ms / 1000);
    metrics.captures.inc({ format: capture.format });
    return capture;
  };
}

async function run(tab: Tab, queue: number, request: CaptureRequest, limits: Limits): Promise<Capture> {
  const mainFrame = followMainFrame(tab, request.mayNavigate);
  const page: Page = { ...startWork(tab, request.options, limits), mainFrame };
  explainTimeout(request.signal, page.work);
  try {
    return await Promise.race([mainFrame.forbidden, capturePage(page, queue, request)]);
  } catch (error) {
    if (!(error instanceof ScriptFailed || isDocumentReplaced(error))) throw error;
    await readFacts(page.work).catch((other) => {
      if (other instanceof AppError) throw other; // there is nothing that our scripts could work on
    });
    throw new AppError("target_timeout", { message: unstablePageMessage, cause: error });
  }
}

interface Page {
  work: Work;
  warnings: Set<string>;
  mainFrame: MainFrame;
  /** Those whose stages run. */
  groups: ReturnType<typeof groupsFor>;
}

function startWork(tab: Tab, options: CaptureOptions, limits: Limits): Omit<Page, "mainFrame"> {
  const warnings = new Set<string>();
  const work: Work = {
    tab,
    url: new URL(options.url),
    limits,
    lifecycle: followLifecycle(tab),
    readiness: createReadiness(tab, new URL(options.url)),
    agent: { ...tab.agent },
    shot: initialShot(),
    warn: (words) => void warnings.add(words),
  };
  return { work, warnings, groups: groupsFor(options) };
}

async function capturePage(page: Page, queue: number, { options, permission, deadlineAt }: CaptureRequest): Promise<Capture> {
  const { work, warnings, mainFrame, groups } = page;
  const { tab, shot } = work;
  const rules = [...groups.flatMap((group) => group.requests?.(options, work.url) ?? []), ...mainFrame.rules];
  const started = performance.now();
  await Promise.all([permission, interceptRequests(tab, rules), ...groups.map((group) => group.beforeNavigation?.(options, work))]);
  if (!isDeepStrictEqual(work.agent, tab.agent)) await tab.send("Emulation.setUserAgentOverride", work.agent);
  await navigate(work);
  const navigated = performance.now();
  for (const group of groups) await group.afterNavigation?.(options, work);
  for (const group of groups) await group.afterReady?.(options, work);
  const ready = performance.now();
  const { taken, isBlank } = await retryBlank(page, options, deadlineAt, await frameAndShoot(page, options));
  const [picture, target, signals] = taken;
  const verdict = judge({ ...signals, requested: work.url, shown: new URL(target.url), status: target.status, isBlank });
  assertWanted(verdict, options.fail_on_verdict);
  const timings = { queue, navigate: navigated - started, wait: ready - navigated, shoot: performance.now() - ready };
  return { ...picture, format: shot.format, target, verdict, warnings: [...warnings], timings, waitEnded: work.readiness.ended() };
}

type Taken = [Picture, TargetFacts, PageSignals];

const unstablePageMessage = "The page kept navigating or changing and could not be captured.";
const attemptsMax = 5;
/** A page that reloads itself again and again is never still for long enough. */
const restlessTimeoutMs = 3_000;
const calmTimeoutMs = 10_000;
const pauseMs = 100;

/** When the page doesn't hold still, it is made to: navigations under way, timers and scripts end, what is drawn stays. */
async function frameAndShoot(page: Page, options: CaptureOptions): Promise<Taken> {
  const { work, groups } = page;
  const { tab } = work;
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const group of groups) await group.frame?.(options, work);
      for (const group of groups) await group.afterFraming?.(options, work);
      const timeoutMs = attempt === 1 ? restlessTimeoutMs : calmTimeoutMs;
      const changes = groups.map((group) => group.duringShot?.(options, work));
      const [taken, changed] = await Promise.all([shootOneSite(page, timeoutMs), Promise.all(changes)]);
      return changed.includes(true) ? await shootOneSite(page, timeoutMs) : taken;
    } catch (error) {
      const hung = error instanceof BrowserHung;
      if (error instanceof AppError || error instanceof PageCrashed || (error instanceof BrowserLost && !hung)) throw error;
      if (hung && attempt > 1) throw error;
      // What is left is one of Chromium's many words for a page that went on under a call.
      if (attempt === attemptsMax) throw new AppError("target_timeout", { message: unstablePageMessage, cause: error });
      await Promise.all([tab.send("Emulation.setScriptExecutionDisabled", { value: true }), tab.send("Page.stopLoading").catch(() => {})]);
      await tab.within(pauseMs * attempt, new Promise(() => {}));
    }
  }
}

/** @throws {Error} when another site's page came meanwhile: the facts would be of one, the picture of the other. */
async function shootOneSite({ work, mainFrame }: Page, timeoutMs: number): Promise<Taken> {
  const changesBefore = mainFrame.originChanges();
  const taken = await Promise.all([shoot(work, timeoutMs), readFacts(work), work.tab.evaluate(pageSignals)]);
  await mainFrame.check();
  if (mainFrame.originChanges() !== changesBefore) throw new Error("The page went to another site during the shot");
  return taken;
}

const blankPauseMs = 700;
const blankReadyMs = 1_500;
/** What another shot costs of most pages; with less time left it is not begun. */
const blankRetryMs = blankPauseMs + blankReadyMs + 1_500;
/** Kept for the answer. A second try that is not done by then is given up: a blank image is better than none. */
const answerMs = 500;

/**
 * A picture of one colour is right for a page that is so. It is taken once more when the page has something to show in it, or when
 * its scripts may yet bring something; when it stays blank, the caller is told.
 */
async function retryBlank(
  page: Page,
  options: CaptureOptions,
  deadlineAt: number,
  first: Taken,
): Promise<{ taken: Taken; isBlank: boolean }> {
  const { tab, shot, warn } = page.work;
  const leftMs = () => deadlineAt - answerMs - performance.now();
  const blank = async ([image]: Taken) =>
    mayBeBlank(image, shot) ? await lookAtBlank(tab, image, shot).catch(() => undefined) : undefined; // what can't be looked at is kept
  let taken = first;
  let sight: Sight | undefined;
  const improve = async () => {
    const seen = await blank(first);
    if (!seen || !(seen.hasContent || isEmpty(seen))) return;
    sight = seen;
    const mayChange = seen.hasContent || (seen.hasScripts && options.wait_until.includes("auto"));
    const again = mayChange && leftMs() > blankRetryMs ? await shootChanged(page, options, seen) : undefined;
    if (again) [taken, sight] = [again, await blank(again)];
  };
  await tab.within(leftMs(), improve());
  const empty = "the screenshot is blank: the page shows nothing";
  if (sight) warn(sight.hasContent ? "the screenshot is a single colour although the page has content" : empty);
  return { taken, isBlank: sight?.hasContent === false };
}

/** Shoots once more when the page has had a moment to show its content; undefined when none has come. */
async function shootChanged(page: Page, options: CaptureOptions, { hasContent }: Sight): Promise<Taken | undefined> {
  const { tab, readiness } = page.work;
  if (hasContent) await tab.within(blankPauseMs, new Promise(() => {}));
  else if (!(await contentComes(tab, blankPauseMs))) return undefined;
  await readiness.within(blankReadyMs);
  return await frameAndShoot(page, options);
}
