/** `screenshot`: images of a page at a size that models accept, and a list of its elements. */

import { z } from "zod";
import { type ApiAnswer, callJson, failedCall, readFile, readJson, ToolError } from "../call.ts";
import { cut, fromPage, inLine, pageLines, selectorIn } from "../text.ts";
import { furtherParts, noSuchPart, pageInput, pageOptions, sideMax, type ToolContent, text, tool } from "../tool.ts";
import { boxInAnswer } from "./compare.ts";

/** Maximum number of images per result. */
const imagesMax = 3;
const elementsMax = 150;
const selectorMax = 130;
/** Maximum size of the list of elements, larger than any ordinary page needs. Parsing a larger list would block other requests. */
const listBytesMax = 6 * 1024 * 1024;
const noteMax = 500;
/** In pixels. At the default width, `fit=model` doesn't have to scale a slice down. */
const sliceHeight = 880;
/** Maximum height captured with `from`, in pixels. */
const restMax = 10 * sliceHeight;
/** Slightly below the pixel limit beyond which WebP images are cut off. */
const pixelsMax = 49e6;
/** The width at which phones lay out pages without a mobile layout, and the highest device pixel ratio of a phone. */
const device = { width: 980, scale: 4 };

/** Height captured with `from`. Lower for devices, whose pixel ratio would make the image too large. */
function restHeightOf({ width, viewport_device }: { width?: number | undefined; viewport_device?: string | undefined }): number {
  const pixels = viewport_device ? (width ?? device.width) * device.scale ** 2 : (width ?? 1280);
  return Math.max(sliceHeight, Math.min(restMax, Math.floor(pixelsMax / pixels)));
}

const captured = z.object({
  target: z.object({ url: z.string(), status: z.number().nullable(), title: z.string() }),
  outputs: z.array(
    z.object({
      url: z.string().nullish(),
      name: z.string(),
      id: z.string().optional(),
      width: z.number().nullish(),
      height: z.number().nullish(),
      content_type: z.string().optional(),
      slices: z.array(z.object({ url: z.string().nullish() })).optional(),
      verdict: z.object({ kind: z.string(), reasons: z.array(z.string()) }).optional(),
      warnings: z.array(z.string()).optional(),
      error: z.object({ message: z.string(), code: z.string(), retryable: z.boolean() }).optional(),
    }),
  ),
});

const listing = z.object({ elements: z.array(z.object({ role: z.string(), name: z.string(), selector: z.string(), box: boxInAnswer })) });

export const screenshotTool = tool({
  name: "screenshot",
  title: "Screenshot of a web page",
  description:
    "Shows a web page, or HTML or Markdown, as images: by default what a visitor sees first; with full_page the whole page, in several parts from top to bottom. With elements, also lists what can be clicked or read, with CSS selectors. Without full_page, the result contains the screenshot's id, for the compare tool.",
  isReadOnly: true,
  input: {
    ...pageInput,
    from: z
      .int()
      .min(0)
      .max(sideMax)
      .default(0)
      .describe(
        `Pixels from the top at which to begin, for pages that are longer than full_page shows. Shows up to ${restMax} pixels from there.`,
      ),
    full_page: z.boolean().default(false).describe("The whole page instead of the first screen."),
    selector: z.string().max(1024).optional().describe("CSS selector of an element, to show only that element."),
    elements: z.boolean().default(false).describe("Also list links, buttons, fields and text with their selectors."),
  },
  async run(call, { full_page, selector, elements, from, ...page }) {
    const { options, capture } = pageOptions(page);
    const rest = { clip_x: 0, clip_y: from, clip_width: page.width ?? 1280, clip_height: restHeightOf(page) };
    const frame = from > 0 ? rest : selector ? { selector } : { full_page };
    const isLong = from > 0 || (full_page && !selector);
    const view = { name: "view", format: "webp", fit: "model", ...frame, ...(isLong ? { slice_height: sliceHeight } : {}) };
    const list = { name: "elements", format: "elements", ...frame };
    // A comparison needs the elements and an unscaled image; for a long page, that image would take longer than everything else.
    const forCompare = isLong ? [] : [{ name: "whole", format: "png", ...frame }];
    const outputs = [view, ...forCompare, ...(elements || !isLong ? [list] : [])];
    const { target, outputs: found } = await withOwnArgumentNames(
      callJson(call, { method: "POST", path: "/v1/captures", body: { ...options, outputs } }, captured),
    );
    const [shown, whole, listed] = ["view", "whole", "elements"].map((name) => found.find((output) => output.name === name));
    if (!shown || shown.error) throw failedCall(shown?.error ?? { message: "", code: "", retryable: true });
    const files = shown.slices ?? [shown];
    if (page.part > files.length) throw noSuchPart(files.length);
    const chosen = files.slice(page.part - 1, page.part - 1 + imagesMax);
    const images = await Promise.all(chosen.map(async (part) => imageOf((await readFile(call, part)).body, shown.content_type)));
    const { width, height } = whole ?? shown;
    const { status, url, title } = target;
    const last = page.part - 1 + chosen.length;
    const warnings = shown.warnings ?? [];
    const notes = warnings.filter((warning) => !clipEnd.test(warning)).map((warning) => `Note: ${cut(inLine(warning), noteMax)}.`);
    return [
      text([
        `The part shown${from > 0 ? ` from ${from} on` : ""} is ${width} × ${height} pixels${status === null ? "" : `; the page responded with status ${status}`}.`,
        furtherParts({ first: page.part, last, total: files.length, capture }),
        isLong && last === files.length && whatFollows(from, rest.clip_height, warnings),
        shown.verdict &&
          !["ok", "unknown"].includes(shown.verdict.kind) &&
          `This may not be the page itself: ${inLine(shown.verdict.reasons.join(" "))}`,
        whole?.id !== undefined && `Id for compare: ${whole.id}`,
        ...notes.filter((note) => !hasAddress(note)),
        ...pageLines(url, title),
        ...notes.filter(hasAddress),
      ]),
      ...images,
      ...(elements && listed && !listed.error ? [elementsOf(await readFile(call, listed, listBytesMax))] : []),
    ];
  },
});

