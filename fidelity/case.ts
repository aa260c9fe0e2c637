/** What one page of the suite is. */

import type { Scrolling } from "./reference/visit.ts";
import type { Edits } from "./site/offline.ts";

export interface FidelityCase {
  name: string;
  /** What is hard about it. */
  about: string;
  /**
   * Not to be looked at while something is being mended, to tell whether the remedy is general. Every second page in the order of
   * the names when the suite was made; a new page takes whichever half has fewer.
   */
  held?: true;
  /** Path of a page that a package or a generated site has: `/npm/aos/demo/simple.html`. */
  at?: string;
  /** Changes to its HTML, on top of what takes outside addresses out. */
  edits?: Edits;
  /** A page made here around a library, as the library's README shows it, instead of `at`. */
  html?(query: URLSearchParams): string;
  /** How it scrolls, where it isn't the document by wheel. */
  scrolling?: Scrolling;
  /** Selector of what has no one right look: it doesn't count. */
  ignored?: string;
  /** Selector of a button that a visitor presses before looking at the page; for the reference only. */
  pressed?: string;
  /** Parameters of the request besides `full_page`. Peers, which lack them, are left out. */
  options?: Record<string, string>;
}
