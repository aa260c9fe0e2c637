/** `format=html`: the document as the browser has it now. */

import { serialiseDocument } from "../in-page/serialise.ts";
import type { Work } from "../option-group.ts";
import { readText } from "./read-text.ts";

export async function captureHtml({ tab, shot }: Work): Promise<Buffer> {
  return await readText(tab, tab.evaluate(serialiseDocument, shot.isElement ?? false));
}
