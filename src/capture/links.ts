/** Reads the links of a captured page, within limits. */

import { pageLinks } from "./in-page/page-links.ts";
import type { OpenedPage, PageLinks } from "./request.ts";

const max = { addresses: 2_000, addressLength: 2_048, length: 400_000, elements: 100_000 };

/** Resolves to undefined if the links can't be read, for example because the page is being replaced. */
export async function readLinks({ work: { tab } }: OpenedPage): Promise<PageLinks | undefined> {
  return await tab.evaluate(pageLinks, max).catch(() => undefined);
}
