/** What is compared, and the result. */

/** Pixels of an image. */
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
  /** Its position in `tree`. */
  node?: number;
}

export interface TreeNode {
  selector: string;
  tag: string;
  id: string | null;
  classes: string[];
  /** Position among its siblings, from 1. */
  nth: number;
  /** Position of its parent in the tree, which is before its own. */
  parent: number | null;
  /** Of a picture. */
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

/** Of an image that is compared: decoded, two of them take 400 MB. */
export const comparedPixelsMax = 50_000_000;

/** Elements of a list, and nodes of its tree, that are compared: `format=elements` lists fewer unless they are nested very deeply. */
const [elementsMax, treeMax] = [10_000, 50_000];

/** Whether a list has so many elements that the pixels alone are compared. */
export function isTooLong({ elements, tree = [] }: ElementList): boolean {
  return elements.length > elementsMax || tree.length > treeMax;
}

export interface Shot {
  /** PNG, JPEG, WebP or AVIF. */
  image: Buffer;
  /** Of the same load, with boxes in pixels of the image. Without it regions have no name, and texts are not compared. */
  elements?: ElementList;
}

export const comparedBy = ["pixels", "text", "both"] as const;

export interface CompareOptions {
  /** What counts as a change. */
  by: (typeof comparedBy)[number];
  /** Share of pixels that must differ before it is a change, 0 to 1. 0: any visible region is one. */
  threshold: number;
  /** Left out: boxes in pixels of the image after, and elements by selector with what is in them. */
  ignore: { boxes: Box[]; selectors: string[] };
  /** Whether `hashes` are needed. */
  hasHashes?: boolean;
}

export interface Region {
  kind: "changed" | "added" | "removed" | "moved";
  /** null: added. */
  before: Box | null;
  /** null: removed. */
  after: Box | null;
  /** Of the element it is about; null without elements. */
  selector: string | null;
  /** Such as `Price: 19 € → 21 €`. */
  name: string;
  /** null: no text changed. */
  textBefore: string | null;
  textAfter: string | null;
}

export interface Comparison {
  isChanged: boolean;
  /** Share of pixels that differ, 0 to 1, once what moved is aligned; without ignored ones. */
  changedShare: number;
  sizeBefore: { width: number; height: number };
  sizeAfter: { width: number; height: number };
  /** At most 100, what changed, was added or removed before what moved, then by area. */
  regions: Region[];
  /** Of each region, by which it is known when it comes again. */
  hashes?: string[];
}
