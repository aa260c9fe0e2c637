/** Tells the caller that a page wanted WebGL and there was none. */

import type { Work } from "./option-group.ts";

/** What the browser's slot notes in every document: a page that asked in vain on a canvas that is part of it. */
export async function warnOfMissingWebgl({ tab, warn }: Work): Promise<void> {
  const wanted = await tab.evaluate(() => "hadNoWebgl" in globalThis);
  if (wanted) warn("the page asked for WebGL, which is switched off here, so what it draws with it is missing");
}
