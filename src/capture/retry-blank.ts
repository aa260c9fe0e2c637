/** Captures a blank image again: a page may briefly be blank before it shows its content. */

import type { Tab } from "../browser/tab.ts";
import { inspectIfUniform, mayBeUniform } from "./image/blank.ts";
import { type Appearance, untilContent } from "./in-page/blank.ts";
import type { Work } from "./option-group.ts";
import type { CaptureRequest, OutputSnapshot } from "./request.ts";

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
  if (!mayBeUniform(first[0], shot)) return { snapshot: first, showsNothing: false }; // most images
  const leftMs = () => Math.max(0, deadlineAt - responseMs - performance.now());
  const inspect = ([image]: OutputSnapshot) => inspectIfUniform(tab, image, shot).catch(() => undefined); // if it fails, the image is kept
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
