/** `format=elements`: what a person can use or read in the image, as JSON, for programs that click and models that look. */

import { imageSize } from "../capture-image.ts";
import { elementTree } from "../in-page/element-tree.ts";
import { keepElements, shownElements } from "../in-page/page-elements.ts";
import { createSelectors } from "../in-page/selectors.ts";
import type { Work } from "../option-group.ts";
import { librariesSource } from "./libraries.ts";
import { readText } from "./read-text.ts";

const elementsMax = 5_000;

let script: Promise<string> | undefined;

async function load(): Promise<string> {
  return `(frame) => {
    const { axe } = ${await librariesSource({ axe: import.meta.resolve("axe-core/axe.min.js") })};
    return (${keepElements})((${shownElements})(frame), axe, frame, (elements, place) => (${elementTree})(elements, place, (${createSelectors})()));
  }`;
}

/** @throws {AppError} `image_too_large`, as for the image. */
export async function captureElements({ tab, shot, warn }: Work): Promise<Buffer> {
  const { scale } = imageSize(shot);
  script ??= load();
  const isComplete = await tab.evaluateSource(await script, { clip: shot.clip ?? null, scale, elementsMax });
  if (!isComplete) warn(`the page has more than ${elementsMax} elements: the others were left out`);
  return await readText(tab, Promise.resolve());
}
