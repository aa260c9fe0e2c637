/** Reads text that a script has assembled in the page, in parts: parsing one large message would block the service. */

import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import { encodedPart } from "../in-page/kept-text.ts";

/** Larger documents are rejected. */
const bytesMax = 50_000_000;
const partBytes = 512 * 1024;

/**
 * @param kept resolves once a script has assigned the text to `globalThis.tintypeText`.
 * @throws {AppError} `document_too_large`; {Error} if the document was replaced in the meantime.
 */
export async function readText(tab: Tab, kept: Promise<unknown>): Promise<Buffer> {
  await kept;
  let text = Buffer.alloc(0);
  for (let start = 0, length = 1; start < length; start += partBytes) {
    const part = await tab.evaluate(encodedPart, start, partBytes);
    if (!part) throw new Error("The document was replaced while it was read");
    length = part.length;
    if (length > bytesMax)
      throw new AppError("document_too_large", {
        message: `The document has ${length} bytes; at most ${bytesMax / 1e6} million are allowed.`,
      });
    if (start === 0) text = Buffer.alloc(length); // the memory is committed only as parts are written
    text.write(part.base64, start, "base64");
  }
  return text;
}
