/** The part of the page that the screenshot shows. */

import { z } from "zod";
import { AppError, type ParameterProblem } from "../../shared/errors.ts";
import { findPart, frameDocument, unrollPage } from "../find-part.ts";
import { findElement } from "../in-page/elements.ts";
import { expandFrame } from "../in-page/expand-frame.ts";
import { expandMainScroller } from "../in-page/expand-scroller.ts";
import { flattenDepth } from "../in-page/flatten-depth.ts";
import { keepRevealed } from "../in-page/reveals.ts";
import { clipsContent } from "../in-page/unreachable.ts";
import { optionGroup, type Work } from "../option-group.ts";
import { listensToWheel } from "../scrolling/listeners.ts";
import { showMoved } from "../scrolling/on-wheel.ts";
import { hasGrown, type ScrolledRegion, scrollThrough, showRegion } from "../scrolling/through.ts";

const clipParameters = ["clip_x", "clip_y", "clip_width", "clip_height"] as const;
type ClipParameter = (typeof clipParameters)[number];

export const frame = optionGroup({
  title: "Frame",
  intro: "Which part of the page the screenshot shows; by default, the viewport.",
  example: { full_page: "true" },
  onlyIfSet: ["selector", ...clipParameters, "full_page"],
  parameters: ({ fullPageHeightMax }) => ({
    selector: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({
        output: "frame",
        description:
          "CSS selector: the screenshot shows the first visible match, with its lazy-loaded content. Takes precedence over `clip_…` and `full_page`.",
        examples: ["#main"],
      }),
    error_on_selector_not_found: z.boolean().default(true).meta({
      output: "frame",
      description: "Fail if no visible element matches `selector`. `false` falls back to the viewport, with a warning.",
    }),
    clip_x: offset(
      "Left edge of the rectangle to capture, in CSS pixels from the page's left edge. The rectangle may lie outside the viewport. Requires `clip_y`, `clip_width` and `clip_height`. Takes precedence over `full_page`.",
    ),
    clip_y: offset("Top edge of the rectangle, in CSS pixels from the top of the page."),
    clip_width: extent(fullPageHeightMax, "Width of the rectangle in CSS pixels. Any part outside the page is cut off, with a warning."),
    clip_height: extent(fullPageHeightMax, "Height of the rectangle in CSS pixels."),
    full_page: z.boolean().default(false).meta({
      output: "frame",
      description:
        "Capture the whole page instead of the viewport. If one large element scrolls instead of the page, as in many web applications, it is expanded to its full height. Fixed elements appear once, at their position before scrolling; those at the bottom of the window appear at the bottom of the page. Empty fixed backdrops behind the content and translucent fixed layers over it are extended to cover the whole page.",
    }),
    full_page_scroll: z.boolean().default(true).meta({
      output: "frame",
      description: "Scroll through the page before a `full_page` capture, to load lazy content and to reveal what appears on scroll.",
    }),
    full_page_scroll_duration: z.int().min(0).max(30_000).default(400).meta({
      output: "frame",
      unit: "milliseconds",
      description:
        "Maximum time, in milliseconds, for which `full_page_scroll` keeps scrolling a page that grows. After that, images that have started to load get up to 5 more seconds. Pages that don't grow take less time. With 0, content that is revealed by scroll handlers stays hidden.",
    }),
    full_page_max_height: z.int().min(1).max(fullPageHeightMax).default(fullPageHeightMax).meta({
      output: "frame",
      description:
        "Maximum height of a `full_page` screenshot in CSS pixels; the rest is cut off, with a warning. Limits on the image's pixels also apply: 160 million in total; for webp, 50 million in total and 16,383 per side; for jpeg, 65,500 per side; for avif, 20 million in total and 16,384 per side.",
    }),
  }),
  conflicts: (options) => {
    const missing = clipParameters.filter((name) => options[name] === undefined);
    if (missing.length === clipParameters.length) return [];
    return missing.map((parameter) => ({ parameter, message: `is missing: ${clipParameters.join(", ")} must be given together` }));
  },
  show: async (_, { shot }) => {
    shot.isMeasured = true;
  },
  afterNavigation: (options, work) => loadContent(options, work),
  afterReady: (options, work) => (work.readiness.wasInvalidated() ? loadContent(options, work) : undefined),
  frame: async (options, work) => {
    if (work.shot.document && work.shot.document !== "elements") return await frameDocument(options, work, clipOf(options));
    const { selector, error_on_selector_not_found, full_page, full_page_scroll, full_page_max_height } = options;
    const clip = clipOf(options);
    if (selector) {
      await showRevealed(work);
      const box = await boxOf(work, selector);
      if (box) setClip(work, "element", box, work.limits.fullPageHeightMax);
      else if (error_on_selector_not_found) throw new AppError("selector_not_found");
      else work.warn("no visible element matches the selector: the screenshot shows the viewport");
    } else if (clip) work.shot.clip = await withinPage(work, clip);
    else if (full_page) {
      if (await hasGrown(work)) await loadContent(options, work);
      if (full_page_scroll) await showMoved(work, true);
      const { width, height } = await unrollPage(work, Math.min(full_page_max_height, work.shot.completeHeight ?? full_page_max_height));
      setClip(work, "page", { x: 0, y: 0, width, height: Math.min(height, work.shot.completeHeight ?? height) }, full_page_max_height);
    }
    if (work.shot.clip) await showRevealed(work);
  },
});

