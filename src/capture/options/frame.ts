/** Which part of the page is in the picture. */

import { z } from "zod";
import { AppError, type ParameterProblem } from "../../errors.ts";
import { firstVisible } from "../in-page/elements.ts";
import { expandMainScroller, unroll } from "../in-page/unroll.ts";
import { optionGroup, type Work } from "../option-group.ts";
import { type Region, scrollThrough, showRegion } from "../scroll-through.ts";

const clipParameters = ["clip_x", "clip_y", "clip_width", "clip_height"] as const;
type ClipParameter = (typeof clipParameters)[number];

export const frame = optionGroup({
  title: "Frame",
  intro: "Which part of the page is in the picture: the viewport, unless said otherwise.",
  example: { full_page: "true" },
  parameters: ({ fullPageHeightMax }) => ({
    selector: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({
        description:
          "CSS selector: the picture is the first visible element that matches, with what loads only when it is seen. Wins over `clip_…` and `full_page`.",
        examples: ["#main"],
      }),
    error_on_selector_not_found: z.boolean().default(true).meta({
      description:
        "Whether it is an error when no visible element matches `selector`; otherwise the picture is the viewport, with a warning.",
    }),
    clip_x: offset(
      fullPageHeightMax,
      "Left edge of a rectangle that becomes the picture, in CSS pixels from the page's left edge; it may lie below what the viewport shows. Goes together with `clip_y`, `clip_width` and `clip_height`. Wins over `full_page`.",
    ),
    clip_y: offset(fullPageHeightMax, "Upper edge of that rectangle, in CSS pixels from the page's top."),
    clip_width: extent(fullPageHeightMax, "Width of that rectangle in CSS pixels. What lies outside the page is cut off, with a warning."),
    clip_height: extent(fullPageHeightMax, "Height of that rectangle in CSS pixels."),
    full_page: z.boolean().default(false).meta({
      description:
        "The whole page from its top instead of the viewport. Where one large element scrolls instead of the page, as in many applications, it is shown at full length. What is fixed to the window appears once, where it is before scrolling.",
    }),
    full_page_scroll: z
      .boolean()
      .default(true)
      .meta({ description: "Go through the page before a `full_page` picture, so that what loads only when it is scrolled to is there." }),
    full_page_scroll_duration: z.int().min(0).max(30_000).default(400).meta({
      unit: "milliseconds",
      description:
        "Milliseconds for which `full_page_scroll` follows a page that grows as it is scrolled; images that began to load are then waited for, for 5 seconds at most. Pages that don't grow take less.",
    }),
    full_page_max_height: z.int().min(1).max(fullPageHeightMax).default(fullPageHeightMax).meta({
      description:
        "Height in CSS pixels at which a `full_page` picture is cut, with a warning. It is cut earlier where it would have more than 160 million pixels, or for webp, which has at most 16,383 on a side, more than 50 million; jpeg has at most 65,500 on a side.",
    }),
  }),
  conflicts: (options) => {
    const missing = clipParameters.filter((name) => options[name] === undefined);
    if (missing.length === clipParameters.length) return [];
    return missing.map((parameter) => ({ parameter, message: `is missing: ${clipParameters.join(", ")} go together` }));
  },
  beforeNavigation: (options, { shot }) => {
    shot.isMeasured = options.full_page || options.selector !== undefined || clipOf(options) !== undefined;
    return undefined;
  },
  afterNavigation: (options, work) => bringIn(options, work),
  afterReady: (options, work) => (work.readiness.wasInvalidated() ? bringIn(options, work) : undefined),
  frame: async (options, work) => {
    const { selector, error_on_selector_not_found, full_page, full_page_max_height } = options;
    const clip = clipOf(options);
    if (selector) {
      const box = await boxOf(work, selector);
      if (box) cutAt(work, "element", box, work.limits.fullPageHeightMax);
      else if (error_on_selector_not_found) throw new AppError("selector_not_found");
      else work.warn("no visible element matches the selector: the picture is the viewport");
    } else if (clip) work.shot.clip = await withinPage(work, clip);
    else if (full_page) cutAt(work, "page", { x: 0, y: 0, ...(await work.tab.evaluate(unroll)) }, full_page_max_height);
  },
});