/** API warnings about a clip that extends beyond the page, and about a page longer than MAX_FULL_PAGE_HEIGHT. */
const clipEnd = /^the clip extends beyond the page and was cut to \d+ by (\d+)/;
const pageCut = /^the page is \d+ CSS pixels high and was cut off at (\d+)/;

/** Tells the model how to see the rest of the page, if the page may continue below the last part. */
function whatFollows(from: number, restHeight: number, warnings: string[]): string | undefined {
  const pixelsIn = (warning: RegExp) => warnings.flatMap((one) => warning.exec(one)?.slice(1).map(Number) ?? [])[0];
  if (from > 0 && (pixelsIn(clipEnd) ?? restHeight) < restHeight) return "This is the end of the page.";
  const next = from > 0 ? from + restHeight : pixelsIn(pageCut);
  return next === undefined
    ? undefined
    : `The page may continue below: call this tool again with from=${next}, but without full_page, part or capture.`;
}

/** Whether a note quotes URLs from the page, which may contain arbitrary text. */
const hasAddress = (note: string) => /:\/|still loading: /.test(note);

/** Maximum length in characters of an error from which repetitions are removed. */
const errorMax = 4_000;

/** Rewrites API errors to name the argument that the model gave. */
async function withOwnArgumentNames<T>(called: Promise<T>): Promise<T> {
  try {
    return await called;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const message = error.message.replaceAll("clip_y", "from").replace(/\boutputs\[\d+\]\.(?=\w)/g, "");
    // A problem with the shared options is repeated for each output; keep it only once.
    throw new ToolError(message.length > errorMax ? message : message.replace(/([^;]+)(?:; \1)+(?=[.;])/g, "$1"));
  }
}

function imageOf(bytes: Buffer, mimeType = "image/webp"): ToolContent {
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

function elementsOf({ body, isCut }: ApiAnswer): ToolContent {
  if (isCut) return text(["The list of elements is too long: use selector to look at a part of the page."]);
  const { elements } = readJson(body, listing);
  const lines = elements.slice(0, elementsMax).map(({ role, name, selector, box: { x, y, width, height } }) => {
    const shown = selectorIn(selector, selectorMax) ?? "(its selector is too long, or spans several lines)";
    return `${role} ${JSON.stringify(cut(inLine(name), 100))} ${shown} at ${x},${y} ${width}×${height}`;
  });
  const left = elements.length - lines.length;
  return text([
    left > 0 && `Some of the elements; ${left} more ${left === 1 ? "is" : "are"} not listed: use selector to look at a part of the page.`,
    `Elements, with positions in pixels of the page. ${fromPage}`,
    ...lines,
  ]);
}
