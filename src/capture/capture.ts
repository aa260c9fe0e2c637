/** One capture from options to pixels: the stages, in order. */

import { isDeepStrictEqual } from "node:util";
import type { BaseLogger } from "pino";
import { BrowserHung, BrowserLost, isDocumentReplaced, PageCrashed, ScriptFailed } from "../browser/chromium-errors.ts";
import type { Slots } from "../browser/slots.ts";
import type { Tab } from "../browser/tab.ts";
import { AppError } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { retryBlank } from "./blank.ts";
import { captureImage, initialShot, mayBeBlank } from "./capture-image.ts";
import type { Capture, CaptureRequest, Output, Snapshot, TakeCapture } from "./capture-request.ts";
import { createRecorder, type Recorder } from "./explanation.ts";
import { interceptRequests } from "./interception.ts";
import { followLifecycle, followMainFrame, type MainFrame } from "./main-frame.ts";
import { navigate, readFacts, stopPage } from "./navigate.ts";
import type { Limits, Work } from "./option-group.ts";
import { addressOf, type CaptureOptions, groupsFor } from "./options.ts";
import { captureInTime } from "./partial.ts";
import { createReadiness } from "./readiness.ts";
import { assertWanted, judge } from "./verdict/verdict.ts";

interface CaptureParts {
  slots: Slots;
  limits: Limits;
  log: BaseLogger;
  metrics: Metrics;
}

/** @throws {AppError} with a public message for every failure of the page or its network. */
export function createCapture({ slots, limits, log, metrics }: CaptureParts): TakeCapture {
  return async (request) => {
    if (request.options.bypass_csp) log.warn({ url: addressOf(request.options).href }, "bypass_csp was used");
    const recorder = request.options.explain ? createRecorder() : undefined;
    const capture = await slots
      .lend(request, (tab, queuedMs) => run(tab, queuedMs, request, limits, recorder))
      .catch((error) => {
        const failure = failureOf(error);
        if (recorder && failure instanceof AppError) failure.explanation = recorder.soFar();
        throw failure;
      });
    for (const [phase, ms] of Object.entries(capture.timings)) metrics.captureSeconds.observe({ phase }, ms / 1000);
    metrics.captures.inc({ format: capture.format });
    return capture;
  };
}

function failureOf(error: unknown): unknown {
  if (error instanceof PageCrashed) return new AppError("page_crashed", { cause: error });
  // It hung in several browsers, so the page is the cause.
  if (error instanceof BrowserHung) return new AppError("target_timeout", { cause: error });
  if (error instanceof BrowserLost) return new AppError("unavailable", { cause: error, retryAfterSeconds: 2 });
  return error;
}

async function run(tab: Tab, queue: number, request: CaptureRequest, limits: Limits, recorder?: Recorder): Promise<Capture> {
  const mainFrame = followMainFrame(tab, request.mayNavigate);
  const page: Page = { ...startWork(tab, request, limits, recorder), mainFrame, times: { queue, started: performance.now() } };
  const stopExplaining = explainTimeout(request.signal, page.work);
  const capture = capturePage(page, request);
  const now = async (timeoutMs: number) => describe(page, request, await captureOneOrigin(page, request.options, timeoutMs), false);
  try {
    return await Promise.race([
      mainFrame.forbidden,
      request.options.on_timeout === "partial" ? captureInTime(page.work, request, capture, now) : capture,
    ]);
  } catch (error) {
    if (!(error instanceof ScriptFailed || isDocumentReplaced(error))) throw error;
    await readFacts(page.work).catch((other) => {
      if (other instanceof AppError) throw other; // no page is shown: a more precise error
    });
    throw new AppError("target_timeout", { message: unstablePageMessage, cause: error });
  } finally {
    stopExplaining();
  }
}

/**
 * Adds to a timeout error what the capture was waiting for; in place, because all waiters of a capture share it. The returned function
 * stops it, for a capture that is repeated in another browser.
 */
function explainTimeout(signal: AbortSignal, work: Work): () => void {
  const explain = () => {
    const error: unknown = signal.reason;
    if (error instanceof AppError && error.code === "target_timeout")
      Object.assign(error, {
        message: `${error.message} The capture was waiting for ${work.waitsFor ?? "the target's response"}.`,
        explanation: work.recorder?.soFar(),
      });
  };
  signal.addEventListener("abort", explain, { once: true });
  return () => signal.removeEventListener("abort", explain);
}

interface Page {
  work: Work;
  warnings: Set<string>;
  mainFrame: MainFrame;
  /** Those whose stages run. */
  groups: ReturnType<typeof groupsFor>;
  /** `queue` in milliseconds; the others by `performance.now()`. */
  times: { queue: number; started: number; navigated?: number; ready?: number };
}

