/** `screenshot`: images of a page within what models read, and what is where on it. */

import { z } from "zod";
import { callApi, callJson, ToolError } from "../call.ts";
import { type Content, cut, fromPage, furtherParts, pageInput, pageOptions, text, tool } from "../tool.ts";

/** In one answer. */
const imagesMax = 3;
const elementsMax = 150;
const selectorMax = 130;
/** In pixels; within the bounds of `fit=model` at the default width. */
const sliceHeight = 880;
/** With `from`, in one capture. */
const restHeight = 10 * sliceHeight;

interface File {
  id?: string;
  url?: string | null;
  width: number;
  height: number;
  y?: number;
}

interface Output extends File {
  name: string;
  content_type?: string;
  slices?: File[];
  verdict?: { kind: string; reasons: string[] };
  warnings?: string[];
  error?: { message: string };
}

interface Capture {
  target: { url: string; status: number | null; title: string };
  outputs: Output[];
}

interface Element {
  role: string;
  name: string;
  selector: string;
  box: { x: number; y: number; width: number; height: number };
}

export const screenshot = tool({
  name: "screenshot",
  title: "Screenshot of a web page",
  description:
    "Shows a web page, or HTML or Markdown, as images. By default what a visitor sees first; with full_page the whole page, in several parts from top to bottom. With elements also what can be clicked or read, with CSS selectors. Without full_page, the answer has an id of the screenshot, for the tool compare.",
  isReadOnly: true,
  input: {
    ...pageInput,
    from: z
      .number()
      .int()
      .min(0)
      .default(0)
      .describe("Pixels from the top where to begin, for pages that are longer than full_page shows."),
    full_page: z.boolean().default(false).describe("The whole page instead of the first screen."),
    selector: z.string().optional().describe("CSS selector of the only element to show."),
    elements: z.boolean().default(false).describe("Also list links, buttons, fields and texts with their selectors."),
  },
  async run(call, { full_page, selector, elements, from, ...page }) {
    const { options, capture } = pageOptions(page);
    const rest = { clip_x: 0, clip_y: from, clip_width: page.width ?? 1280, clip_height: restHeight };
    const frame = from > 0 ? rest : selector ? { selector } : { full_page };
    const isLong = from > 0 || (full_page && !selector);
    const view = { name: "view", format: "webp", fit: "model", ...frame, ...(isLong ? { slice_height: sliceHeight } : {}) };
    const list = { name: "elements", format: "elements", ...frame };
    // A comparison needs the elements beside the image as it is; of a long page that image would take longer than all else.
    const forCompare = isLong ? [] : [{ name: "whole", format: "png", ...frame }];
    const outputs = [view, ...forCompare, ...(elements || !isLong ? [list] : [])];
    const found: Capture = await callJson(call, { method: "POST", path: "/v1/captures", body: { ...options, outputs } });
    const [shown, whole, listed] = ["view", "whole", "elements"].map((name) => found.outputs.find((output) => output.name === name));
    if (!shown || shown.error) throw new ToolError(shown?.error?.message ?? "There is no image.");
    const files = shown.slices ?? [shown];
    if (page.part > files.length) throw new ToolError(`There are ${files.length} parts; part must be from 1 to ${files.length}.`);
    const chosen = files.slice(page.part - 1, page.part - 1 + imagesMax);
    const images = await Promise.all(chosen.map(async (file) => imageOf((await readFile(call, file)).body, shown.content_type)));
    const { title, url, status } = found.target;
    return [
      text([
        `${JSON.stringify(title)}, ${url}${status === null ? "" : `, status ${status}`}. The page is ${whole?.width ?? shown.width} × ${whole?.height ?? shown.height} pixels.`,
        furtherParts({ first: page.part, last: page.part + chosen.length - 1, total: files.length, capture }),
        shown.verdict &&
          !["ok", "unknown"].includes(shown.verdict.kind) &&
          `This may not be the page itself: ${shown.verdict.reasons.join(" ")}`,
        whole?.id !== undefined && `Id for compare: ${whole.id}`,
        ...(shown.warnings ?? []).map((warning) => `Note: ${warning}.`),
      ]),
      ...images,
      ...(elements && listed && !listed.error ? [elementsOf((await readFile(call, listed)).body)] : []),
    ];
  },
});

async function readFile(call: Parameters<typeof callApi>[0], { url }: File) {
  const { pathname, search } = URL.parse(url ?? "") ?? {};
  if (!pathname) throw new ToolError("The image could not be stored. Try again.");
  return await callApi(call, { method: "GET", path: `${pathname}${search}` });
}

function imageOf(bytes: Buffer, mimeType = "image/webp"): Content {
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

function elementsOf(bytes: Buffer): Content {
  const { elements } = JSON.parse(bytes.toString()) as { elements: Element[] };
  const lines = elements.slice(0, elementsMax).map(({ role, name, selector, box: { x, y, width, height } }) => {
    // A selector that is cut off would select nothing.
    const shown = selector.length <= selectorMax ? selector : "(its selector is too long)";
    return `${role} ${JSON.stringify(cut(name, 100))} ${shown} at ${x},${y} ${width}×${height}`;
  });
  const left = elements.length - lines.length;
  return text([
    `Elements, with positions in pixels of the page. ${fromPage}`,
    ...lines,
    left > 0 && `${left} more are not listed: use selector to look at a part of the page.`,
  ]);
}
