/** `format=elements`: elements that a person can use or read in the image, as JSON, for automation scripts and vision models. */

import { wrongParameter } from "../../shared/errors.ts";
import { imageSize } from "../image/spec.ts";
import { createSelectors, elementTree } from "../in-page/element-tree.ts";
import { keepElements, keepMatches, shownElements } from "../in-page/page-elements.ts";
import type { Work } from "../option-group.ts";
import type { CaptureOptions } from "../options.ts";
import { librariesSource, readText } from "./page-text.ts";

const elementsMax = 5_000;

let script: Promise<string> | undefined;

async function load(): Promise<string> {
  return `(frame) => {
    const { axe } = ${await librariesSource({ axe: import.meta.resolve("axe-core/axe.min.js") })};
    return (${keepElements})((${shownElements})(frame), axe, frame, (elements, place) => (${elementTree})(elements, place, (${createSelectors})()));
  }`;
}

/**
 * @throws {AppError} `image_too_large` if an image with these options would be too large; `document_too_large`; `invalid_parameters` for an
 *   invalid selector.
 */
export async function renderElements(work: Work, { match_selectors: selectors }: CaptureOptions): Promise<Buffer> {
  const { tab, shot, warn } = work;
  if (selectors) return await renderMatches(work, selectors);
  const { scale } = imageSize(shot);
  script ??= load();
  const isComplete = await tab.evaluateSource(await script, { clip: shot.clip ?? null, scale, elementsMax });
  if (!isComplete) warn(`only the first ${elementsMax} elements in the image are listed`);
  return await readText(tab, Promise.resolve());
}

/** Maximum length of all matches as JSON, in characters. It is low, because the compatible interfaces parse this JSON. */
const matchesLengthMax = 5_000_000;

async function renderMatches({ tab, warn }: Work, selectors: string[]): Promise<Buffer> {
  const { isComplete, wrong } = await tab.evaluate(keepMatches, selectors, { elementsMax, lengthMax: matchesLengthMax });
  if (wrong !== undefined)
    throw wrongParameter("match_selectors", `contains ${JSON.stringify(wrong)}, which is not a CSS selector`, "CSS selectors");
  if (!isComplete) warn("too many elements match, or they are too large: the rest were left out");
  return await readText(tab, Promise.resolve());
}
