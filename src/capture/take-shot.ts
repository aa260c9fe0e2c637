/** Captures a ready page, and repeats the capture if the page changes in the meantime or the image is blank. */

import { BrowserHung, BrowserLost, PageCrashed } from "../browser/chromium-errors.ts";
import type { Tab } from "../browser/tab.ts";
import { AppError } from "../shared/errors.ts";
import { renderImage } from "./image/render.ts";
import { type ImageSpec, requestedPixelsMax } from "./image/spec.ts";
import { type Appearance, inspectImage, untilContent } from "./in-page/blank.ts";
import { emptyDocument, readFacts, respondsAfter, StillEmpty, stopPage, unstablePage } from "./loading/navigate.ts";
import type { Work } from "./option-group.ts";
import type { CaptureOptions } from "./options.ts";
import type { CaptureRequest, OpenedPage, Output, OutputSnapshot } from "./request.ts";

const attemptsMax = 5;
/** Maximum number of attempts for recordings. */
const recordingsMax = 2;
/** Timeout of the first attempt; short, because the image of a page that keeps reloading never completes. */
const firstImageTimeoutMs = 3_000;
const retryImageTimeoutMs = 10_000;
/** Added to both timeouts per element and pixel: many elements take longer to draw, and large images take longer to encode. */
const elementTimeoutMs = 0.2;
const pixelTimeoutMs = { beyond: 2_000_000, each: 0.001 };
const retryDelayMs = 100;
/** Time for a new document to become ready before its scripts are stopped. */
const replacedReadyMs = 2_000;
/** Maximum attempts at a masked page that keeps showing new content to mask. After that, its loading is stopped. */
const maskAttemptsMax = 3;
/** Once a document has been replaced, its image arrives within this time or never. */
const replacedImageMs = 300;

/**
 * Retries if the page navigates or changes during the capture: with scripts disabled and loading stopped, except for recordings.
 * @param readyAgain waits for the document that replaced the first one, and loads its lazy content.
 */
export async function shootWithRetry(page: OpenedPage, options: CaptureOptions, readyAgain: () => Promise<void>): Promise<OutputSnapshot> {
  const { work, groups, mainFrame } = page;
  const { tab } = work;
  for (let attempt = 1; ; attempt += 1) {
    const documents = mainFrame.documents();
    try {
      for (const group of groups) await group.frame?.(options, work);
      for (const group of groups) await group.afterFraming?.(options, work);
      const timeoutMs = (attempt === 1 ? firstImageTimeoutMs : retryImageTimeoutMs) + extraTimeoutMs(work.shot);
      const changes = work.shot.motion ? [] : groups.map((group) => group.duringShot?.(options, work));
      if (options.mask_selectors?.length) await Promise.all(changes); // the changes need the page's scripts, which are stopped for masking
      const [snapshot, changed] = await Promise.all([shootOnce(page, options, timeoutMs), Promise.all(changes)]);
      return changed.includes(true) ? await shootOnce(page, options, timeoutMs) : snapshot;
    } catch (error) {
      const hung = error instanceof BrowserHung;
      if (error instanceof AppError || error instanceof PageCrashed || (error instanceof BrowserLost && !hung)) throw error;
      if (hung && page.isStopped) throw error;
      if (work.shot.motion) {
        if (mainFrame.documents() === documents) throw error instanceof StillEmpty ? emptyDocument() : error;
        if (options.steps?.length) throw (await import("./motion/play-steps.ts")).leadsAway();
        if (attempt === recordingsMax) throw unstablePage(error);
        await readyAgain(); // without stopping scripts: a stopped page would not move
        continue;
      }
      if (hung && attempt === 1 && (await respondsAfter(tab, firstImageTimeoutMs))) continue; // the image merely takes longer
      // At this point, the page has hung, or changed during a call; Chromium has many messages for the latter.
      if (attempt === attemptsMax) throw unstablePage(error);
      work.recorder?.step("the page changed or hung during the capture: its scripts were stopped for another attempt");
      page.isStopped = true;
      // Some pages reload when a media query changes, as happens when Chromium resizes the window for an image.
      const isReplaced = attempt === 1 && mainFrame.documents() !== documents;
      if (isReplaced && (await work.readiness.within(replacedReadyMs))) await readyAgain();
      await stopPage(tab, retryDelayMs * attempt);
    }
  }
}

