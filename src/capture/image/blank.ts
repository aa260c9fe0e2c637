/** Detects blank images, which a page may give briefly before it shows its content, and captures them again. */

import type { Tab } from "../../browser/tab.ts";
import { type Appearance, inspectImage, untilContent } from "../in-page/blank.ts";
import type { ShotSettings, Work } from "../option-group.ts";
import type { CaptureRequest, Output, OutputSnapshot } from "../request.ts";
import { mayBeBlank } from "./image.ts";

/**
 * Inspects an image that `mayBeBlank`.
 * @returns undefined if it has more than one colour.
 */
async function inspectIfUniform(
  tab: Tab,
  { bytes }: Pick<Output, "bytes">,
  { format, clip, viewport }: ShotSettings,
): Promise<Appearance | undefined> {
  const appearance: Appearance = await tab.evaluate(
    inspectImage,
    bytes.toString("base64"),
    `image/${format}`,
    clip ?? { x: 0, y: 0, ...viewport, isViewport: true },
  );
  return appearance.colour === undefined ? undefined : appearance;
}

/** Whether the image is white or transparent and the page has no content, as before its first paint. */
function isBlank({ colour, hasContent }: Appearance): boolean {
  return !hasContent && /^#(ffffffff|......00)$/.test(colour ?? "");
}

/** Whether the page has text, an image or the like within `ms`. */
export async function contentAppears(tab: Tab, ms: number): Promise<boolean> {
  return await tab.within(ms, tab.waitFor(untilContent, ms));
}

const contentTimeoutMs = 700;
const readyTimeoutMs = 1_500;
/** Duration of a retry on most pages; with less time left, none is attempted. */
const blankRetryMs = contentTimeoutMs + readyTimeoutMs + 1_500;
/** Reserved for the response. A retry that is not done by then is abandoned: a blank image is better than none. */
const responseMs = 500;

/**
 * Captures a single-colour image again if the page has content that it should show, or scripts that may still add some. If the image stays
 * blank, adds a warning, as the page may really be blank.
 */
export async function retryBlank(
  work: Work,
  { options, deadlineAt }: Pick<CaptureRequest, "options" | "deadlineAt">,
  first: OutputSnapshot,
  capture: () => Promise<OutputSnapshot>,
): Promise<{ snapshot: OutputSnapshot; showsNothing: boolean }> {
  const { tab, shot, warn, recorder } = work;
  const leftMs = () => Math.max(0, deadlineAt - responseMs - performance.now());
  const inspect = async ([image]: OutputSnapshot) =>
    mayBeBlank(image, shot) ? await inspectIfUniform(tab, image, shot).catch(() => undefined) : undefined; // if it fails, the image is kept
  let snapshot = first;
  let blank: Appearance | undefined;
  const improve = async () => {
    const found = await inspect(first);
    if (!found || !(found.hasContent || isBlank(found))) return;
    blank = found;
    const mayChange = found.hasContent || (found.hasScripts && options.wait_until.includes("auto"));
    if (!mayChange || leftMs() <= blankRetryMs) return;
    recorder?.step("the image was blank although the page may show more: waited for it");
    if (!(await appears(work, found))) return;
    const retried = await capture();
    [snapshot, blank] = [retried, await inspect(retried)];
  };
  await tab.within(leftMs(), improve());
  const empty = "the screenshot is blank: the page shows nothing";
  if (blank) warn(blank.hasContent ? "the screenshot is a single colour although the page has content" : empty);
  return { snapshot, showsNothing: blank?.hasContent === false };
}

/** Gives the page time to show its content; false if it has none by then. */
async function appears({ tab, readiness }: Work, { hasContent }: Appearance): Promise<boolean> {
  if (hasContent) await tab.pause(contentTimeoutMs);
  else if (!(await contentAppears(tab, contentTimeoutMs))) return false;
  await readiness.within(readyTimeoutMs);
  return true;
}
