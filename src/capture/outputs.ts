/** Captures several outputs of one request with as few page loads as possible. */

import { BrowserHung, BrowserLost, PageCrashed } from "../browser/chromium-errors.ts";
import type { Tab } from "../browser/tab.ts";
import { AppError, isFailure } from "../shared/errors.ts";
import { isLog } from "../shared/formats.ts";
import { type CaptureParts, countCapture, explainTimeout, shoot, traceCapture, tracePhases } from "./capture.ts";
import { noteScrolled, undoChanges } from "./in-page/undo.ts";
import { readLinks } from "./links.ts";
import { load, openPage, pageFor, runReadyStages, signInAgain } from "./load-page.ts";
import { failureOf, pageFailureOf } from "./loading/navigate.ts";
import type { Limits } from "./option-group.ts";
import { addressOf, type CaptureOptions } from "./options.ts";
import { createOutputMemory, type HeldOutputs } from "./output-memory.ts";
import { frameKey, mayEncodeInTurn, type PlannedOutput, pageKey, planLoads, reachOf } from "./plan-loads.ts";
import type { Capture, CaptureRequest, OpenedPage, PageLinks } from "./request.ts";
import { SignedOut } from "./session/sign-in.ts";

export interface OutputsRequest extends Omit<CaptureRequest, "options"> {
  outputs: readonly CaptureOptions[];
  readsLinks?: boolean | undefined;
  /** The outputs count as held until this resolves; by default, until all are captured. Never rejects. */
  heldUntil?: Promise<unknown> | undefined;
}

/** `loadedAgain`: whether the output comes from a load after the first. */
export type OutputOutcome = { capture: Capture; loadedAgain: boolean } | { failure: unknown };

/** Resolves with outcomes in the outputs' order and, with `readsLinks`, the links, unless no output was captured. Never rejects. */
export type CaptureOutputs = (
  request: OutputsRequest,
) => Promise<{ outcomes: OutputOutcome[]; loads: number; links: PageLinks | undefined }>;

export function createCaptureOutputs({ slots, limits, log, metrics }: CaptureParts): CaptureOutputs {
  const holdOutputs = createOutputMemory();
  return async (request) => {
    for (const output of request.outputs) if (output.bypass_csp) log.warn({ host: addressOf(output).host }, "bypass_csp was used");
    const run: Run = {
      request,
      limits,
      outcomes: new Map(),
      loads: 0,
      held: holdOutputs(request.account),
      files: 0,
      current: 0,
      signIns: new Map(),
    };
    const tabRequest = { ...request, encodesInTurn: mayEncodeInTurn(request.outputs) };
    const missing = () => [...request.outputs.keys()].filter((index) => !run.outcomes.has(index));
    while (missing().length > 0) {
      try {
        await traceCapture(request.outputs, () => slots.withTab(tabRequest, (tab, queuedMs) => shootMissing(run, tab, queuedMs)));
      } catch (error) {
        // A page that hangs or crashes the browser for one output may still yield the other outputs.
        const isOwn = (error instanceof PageCrashed || error instanceof BrowserHung) && !request.signal.aborted;
        for (const index of isOwn ? [run.current] : missing()) run.outcomes.set(index, { failure: failureOf(error) });
      }
    }
    if (request.heldUntil) void request.heldUntil.then(run.held.release);
    else run.held.release();
    const outcomes = request.outputs.map((_, index) => run.outcomes.get(index) as OutputOutcome);
    for (const outcome of outcomes) if ("capture" in outcome) countCapture(metrics, outcome.capture);
    return { outcomes, loads: run.loads, links: run.links };
  };
}

/** Maximum number of images across a request's outputs; each slice counts as one. */
const imagesMax = 60;

interface Run {
  request: OutputsRequest;
  limits: Limits;
  /** Keyed by the output's position. Retained when the remaining outputs have to be captured in another browser. */
  outcomes: Map<number, OutputOutcome>;
  loads: number;
  held: HeldOutputs;
  files: number;
  /** Position of the output being captured. */
  current: number;
  /** Links read after the first captured output. */
  links?: PageLinks | undefined;
  /** Warnings about attempts to sign in again, by session name. */
  signIns: Map<string | undefined, string>;
}

async function shootMissing(run: Run, tab: Tab, queuedMs: number): Promise<void> {
  let next: { tab: Tab; queuedMs: number } | undefined = { tab, queuedMs };
  let used = tab;
  for (const planned of planLoads(run.request.outputs)) {
    let left = planned.filter(({ index }) => !run.outcomes.has(index));
    while (left.length > 0) {
      if (!next) {
        run.current = left[0]?.index ?? 0;
        next = { tab: await used.replace(), queuedMs: 0 };
      }
      left = await shootFromLoad(run, next.tab, next.queuedMs, left);
      used = next.tab;
      next = undefined;
    }
  }
}

/**
 * @returns the outputs that need another load, because the page has navigated, an earlier output has permanently changed it, or signing in
 *   again was attempted. Except after such an attempt, at least the first output has an outcome.
 */