function extraTimeoutMs({ elements = 0, clip, viewport, scale }: Work["shot"]): number {
  const { width, height } = clip ?? viewport;
  const pixels = Math.min(width * height * scale ** 2, requestedPixelsMax) - pixelTimeoutMs.beyond;
  return elements * elementTimeoutMs + Math.max(0, pixels) * pixelTimeoutMs.each;
}

async function renderOutput(work: Work, options: CaptureOptions, timeoutMs: number): Promise<Output> {
  if (work.shot.document) {
    const { renderDocument } = await import("./documents.ts"); // loaded on demand: most captures are images
    return { bytes: await renderDocument(work, options), width: null, height: null };
  }
  if (work.shot.motion) {
    const { recordMotion } = await import("./motion/record.ts");
    return await recordMotion(work, work.shot.motion, options);
  }
  work.waitsFor = "the screenshot";
  return await renderImage(work, timeoutMs);
}

/** @throws {Error} if the document is replaced, or the origin changes: image and facts might come from different pages. */
export async function shootOnce(page: OpenedPage, options: CaptureOptions, timeoutMs: number): Promise<OutputSnapshot> {
  const { work, mainFrame } = page;
  const changesBefore = mainFrame.originChanges();
  const isReplaced = work.lifecycle.replaced().then(async () => {
    await work.tab.pause(replacedImageMs);
    throw new Error("The document was replaced during the capture");
  });
  const renderAndRead = async () => await Promise.all([renderOutput(work, options, timeoutMs), readFacts(work)]);
  let runScripts: (() => Promise<void>) | undefined;
  const shootMasked = async () => {
    const { applyMasks, areAllMasked, stopScripts } = await import("./masks.ts");
    page.isPaused = true;
    runScripts = await stopScripts(work.tab);
    const { isComplete } = await applyMasks(work, options);
    let captured = await renderAndRead();
    // The page and its frames may still have been loading.
    if (work.shot.document && isComplete && !(await areAllMasked(work.tab))) throw new Error("A frame was loaded unmasked");
    if (work.shot.document) return captured;
    for (let attempt = 1; (await applyMasks(work, options, true)).isNew; attempt += 1) {
      if (attempt === maskAttemptsMax) throw new Error("The page kept showing content to mask");
      captured = await renderAndRead();
    }
    return captured;
  };
  const snapshot = await Promise.race([options.mask_selectors?.length ? shootMasked() : renderAndRead(), isReplaced]);
  // Only after success: a failure may be followed by another attempt, which stops scripts for good.
  if (runScripts) {
    await runScripts();
    page.isPaused = false;
  }
  await mainFrame.check();
  if (mainFrame.originChanges() !== changesBefore) throw new Error("The page navigated to another origin during the capture");
  return snapshot;
}

/** Whether the image is white or transparent and the page has no content, as before its first paint. */
function isBlank({ color, hasContent }: Appearance): boolean {
  return !hasContent && /^#(ffffffff|......00)$/.test(color ?? "");
}

/** Whether text, images or similar content appears on the page within `ms`. */
export async function contentAppears(tab: Tab, ms: number): Promise<boolean> {
  return await tab.within(ms, tab.waitFor(untilContent, ms));
}

const contentTimeoutMs = 700;
const readyTimeoutMs = 1_500;
/** Duration of a retry on most pages; with less time left, the capture isn't retried. */
const blankRetryMs = contentTimeoutMs + readyTimeoutMs + 1_500;
/** Time reserved for the response. A retry that would cut into it is abandoned, since a blank image is better than none. */
const responseMs = 500;

