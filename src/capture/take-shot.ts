/** Captures a ready page, and repeats the capture if the page changes during it. */

import { BrowserHung, BrowserLost, PageCrashed } from "../browser/chromium-errors.ts";
import { AppError } from "../shared/errors.ts";
import { unstablePage } from "./failures.ts";
import { renderImage } from "./image/render.ts";
import { readFacts, respondsAfter, stopPage } from "./loading/navigate.ts";
import type { Work } from "./option-group.ts";
import type { CaptureOptions } from "./options.ts";
import type { LoadedPage, Output, OutputSnapshot } from "./request.ts";

const attemptsMax = 5;
/** Short, because the image of a page that keeps reloading never completes. */
const firstImageTimeoutMs = 3_000;
const retryImageTimeoutMs = 10_000;
const retryDelayMs = 100;
/** Time for a new document to become ready before its scripts are stopped. */
const replacedReadyMs = 2_000;
/** The image of a document that is being replaced arrives within this time, or never. */
const replacedImageMs = 300;

/**
 * Retries with scripts disabled and loading stopped if the page keeps navigating or changing.
 * @param readyAgain waits for the document that replaced the first one, and loads its lazy content.
 */
export async function takeShot(page: LoadedPage, options: CaptureOptions, readyAgain: () => Promise<void>): Promise<OutputSnapshot> {
  const { work, groups, mainFrame } = page;
  const { tab } = work;
  for (let attempt = 1; ; attempt += 1) {
    const documents = mainFrame.documents();
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
      if (hung && page.isStopped) throw error;
      if (hung && attempt === 1 && (await respondsAfter(tab, firstImageTimeoutMs))) continue; // its image takes longer
      // Any other error means that the page changed during a call; Chromium has many messages for that.
      page.work.recorder?.step("the page changed while it was captured: its scripts were stopped for another attempt");
      if (attempt === attemptsMax) throw unstablePage(error);
      page.isStopped = true;
      // Some pages reload when a media query changes, which happens while Chromium resizes the window for an image.
      const isReplaced = attempt === 1 && mainFrame.documents() !== documents;
      if (isReplaced && (await work.readiness.within(replacedReadyMs))) await readyAgain();
      await stopPage(tab, retryDelayMs * attempt);
    }
  }
}

async function captureOutput(work: Work, options: CaptureOptions, timeoutMs: number): Promise<Output> {
  if (work.shot.document) {
    const { captureDocument } = await import("./documents.ts"); // most captures are images
    return { bytes: await captureDocument(work, options), width: null, height: null };
  }
  work.waitsFor = "the screenshot";
  return await renderImage(work, timeoutMs);
}

/** @throws {Error} when the page's origin changed during the capture: image and facts might come from different pages. */
export async function captureOneOrigin(
  { work, mainFrame }: LoadedPage,
  options: CaptureOptions,
  timeoutMs: number,
): Promise<OutputSnapshot> {
  const changesBefore = mainFrame.originChanges();
  const isReplaced = work.lifecycle.replaced().then(async () => {
    await work.tab.pause(replacedImageMs);
    throw new Error("The document was replaced while it was captured");
  });
  const taken = Promise.all([captureOutput(work, options, timeoutMs), readFacts(work)]);
  const snapshot = await Promise.race([taken, isReplaced]);
  await mainFrame.check();
  if (mainFrame.originChanges() !== changesBefore) throw new Error("The page navigated to another origin during the capture");
  return snapshot;
}