function startWork(
  tab: Tab,
  { options, deadlineAt }: CaptureRequest,
  limits: Limits,
  recorder?: Recorder,
): Omit<Page, "mainFrame" | "times"> {
  const warnings = new Set<string>();
  const url = addressOf(options);
  const work: Work = {
    tab,
    url,
    limits,
    deadlineAt,
    lifecycle: followLifecycle(tab),
    readiness: createReadiness(tab, url),
    agent: { ...tab.agent },
    shot: initialShot(),
    recorder,
    warn: (message) => void warnings.add(message),
  };
  return { work, warnings, groups: groupsFor(options) };
}

async function capturePage(page: Page, request: CaptureRequest): Promise<Capture> {
  const { work, mainFrame, groups, times } = page;
  const { options, permission } = request;
  const { tab } = work;
  const rules = [...groups.flatMap((group) => group.requests?.(options, work.url) ?? []), ...mainFrame.rules];
  await Promise.all([
    permission,
    interceptRequests(tab, rules, work.recorder),
    ...groups.map((group) => group.beforeNavigation?.(options, work)),
  ]);
  if (!isDeepStrictEqual(work.agent, tab.agent)) await tab.send("Emulation.setUserAgentOverride", work.agent);
  await navigate(work);
  times.navigated = performance.now();
  for (const group of groups) await group.afterNavigation?.(options, work);
  for (const group of groups) await group.afterReady?.(options, work);
  times.ready = performance.now();
  const first = await frameAndCapture(page, options);
  if (!mayBeBlank(first[0], work.shot)) return await describe(page, request, first, false);
  const { snapshot, showsNothing } = await retryBlank(work, request, first, () => frameAndCapture(page, options));
  return await describe(page, request, snapshot, showsNothing);
}

/** @throws {AppError} `unwanted_page` for a verdict that the caller doesn't accept. */
async function describe(page: Page, { options }: CaptureRequest, snapshot: Snapshot, showsNothing: boolean): Promise<Capture> {
  const { work, warnings, times } = page;
  const [image, { target, signals }] = snapshot;
  const verdict = judge({ ...signals, requested: work.url, shown: new URL(target.url), status: target.status, isBlank: showsNothing });
  assertWanted(verdict, options.fail_on_verdict);
  const { queue, started, navigated = started, ready = performance.now() } = times;
  const timings = { queue, navigate: navigated - started, wait: ready - navigated, shoot: performance.now() - ready };
  const described = {
    ...image,
    format: work.shot.document ?? work.shot.format,
    target,
    verdict,
    warnings: [...warnings],
    timings,
    waitEnded: work.readiness.ended(),
  };
  if (!work.recorder) return described;
  work.recorder.step("the screenshot was taken");
  return { ...described, explanation: await work.recorder.complete() };
}

const unstablePageMessage = "The page kept navigating or changing and could not be captured.";
const attemptsMax = 5;
/** Short, because the image of a page that keeps reloading never completes. */
const firstImageTimeoutMs = 3_000;
const retryImageTimeoutMs = 10_000;
const retryDelayMs = 100;

/** Retries if the page keeps navigating or changing, with scripts disabled and loading stopped. */
async function frameAndCapture(page: Page, options: CaptureOptions): Promise<Snapshot> {
  const { work, groups } = page;
  const { tab } = work;
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const group of groups) await group.frame?.(options, work);
      for (const group of groups) await group.afterFraming?.(options, work);
      const timeoutMs = attempt === 1 ? firstImageTimeoutMs : retryImageTimeoutMs;
      const changes = groups.map((group) => group.duringShot?.(options, work));
      const [snapshot, changed] = await Promise.all([captureOneOrigin(page, options, timeoutMs), Promise.all(changes)]);
      return changed.includes(true) ? await captureOneOrigin(page, options, timeoutMs) : snapshot;
    } catch (error) {
      const hung = error instanceof BrowserHung;
      if (error instanceof AppError || error instanceof PageCrashed || (error instanceof BrowserLost && !hung)) throw error;
      if (hung && attempt > 1) throw error;
      // Any other error means that the page changed during a call, for which Chromium has many messages.
      page.work.recorder?.step("the page changed while it was captured: its scripts were stopped for another attempt");
      if (attempt === attemptsMax) throw new AppError("target_timeout", { message: unstablePageMessage, cause: error });
      await stopPage(tab, retryDelayMs * attempt);
    }
  }
}

async function captureOutput(work: Work, options: CaptureOptions, timeoutMs: number): Promise<Output> {
  if (!work.shot.document) return await captureImage(work, timeoutMs);
  const { captureDocument } = await import("./documents.ts"); // most captures are images
  return { bytes: await captureDocument(work, options), width: null, height: null };
}

/** @throws {Error} when the page's origin changed meanwhile: image and facts could be of different pages. */
async function captureOneOrigin({ work, mainFrame }: Page, options: CaptureOptions, timeoutMs: number): Promise<Snapshot> {
  const changesBefore = mainFrame.originChanges();
  const snapshot = await Promise.all([captureOutput(work, options, timeoutMs), readFacts(work)]);
  await mainFrame.check();
  if (mainFrame.originChanges() !== changesBefore) throw new Error("The page navigated to another origin during the capture");
  return snapshot;
}