interface Framed extends Partial<Record<ClipParameter, number>> {
  selector?: string | undefined;
  full_page: boolean;
  full_page_scroll: boolean;
  full_page_scroll_duration: number;
  full_page_max_height: number;
}

/** Lets what will be in the picture load. */
async function bringIn(options: Framed, work: Work): Promise<void> {
  const { selector, full_page, full_page_scroll, full_page_scroll_duration, full_page_max_height } = options;
  const clip = clipOf(options);
  if (selector) await showElement(work, selector);
  else if (clip) {
    if (!isInViewport(work, clip)) await showRegion(work, clip);
  } else if (full_page) {
    await work.tab.within(layoutTimeoutMs, work.tab.waitFor(expandMainScroller, full_page_max_height));
    if (full_page_scroll) await scrollThrough(work, { durationMs: full_page_scroll_duration, heightMax: full_page_max_height });
  }
}

/** For work in the page that lays it out a few times. */
const layoutTimeoutMs = 3_000;

function offset(max: number, description: string) {
  return z
    .int()
    .min(0)
    .max(max)
    .optional()
    .meta({ description, examples: [0] });
}

function extent(max: number, description: string) {
  return z
    .int()
    .min(1)
    .max(max)
    .optional()
    .meta({ description, examples: [400] });
}

function clipOf({ clip_x: x, clip_y: y, clip_width: width, clip_height: height }: Partial<Record<ClipParameter, number>>) {
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
  return { x, y, width, height };
}

function isInViewport({ shot: { viewport } }: Work, { x, y, width, height }: Region): boolean {
  return x + width <= viewport.width && y + height <= viewport.height;
}

/** The picture is `region` of the page, at most `heightMax` CSS pixels of it. */
function cutAt({ shot }: Work, what: "page" | "element", region: Region, heightMax: number): void {
  shot.whole = { what, height: region.height };
  shot.clip = { ...region, height: Math.min(region.height, heightMax) };
  shot.mayBeCut = true;
}

async function withinPage(work: Work, clip: Region): Promise<Region> {
  if (isInViewport(work, clip)) return clip;
  const page = await work.tab.evaluate(unroll);
  const width = Math.min(clip.width, page.width - clip.x);
  const height = Math.min(clip.height, page.height - clip.y);
  const outside: ParameterProblem[] = [];
  if (width < 1) outside.push(outsidePage("clip_x", page.width, "wide"));
  if (height < 1) outside.push(outsidePage("clip_y", page.height, "high"));
  if (outside.length > 0) throw new AppError("invalid_parameters", { details: outside });
  if (width < clip.width || height < clip.height)
    work.warn(`the clip reaches beyond the page and was cut to ${width} by ${height} CSS pixels`);
  return { ...clip, width, height };
}

function outsidePage(parameter: ClipParameter, length: number, side: "wide" | "high"): ParameterProblem {
  return {
    parameter,
    message: `${parameter} lies outside the page, which is ${length} CSS pixels ${side}`,
    allowed: `less than ${length}`,
  };
}

/** Lets what belongs into the element load, where it is out of view; an element that isn't there yet is no error here. */
async function showElement(work: Work, selector: string): Promise<void> {
  let box: ReturnType<typeof firstVisible>;
  await work.tab.within(
    layoutTimeoutMs,
    work.tab.waitFor(firstVisible, selector, true).then((found) => {
      box = found;
    }),
  );
  if (box && box !== "invalid" && !isInViewport(work, box)) await showRegion(work, box);
}

async function boxOf(work: Work, selector: string): Promise<Region | undefined> {
  let box = await work.tab.evaluate(firstVisible, selector, false);
  if (box === "invalid")
    throw new AppError("invalid_parameters", {
      details: [
        {
          parameter: "selector",
          message: `selector is ${JSON.stringify(selector)}, which is not a CSS selector`,
          allowed: "a CSS selector",
        },
      ],
    });
  if (box && !isInViewport(work, box)) {
    await work.tab.evaluate(unroll);
    box = await work.tab.evaluate(firstVisible, selector, false);
  }
  return box === "invalid" ? undefined : box;
}
