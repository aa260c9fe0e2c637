/** A page of the suite. */

import type { Scrolling } from "./reference/visit.ts";
import type { Edits } from "./site/offline.ts";

export interface FidelityCase {
  name: string;
  /** What makes it difficult. */
  about: string;
  /**
   * Held back: ignored while fixing something, to check afterwards whether the fix is general. Initially every second page by name; a
   * new page goes to whichever half has fewer.
   */
  held?: true;
  /** Path of a page in a package or a generated site: `/npm/aos/demo/simple.html`. */
  at?: string;
  /** Changes to its HTML, in addition to the removal of external URLs. */
  edits?: Edits;
  /** Changes the HTML file on each request, before the edits. */
  change?: (html: string) => string;
  /** A custom page for a library, as shown in its README, used instead of `at`. */
  html?(query: URLSearchParams): string;
  /** How it scrolls, unless the wheel scrolls the document. */
  scrolling?: Scrolling;
  /** Selector of content without a single correct rendering: it doesn't count. */
  ignored?: string;
  /** Selector of a button to press before capturing the page; for the reference only. */
  pressed?: string;
  /** Parameters in addition to `full_page`. Peers are skipped, because they don't support them. */
  options?: Record<string, string>;
}
