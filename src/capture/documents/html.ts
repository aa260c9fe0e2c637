/** `format=html`: the document's current DOM, serialised. */

import { stillInAnyWindow } from "../in-page/freeze.ts";
import { adoptedReader, serialiseDocument } from "../in-page/serialise.ts";
import type { Work } from "../option-group.ts";
import { readText } from "./read-text.ts";

const source = `(isElement, ownCss) => (${serialiseDocument})(isElement, (${adoptedReader})(ownCss))`;
const ownCss = `${Object.values(stillInAnyWindow).join("")}*{caret-color:transparent!important}`;

export async function captureHtml({ tab, shot }: Work): Promise<Buffer> {
  return await readText(tab, tab.evaluateSource(source, shot.isElement ?? false, ownCss));
}
