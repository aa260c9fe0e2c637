/** Compares two screenshots: what a person would call changed, and what it is. */

import { diff } from "@blazediff/core";
import { area, overlap } from "./boxes.ts";
import type { Box, CompareOptions, Comparison, ListedElement, Region, Shot } from "./comparison.ts";
import { markedBoxes } from "./marked-boxes.ts";
import { decode, type Pixels } from "./pixels.ts";

const regionsMax = 100;

/** Images of different sizes are compared too: their top left corners are aligned. @throws {Error} If an image can't be decoded. */
export async function compare(before: Shot, after: Shot, { by, threshold, ignore }: CompareOptions): Promise<Comparison> {
  const [one, other] = [await decode(before.image), await decode(after.image)];
  const [width, height] = [Math.max(one.width, other.width), Math.max(one.height, other.height)];
  const mask = by === "text" ? new Uint8Array(width * height) : differing(one, other, width, height);
  const ignored = [
    ...ignore.boxes,
    ...(after.elements?.elements ?? []).filter(({ selector }) => selector && ignore.selectors.includes(selector)).map(({ box }) => box),
  ];
  for (const box of ignored)
    for (let y = Math.max(0, box.y); y < Math.min(height, box.y + box.height); y++)
      mask.fill(0, y * width + Math.max(0, box.x), y * width + Math.min(width, box.x + box.width));
  const isIgnored = (box: Box) => ignored.some((other) => overlap(box, other) > area(box) / 2);
  const texts = by === "pixels" ? [] : changedTexts(before, after).filter(({ after }) => after && !isIgnored(after));
  const visible = markedBoxes(mask, width, height, 4).filter((box) => !texts.some(({ after }) => after && overlap(after, box)));
  const regions = [...texts, ...visible.map((box) => regionOf(box, after.elements?.elements ?? []))];
  const changedShare = mask.reduce((sum, marked) => sum + marked, 0) / (width * height);
  return {
    isChanged: regions.length > 0 && (threshold === 0 || changedShare > threshold),
    changedShare,
    sizeBefore: { width: one.width, height: one.height },
    sizeAfter: { width: other.width, height: other.height },
    regions: regions
      .sort((a, b) => area(b.after ?? { x: 0, y: 0, width: 0, height: 0 }) - area(a.after ?? { x: 0, y: 0, width: 0, height: 0 }))
      .slice(0, regionsMax),
  };
}

/** A byte for each pixel: 1 if it differs. */
function differing(one: Pixels, other: Pixels, width: number, height: number): Uint8Array {
  const marked = new Uint8Array(width * height * 4);
  diff(enlarged(one, width, height), enlarged(other, width, height), marked, width, height, { diffMask: true });
  return Uint8Array.from({ length: width * height }, (_, at) => (marked[at * 4 + 3] ? 1 : 0));
}

function enlarged({ data, width, height }: Pixels, toWidth: number, toHeight: number): Uint8Array {
  if (width === toWidth && height === toHeight) return data;
  const larger = new Uint8Array(toWidth * toHeight * 4).fill(255);
  for (let y = 0; y < height; y++) larger.set(data.subarray(y * width * 4, (y + 1) * width * 4), y * toWidth * 4);
  return larger;
}

function changedTexts(before: Shot, after: Shot): Region[] {
  const earlier = new Map((before.elements?.elements ?? []).map((element) => [element.selector, element]));
  return (after.elements?.elements ?? []).flatMap((element): Region[] => {
    const old = earlier.get(element.selector);
    if (!old || old.text === element.text) return [];
    const name = `“${old.text}” → “${element.text}”`;
    const selector = element.selector ?? null;
    return [{ kind: "changed", before: old.box, after: element.box, selector, name, textBefore: old.text, textAfter: element.text }];
  });
}

function regionOf(box: Box, elements: ListedElement[]): Region {
  const about = elements.filter((element) => overlap(element.box, box)).sort((a, b) => overlap(b.box, box) - overlap(a.box, box))[0];
  const name = about ? `“${about.name || about.text}” changed` : "Changed";
  return { kind: "changed", before: box, after: box, selector: about?.selector ?? null, name, textBefore: null, textAfter: null };
}