async function showRevealed({ tab, shot }: Work): Promise<void> {
  if (shot.hidContent || shot.changesOnScroll) await tab.evaluate(keepRevealed);
}

interface FrameOptions extends Partial<Record<ClipParameter, number>> {
  selector?: string | undefined;
  error_on_selector_not_found: boolean;
  full_page: boolean;
  full_page_scroll: boolean;
  full_page_scroll_duration: number;
  full_page_max_height: number;
}

/** Loads lazy content in the captured region. */
async function loadContent(options: FrameOptions, work: Work): Promise<void> {
  const { selector, full_page, full_page_scroll, full_page_scroll_duration: durationMs, full_page_max_height: heightMax } = options;
  const clip = clipOf(options);
  if (selector) await showElement(work, selector);
  else if (clip) {
    if (!isInViewport(work, clip)) await showRegion(work, clip);
  } else if (full_page) {
    const isExpanded = (await work.tab.resultWithin(2 * layoutTimeoutMs, expandScroller(work, heightMax))) ?? true;
    if (!full_page_scroll) return;
    work.shot.completeHeight = await scrollThrough(work, { durationMs, heightMax, isExpanded });
    work.recorder?.step("the page was scrolled through");
  }
}

const expansionsMax = 5;

/**
 * Expands the main scroller, or a frame that is the whole page, and waits until the new layout is stable, because the application may take measurements during scrolling.
 * @returns whether an element was expanded.
 */
async function expandScroller({ tab, readiness }: Work, heightMax: number): Promise<boolean> {
  let round = 0;
  const isMoved = async () => (await tab.waitFor(clipsContent)) && (await listensToWheel(tab));
  const expands = async () =>
    (await tab.waitFor(expandMainScroller, heightMax, false)) ||
    (await tab.waitFor(expandFrame, heightMax)) ||
    (round === 0 && (await isMoved()) && (await tab.waitFor(expandMainScroller, heightMax, true)));
  for (; round < expansionsMax && (await expands()); round += 1) await readiness.untilStill(layoutTimeoutMs / 3, false);
  if (round > 0) await tab.evaluate(flattenDepth);
  return round > 0;
}

/** Timeout for in-page work that forces a few layouts. */
const layoutTimeoutMs = 3_000;

/** Exceeds the maximum height of full-page captures, so that longer pages can be captured in parts. */
const offsetMax = 1_000_000;

function offset(description: string) {
  return z
    .int()
    .min(0)
    .max(offsetMax)
    .optional()
    .meta({ output: "frame", description, examples: [0] });
}

function extent(max: number, description: string) {
  return z
    .int()
    .min(1)
    .max(max)
    .optional()
    .meta({ output: "frame", description, examples: [400] });
}

function clipOf({ clip_x: x, clip_y: y, clip_width: width, clip_height: height }: Partial<Record<ClipParameter, number>>) {
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
  return { x, y, width, height };
}

function isInViewport({ shot: { viewport } }: Work, { x, y, width, height }: ScrolledRegion): boolean {
  return x + width <= viewport.width && y + height <= viewport.height;
}

/** Sets the clip to `region`, cut off at `heightMax` CSS pixels. */
function setClip({ shot }: Work, what: "page" | "element", region: ScrolledRegion, heightMax: number): void {
  shot.whole = { what, height: region.height };
  shot.clip = { ...region, height: Math.min(region.height, heightMax) };
  shot.mayBeCut = true;
}

async function withinPage(work: Work, clip: ScrolledRegion): Promise<ScrolledRegion> {
  if (isInViewport(work, clip)) return clip;
  const page = await unrollPage(work);
  const width = Math.min(clip.width, page.width - clip.x);
  const height = Math.min(clip.height, page.height - clip.y);
  const outside: ParameterProblem[] = [];
  if (width < 1) outside.push(outsidePage("clip_x", page.width, "wide"));
  if (height < 1) outside.push(outsidePage("clip_y", page.height, "high"));
  if (outside.length > 0) throw new AppError("invalid_parameters", { details: outside });
  if (width < clip.width || height < clip.height)
    work.warn(`the clip extends beyond the page and was cut to ${width} by ${height} CSS pixels`);
  return { ...clip, width, height };
}

function outsidePage(parameter: ClipParameter, length: number, side: "wide" | "high"): ParameterProblem {
  return {
    parameter,
    message: `${parameter} lies outside the page, which is ${length} CSS pixels ${side}`,
    allowed: `less than ${length}`,
  };
}

/** Loads lazy content in an element outside the viewport. A missing element is not an error yet. */
async function showElement(work: Work, selector: string): Promise<void> {
  const search = work.tab.waitFor(findElement, selector, { scroll: "inside", orHidden: true } as const);
  const found = await work.tab.resultWithin(layoutTimeoutMs, search);
  if (found && found !== "invalid" && !isInViewport(work, found.box)) await showRegion(work, found.box);
}

async function boxOf(work: Work, selector: string): Promise<ScrolledRegion | undefined> {
  const found = await findPart(work.tab, selector, {});
  if (!found || isInViewport(work, found.box)) return found?.box;
  await unrollPage(work);
  return (await findPart(work.tab, selector, {}))?.box;
}
