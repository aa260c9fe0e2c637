/** `format=metadata`: the page's description of itself, such as title, canonical URL and structured data, as JSON. */

import { documentFacts } from "../in-page/document-facts.ts";
import { collectMetadata, structuredData } from "../in-page/metadata.ts";
import type { Work } from "../option-group.ts";
import { readText } from "./read-text.ts";

export async function captureMetadata({ tab }: Work): Promise<Buffer> {
  const { status } = await tab.evaluate(documentFacts);
  return await readText(tab, tab.evaluate(collectMetadata, status || null, await tab.evaluate(structuredData)));
}