async function shootFromLoad(run: Run, tab: Tab, queuedMs: number, planned: PlannedOutput[]): Promise<PlannedOutput[]> {
  const { request, limits, outcomes } = run;
  const isAgain = run.loads > 0;
  run.loads += 1;
  const all = planned.map(({ options }) => options);
  let before: Captured | undefined;
  for (const [position, { index, options }] of planned.entries()) {
    run.current = index;
    const change = before && changeBetween(before.options, options);
    const showsPage = !isLog(options.format);
    /** Whether the page has navigated since the first output, for example because of a resize. The new document lacks the edits. */
    const hasLeft = () => showsPage && before !== undefined && before.page.mainFrame.documents() !== before.documents;
    if (before && (hasLeft() || (change !== "image" && isChangedForGood(before)))) return planned.slice(position);
    const page = before ? pageFor(before.page, options) : await openFor(run, tab, queuedMs, planned);
    if (!page) return [];
    const stopExplaining = explainTimeout(request.signal, page.work);
    try {
      const output = { ...request, options, signInWarning: run.signIns.get(options.session) };
      const show = async () => {
        if (before) return await showAgain(page, options, before, change === "image");
        await load(page, output, all);
        if (planned.length > 1 && reachOf(options) > 0) await page.work.tab.evaluate(noteScrolled);
        await runReadyStages(page, options, true);
      };
      await Promise.race([page.mainFrame.forbidden, show()]);
      before = { page, options, documents: before?.documents ?? page.mainFrame.documents() };
      // Reserve one file for each of the remaining outputs.
      const others = request.outputs.length - outcomes.size - 1;
      if (page.work.shot.slices) page.work.shot.slices.countMax = imagesMax - run.files - others;
      const capture = await Promise.race([page.mainFrame.forbidden, shoot(page, output)]);
      if (request.readsLinks) run.links ??= await readLinks(page);
      if (position > 0 && hasLeft()) return planned.slice(position);
      const files = capture.slices ?? [capture];
      run.held.add(files.reduce((sum, file) => sum + file.bytes.length, 0));
      run.files += files.length;
      outcomes.set(index, { capture, loadedAgain: isAgain });
      tracePhases(page.times);
    } catch (error) {
      tracePhases(page.times, error);
      if (error instanceof SignedOut) {
        run.signIns.set(options.session, (await signInAgain(await tab.replace(), error, request, limits)).warning);
        return planned.slice(position);
      }
      await page.work.typing?.countFailure();
      if (request.signal.aborted || error instanceof PageCrashed || error instanceof BrowserLost) throw error;
      if (position > 0 && (hasLeft() || (showsPage && isFailure(error, "target_not_allowed")))) return planned.slice(position);
      const failure = await pageFailureOf(error, page.work);
      // A failure before the first output was ready applies to all outputs of the load.
      for (const failed of before ? [index] : planned.map((output) => output.index)) outcomes.set(failed, { failure });
      if (!before) return [];
      before = { page, options, documents: before.documents, hasBroken: !(error instanceof AppError) };
    } finally {
      stopExplaining();
    }
  }
  return [];
}

/** Opens the page for a load. If the session can't be used, sets that failure as the outcome of all `planned` and returns undefined. */
async function openFor({ request, limits, outcomes, signIns }: Run, tab: Tab, queuedMs: number, planned: PlannedOutput[]) {
  const options = planned[0]?.options as CaptureOptions;
  try {
    const page = await openPage(tab, { ...request, options, signInWarning: signIns.get(options.session) }, limits);
    page.times.queue = queuedMs;
    return page;
  } catch (failure) {
    if (request.signal.aborted || !(failure instanceof AppError)) throw failure;
    for (const { index } of planned) outcomes.set(index, { failure });
    return undefined;
  }
}

interface Captured {
  page: OpenedPage;
  options: CaptureOptions;
  /** Number of documents that the page had shown when it was ready for the first output. */
  documents: number;
  /** Whether the capture failed with an error other than an `AppError`. */
  hasBroken?: boolean;
}

/** What the next output changes: how the page is shown, the captured part of it, or only the encoded image. */
function changeBetween(before: CaptureOptions, options: CaptureOptions): "page" | "frame" | "image" {
  if (isLog(options.format)) return "image"; // a log doesn't depend on what the page shows
  if (pageKey(before) !== pageKey(options)) return "page";
  return frameKey(before) === frameKey(options) ? "image" : "frame";
}

/**
 * Whether the page is unusable for another output: it grew during scrolling and is now too long, its scripts were stopped, the
 * capture failed unexpectedly, or masked content was removed, which changes the layout.
 */
function isChangedForGood({ page: { isStopped, isPaused, work }, hasBroken }: Captured): boolean {
  const isStill = isStopped || isPaused || hasBroken;
  return isStill === true || work.shot.completeHeight !== undefined || work.shot.isRedacted === true;
}

/** Applies `options` to the loaded page. */
async function showAgain(page: OpenedPage, options: CaptureOptions, before: Captured, isSameFrame: boolean): Promise<void> {
  const { work, groups } = page;
  const { tab, shot, readiness } = work;
  work.waitsFor = "the page to be ready";
  const hadReach = reachOf(before.options) > 0;
  if (!isSameFrame && hadReach) await tab.evaluate(undoChanges);
  if (!isSameFrame) readiness.restart();
  await Promise.all(groups.map((group) => group.show?.(options, work, before.options)));
  if (isSameFrame) {
    const { hidContent = false, changesOnScroll = false, movesLayers = false, completeHeight } = before.page.work.shot;
    Object.assign(shot, { hidContent, changesOnScroll, movesLayers, completeHeight });
    return;
  }
  if (!hadReach && reachOf(options) > 0) await tab.evaluate(noteScrolled);
  await runReadyStages(page, options, false);
}
