/** Captures one output: runs the stages in order. `outputs.ts` does the same for several outputs of one page. */

import type { BaseLogger } from "pino";
import type { Slots } from "../browser/slots.ts";
import type { Tab } from "../browser/tab.ts";
import { onAbort } from "../shared/deadline.ts";
import { AppError, isFailure } from "../shared/errors.ts";
import { slowFormats } from "../shared/formats.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { recordPhases, span, tracer } from "../telemetry/tracing.ts";
import { createRecorder, type Recorder } from "./explanation.ts";
import { load, openPage, runReadyStages, signInAgain } from "./load-page.ts";
import { failureOf, pageFailureOf } from "./loading/navigate.ts";
import { completeOrPartial } from "./loading/partial.ts";
import { withoutQuery } from "./loading/traffic.ts";
import type { Limits, Work } from "./option-group.ts";
import { addressOf, type CaptureOptions, hasNoHost, namesSet } from "./options.ts";
import { mayEncodeInTurn } from "./plan-loads.ts";
import type { Capture, CaptureRequest, OpenedPage, OutputSnapshot, TakeCapture } from "./request.ts";
import { keepSession } from "./session/keep-session.ts";
import { SignedOut } from "./session/sign-in.ts";
import { retryBlank, shootOnce, shootWithRetry } from "./take-shot.ts";
import { assertWanted, classify } from "./verdict/verdict.ts";

export interface CaptureParts {
  slots: Slots;
  limits: Limits;
  log: BaseLogger;
  metrics: Metrics;
}

/** @throws {AppError} with a public message for every failure of the page or its network. */
export function createCapture({ slots, limits, log, metrics }: CaptureParts): TakeCapture {
  return async (request) => {
    if (request.options.bypass_csp) log.warn({ host: addressOf(request.options).host }, "bypass_csp was used");
    const { explain, mask_selectors: masked } = request.options;
    const recorder = explain ? createRecorder(masked !== undefined && masked.length > 0) : undefined;
    const tabRequest = { ...request, encodesInTurn: slowFormats.has(request.options.format) && mayEncodeInTurn([request.options]) };
    const captureInTab = () => slots.withTab(tabRequest, (tab, queuedMs) => runSignedIn(tab, queuedMs, request, limits, recorder));
    const capture = await traceCapture([request.options], captureInTab).catch((error) => {
      const failure = failureOf(error);
      if (recorder && failure instanceof AppError) failure.explanation ??= recorder.soFar(); // a timeout already has one
      throw failure;
    });
    countCapture(metrics, capture);
    return capture;
  };
}

/**
 * Runs the capture. If the page asks for a sign-in and its session has sign-in steps, performs them and repeats the capture. If signing in
 * fails, returns the sign-in page with a warning.
 */
async function runSignedIn(tab: Tab, queuedMs: number, request: CaptureRequest, limits: Limits, recorder?: Recorder): Promise<Capture> {
  try {
    return await run(tab, queuedMs, request, limits, recorder);
  } catch (error) {
    if (!(error instanceof SignedOut)) throw error;
    const { isDone, warning } = await signInAgain(await tab.replace(), error, request, limits);
    if (isDone) return await run(await tab.replace(), queuedMs, { ...request, signInWarning: warning }, limits, recorder);
    const shown = await error.shown;
    return { ...shown, warnings: [...shown.warnings, warning] };
  }
}

async function run(tab: Tab, queuedMs: number, request: CaptureRequest, limits: Limits, recorder?: Recorder): Promise<Capture> {
  const page = await openPage(tab, request, limits, recorder);
  page.times.queue = queuedMs;
  const stopExplaining = explainTimeout(request.signal, page.work);
  const capture = load(page, request, [request.options])
    .then(() => runReadyStages(page, request.options, true))
    .then(() => shoot(page, request));
  const shootNow = async (timeoutMs: number) => finish(page, request, await shootOnce(page, request.options, timeoutMs), false);
  try {
    const captured = await Promise.race([
      page.mainFrame.forbidden,
      request.options.on_timeout === "partial" ? completeOrPartial(page.work, request, capture, shootNow) : capture,
    ]);
    tracePhases(page.times);
    return captured;
  } catch (error) {
    if (!(error instanceof SignedOut)) await page.work.typing?.countFailure();
    const failure = await pageFailureOf(error, page.work);
    tracePhases(page.times, failure);
    throw failure;
  } finally {
    stopExplaining();
  }
}

/**
 * When `signal` aborts with a timeout, adds to the error what the capture was waiting for. Changes the error in place, because everything
 * that awaits the capture rejects with it. Returns a function that stops listening, because the capture may be repeated in another
 * browser.
 */
