/** `format=text`: the page's visible text, in reading order. */

import { collectText } from "../in-page/serialise.ts";
import type { Work } from "../option-group.ts";
import { readText } from "./read-text.ts";

export async function captureText({ tab, shot }: Work): Promise<Buffer> {
  return await readText(tab, tab.evaluate(collectText, shot.isElement ?? false));
}