/**
 * Captures the page again if the image has a single color although the page has content that should be visible, or scripts that may still
 * add some. If the image stays blank, adds a warning instead of failing, because the page may really be blank.
 */
export async function retryBlank(
  work: Work,
  { options, deadlineAt }: Pick<CaptureRequest, "options" | "deadlineAt">,
  first: OutputSnapshot,
  takeAgain: () => Promise<OutputSnapshot>,
): Promise<{ snapshot: OutputSnapshot; showsNothing: boolean }> {
  const { tab, shot, warn, recorder } = work;
  if (shot.motion || !mayBeUniform(first[0], shot)) return { snapshot: first, showsNothing: false }; // true of most images
  const leftMs = () => Math.max(0, deadlineAt - responseMs - performance.now());
  // if this fails, the image is kept
  const inspect = ([image]: OutputSnapshot) => inspectIfUniform(tab, image, shot).catch(() => undefined);
  let snapshot = first;
  let blank: Appearance | undefined;
  const improve = async () => {
    const found = await inspect(first);
    if (!found || !(found.hasContent || isBlank(found))) return;
    blank = found;
    const mayChange = found.hasContent || (found.hasScripts && options.wait_until.includes("auto"));
    if (!mayChange || leftMs() <= blankRetryMs) return;
    recorder?.step("the image was blank although the page may have content; the capture waited for the content to appear");
    if (!(await appears(work, found))) return;
    const retried = await takeAgain();
    [snapshot, blank] = [retried, await inspect(retried)];
  };
  await tab.within(leftMs(), improve());
  const empty = "the screenshot is blank: the page shows nothing";
  if (blank) warn(blank.hasContent ? "the screenshot is a single color although the page has content" : empty);
  return { snapshot, showsNothing: blank?.hasContent === false };
}

/** Gives the page time to show its content. Resolves to false if it still has none. */
async function appears({ tab, readiness }: Work, { hasContent }: Appearance): Promise<boolean> {
  if (hasContent) await tab.pause(contentTimeoutMs);
  else if (!(await contentAppears(tab, contentTimeoutMs))) return false;
  await readiness.within(readyTimeoutMs);
  return true;
}

/**
 * Maximum bytes of a single-color image from Chromium. Depends only on width and height, not on color or quality (measured from
 * 200 × 100 to 1280 × 5000); one line of text adds a thousand bytes.
 */
const uniformBytesMax = {
  jpeg: (pixels: number) => 850 + pixels * 0.0061,
  png: (pixels: number, rows: number) => 800 + pixels * 0.0155 + rows * 3.7,
  webp: (pixels: number) => 700 + pixels * 0.0019,
  avif: (pixels: number) => 700 + pixels * 0.0002,
};
/** Maximum pixels of an inspected image; larger images are skipped to save memory. */
const inspectedPixelsMax = 16_000_000;

/** Whether an image is small enough in bytes to have a single color; false for several slices, and for a document, which has no size. */
function mayBeUniform({ bytes, width, height, slices }: Output, { format }: ImageSpec): boolean {
  if (slices && slices.length > 1) return false;
  if (width === null || height === null) return false;
  const pixels = width * height;
  return pixels <= inspectedPixelsMax && bytes.length <= uniformBytesMax[format](pixels, height);
}

/** Inspects the pixels of an image for which `mayBeUniform` is true. @returns undefined if it has more than one color. */
async function inspectIfUniform(tab: Tab, image: Output, shot: ImageSpec): Promise<Appearance | undefined> {
  if (!mayBeUniform(image, shot)) return undefined;
  const { format, clip, viewport } = shot;
  const appearance: Appearance = await tab.evaluate(
    inspectImage,
    image.bytes.toString("base64"),
    `image/${format}`,
    clip ?? { x: 0, y: 0, ...viewport, isViewport: true },
  );
  return appearance.color === undefined ? undefined : appearance;
}
