/** A page of the suite. */

import type { Scrolling } from "./reference/visit.ts";
import type { Edits } from "./site/offline.ts";

export interface FidelityCase {
  name: string;
  /** Its difficulty. */
  about: string;
  /**
   * Held back: ignored while fixing something, to check afterwards whether the fix is general. Every second page in the order of
   * the names when the suite was made; a new page takes whichever half has fewer.
   */
  held?: true;
  /** Path of a page in a package or a generated site: `/npm/aos/demo/simple.html`. */
  at?: string;
  /** Changes to its HTML, in addition to the removal of external URLs. */
  edits?: Edits;
  /** What becomes of the HTML file at each request, before the edits. */
  change?: (html: string) => string;
  /** A custom page for a library, as its README shows it, instead of `at`. */
  html?(query: URLSearchParams): string;
  /** How it scrolls, unless the wheel scrolls the document. */
  scrolling?: Scrolling;
  /** Selector of content without a single correct rendering: it doesn't count. */
  ignored?: string;
  /** Selector of a button to press before capturing the page; for the reference only. */
  pressed?: string;
  /** Parameters in addition to `full_page`. Peers are skipped, because they lack them. */
  options?: Record<string, string>;
}
