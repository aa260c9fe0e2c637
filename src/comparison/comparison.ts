/** Input and result of a comparison. */

/** A rectangle in image pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface ListedElement {
  role: string;
  /** Accessible name. */
  name: string;
  tag: string;
  text: string;
  href: string | null;
  box: Box;
  selector?: string;
  /** Index in `tree`. */
  node?: number;
}

export interface TreeNode {
  selector: string;
  tag: string;
  id: string | null;
  classes: string[];
  /** Position among its siblings, from 1. */
  nth: number;
  /** The parent's index in the tree, always lower than the node's own. */
  parent: number | null;
  /** Alternative text; set only for pictures. */
  alt: string | null;
  src: string | null;
  box: Box;
}

/** The content of `format=elements`. */
export interface ElementList {
  width: number;
  height: number;
  elements: ListedElement[];
  tree?: TreeNode[];
}

/** Maximum pixels per image: two decoded images of this size take 400 MB. */
export const comparedPixelsMax = 50_000_000;

/** Maximum number of compared elements and tree nodes per list. `format=elements` lists fewer, unless elements are nested very deeply. */
const [elementsMax, treeMax] = [10_000, 50_000];

/** Whether a list is too long to compare; only pixels are then compared. */
export function isTooLong({ elements, tree = [] }: ElementList): boolean {
  return elements.length > elementsMax || tree.length > treeMax;
}

export interface Shot {
  /** PNG, JPEG, WebP or AVIF. */
  image: Buffer;
  /** From the same page load, with boxes in image pixels. If absent, regions have only generic names, and text is not compared. */
  elements?: ElementList;
}

/** A shot whose elements may still be serialized, as stored: the worker thread parses them, which takes a tenth of a second or more. */
export interface ReadShot extends Omit<Shot, "elements"> {
  elements?: ElementList | Uint8Array;
}

/** Whether a stored list of elements belongs to an image of this size. */
export function isElementsOf(file: Buffer, { width, height }: { width: number; height: number }): boolean {
  const start = `{"width":${width},"height":${height},"elements":`;
  return file.toString("latin1", 0, start.length) === start;
}

export const comparedBy = ["pixels", "text", "both"] as const;

export interface CompareOptions {
  /** Kind of difference that counts as a change. */
  by: (typeof comparedBy)[number];
  /** Share of pixels that must differ to count as a change, 0 to 1. With 0, any region counts. */
  threshold: number;
  /** Excluded parts: boxes in pixels of the later image, and elements by selector, including their descendants. */
  ignore: { boxes: Box[]; selectors: string[] };
  /** Whether to compute `hashes`. */
  hasHashes?: boolean;
}

export interface Region {
  kind: "changed" | "added" | "removed" | "moved";
  /** Null if added. */
  before: Box | null;
  /** Null if removed. */
  after: Box | null;
  /** The affected element; null if the elements are unknown, or if the selector is longer than `worker.ts` allows. */
  selector: string | null;
  /** A name such as `Price: 19 € → 21 €`. */
  name: string;
  /** Shortened by `worker.ts`; null if no text changed. */
  textBefore: string | null;
  textAfter: string | null;
}

export interface Comparison {
  isChanged: boolean;
  /**
   * Share of pixels that differ after aligning moved content, 0 to 1; ignored pixels don't count. If pixels were not compared,
   * as with `by=text`, the regions' share of the later image.
   */
  changedShare: number;
  sizeBefore: { width: number; height: number };
  sizeAfter: { width: number; height: number };
  /** At most 100 regions, the largest first, but moved regions last. */
  regions: Region[];
  /** One per region, if `hasHashes` was set. A region that reappears in a later comparison has the same hash. */
  hashes?: string[];
}