export function explainTimeout(signal: AbortSignal, work: Work): () => void {
  return onAbort(signal, () => {
    const error: unknown = signal.reason;
    if (!isFailure(error, "target_timeout")) return;
    error.message = `${error.message} The capture was waiting for ${work.waitsFor ?? "the target's response"}.`;
    error.explanation = work.recorder?.soFar();
  });
}

/** Captures the ready page. */
export async function shoot(page: OpenedPage, request: CaptureRequest): Promise<Capture> {
  const readyAgain = () => runReadyStages(page, request.options, false);
  const first = await shootWithRetry(page, request.options, readyAgain);
  const { snapshot, showsNothing } = await retryBlank(page.work, request, first, () => shootWithRetry(page, request.options, readyAgain));
  return await finish(page, request, snapshot, showsNothing);
}

/** Minimum time left before the deadline for signing in again. */
const signInMinMs = 5_000;

/**
 * Judges the output, and saves the session if requested.
 * @throws {AppError} `unwanted_page` if the caller doesn't accept the page; `rate_limited` if steps have typed text on the site too often.
 * @throws {SignedOut} if the page is a sign-in page and its session has sign-in steps that haven't been tried yet.
 */
async function finish(page: OpenedPage, request: CaptureRequest, snapshot: OutputSnapshot, showsNothing: boolean): Promise<Capture> {
  const { work } = page;
  const [image, { target, signals }] = snapshot;
  const shown = new URL(target.url);
  const { verdict, warning } = await classify({ ...signals, requested: work.url, shown, status: target.status, isBlank: showsNothing });
  if (warning) work.warn(warning);
  const capture = complete(page, request, image, { target, verdict });
  const plan = verdict.kind === "login_wall" && request.signInWarning === undefined ? page.session?.signIn : undefined;
  if (!plan || request.deadlineAt - performance.now() < signInMinMs) return await capture;
  await capture.catch(() => {}); // the capture must end before its tab is replaced
  throw new SignedOut(plan, capture);
}

async function complete(
  page: OpenedPage,
  { options }: CaptureRequest,
  image: OutputSnapshot[0],
  { target, verdict }: Pick<Capture, "target" | "verdict">,
): Promise<Capture> {
  const { work, warnings, times } = page;
  await work.typing?.reach(new URL(target.url));
  assertWanted(verdict, options.fail_on_verdict);
  for (const group of page.groups) await group.judge?.(options, work);
  if (options.session_update && verdict.kind !== "login_wall") await keepSession(page);
  const described = {
    ...image,
    format: work.shot.motion ?? work.shot.document ?? work.shot.format,
    target: work.typedPassword ? { ...target, url: withoutQuery(target.url) } : target,
    verdict,
    warnings: [...warnings.load, ...warnings.output],
    timings: Object.fromEntries(phasesOf(times).map(({ name, from, to }) => [name, to - from])) as Capture["timings"],
    waitEnded: work.readiness.ended(),
    sessionVersion: page.session?.version,
  };
  work.recorder?.step("the screenshot was taken");
  return work.recorder ? { ...described, explanation: await work.recorder.complete() } : described;
}

export function countCapture(metrics: Metrics, { timings, format }: Capture): void {
  for (const [phase, ms] of Object.entries(timings)) metrics.captureSeconds.observe({ phase }, ms / 1000);
  metrics.captures.inc({ format });
}

/** The capture's phases; the latest phase ends now. */
function phasesOf({ queue, started, navigated, ready }: OpenedPage["times"]) {
  const now = performance.now();
  return [
    { name: "queue", from: started - queue, to: started },
    { name: "navigate", from: started, to: navigated ?? now },
    { name: "wait", from: navigated ?? now, to: ready ?? now },
    { name: "shoot", from: ready ?? now, to: now },
  ];
}

/** Adds the capture's phases to its trace. @param error the failure that ended the last phase. */
export function tracePhases(times: OpenedPage["times"], error?: unknown): void {
  if (!tracer) return;
  // A later output of the same page has neither waited in the queue nor loaded the page.
  const nonEmpty = phasesOf(times).filter(({ from, to }) => to > from);
  recordPhases(nonEmpty, error === undefined ? undefined : failureOf(error));
}

/** Calls `work` within a capture span, which records the target's host, the format, and only the names of the other options. */
export function traceCapture<T>(outputs: readonly CaptureOptions[], work: () => Promise<T>): Promise<T> {
  const [options] = outputs;
  if (!options || !tracer) return work();
  const facts = {
    "tintype.target.host": hasNoHost(options) ? undefined : addressOf(options).hostname,
    "tintype.outputs": outputs.length,
    "tintype.format": options.format,
    "tintype.options": namesSet(options).join(" "),
  };
  return span("capture", facts, () =>
    work().catch((error) => {
      throw failureOf(error);
    }),
  );
}
