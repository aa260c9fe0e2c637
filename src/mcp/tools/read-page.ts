/** `read_page`: the text of a page as Markdown. */

import { callApi } from "../call.ts";
import { inLine, pageLines } from "../text.ts";
import { furtherParts, noSuchPart, pageInput, pageOptions, text, tool } from "../tool.ts";

/** Maximum characters per result: about 10,000 tokens. */
const partMax = 40_000;
/**
 * Maximum number of a page's bytes that are read: about a hundred parts of ASCII text. Splitting the longest possible document would block
 * all other requests.
 */
export const readableMax = 4 * 1024 * 1024;

export const readPageTool = tool({
  name: "read_page",
  title: "Text of a web page",
  description:
    "Reads a web page as Markdown, after its scripts have run: headings, text, links and tables. Cheaper than a screenshot if only the text matters. Long pages are returned in parts.",
  isReadOnly: true,
  input: pageInput,
  async run(call, page) {
    const { options, capture } = pageOptions(page);
    const { body, headers, isCut } = await callApi(call, {
      method: "POST",
      path: "/v1/screenshots/take",
      body: { ...options, format: "markdown" },
      bytesMax: readableMax,
    });
    const parts = partsOf(body.toString());
    const part = parts[page.part - 1];
    if (part === undefined) throw noSuchPart(parts.length);
    const verdict = headers["x-verdict"] ?? "ok";
    return [
      text([
        `The page responded with status ${headers["x-target-status"] ?? "unknown"}.`,
        furtherParts({ first: page.part, last: page.part, total: parts.length, capture }),
        isCut && page.part === parts.length && "The page is too long: its end can't be read.",
        !["ok", "unknown"].includes(verdict) && `This may not be the page itself: ${inLine(headers["x-verdict-reason"] ?? verdict)}`,
        ...pageLines(headers["x-target-url"] ?? ""),
      ]),
      { type: "text", text: part || "The page has no text." },
    ];
  },
});

/** Splits at line breaks where possible. */
export function partsOf(whole: string): string[] {
  const parts: string[] = [];
  for (let rest = whole; ; ) {
    if (rest.length <= partMax) return [...parts, rest];
    const line = rest.lastIndexOf("\n", partMax);
    const isPair = /[\ud800-\udbff]/.test(rest[partMax - 1] ?? "");
    const end = line > partMax / 2 ? line : partMax - (isPair ? 1 : 0);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
}
