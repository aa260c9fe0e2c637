/** Plans which outputs of one request share a page load, and the order in which they are captured. Pure. */

import { documentFormats, isLog, slowFormats } from "../shared/formats.ts";
import { aloneMinPixels } from "./image/encode-in-turn.ts";
import { type CaptureOptions, metaOf } from "./options.ts";

export interface PlannedOutput {
  /** The output's position in the request. */
  index: number;
  options: CaptureOptions;
}

/**
 * Returns the loads, each with its outputs in capture order. A load uses each window size only once, because changes that the page's
 * scripts made for an earlier size may remain; it starts with the most common size. For each size, outputs within the viewport come first,
 * since going beyond it changes the page. Logs come last, so that they contain everything.
 */
export function planLoads(outputs: readonly CaptureOptions[]): PlannedOutput[][] {
  const planned = outputs.map((options, index) => ({ index, options }));
  return grouped(planned, loadKey).map((load) => {
    const [logs = [], shown = []] = [true, false].map((are) => load.filter(({ options }) => isLog(options.format) === are));
    return [...mostFirst(grouped(shown, ({ options }) => windowKey(options))).flatMap(inOneWindow), ...logs];
  });
}

function inOneWindow(outputs: PlannedOutput[]): PlannedOutput[] {
  const views = mostFirst(grouped(outputs, ({ options }) => pageKey(options)));
  const inView = views.map((view) => view.filter(({ options }) => reachOf(options) === 0));
  const beyond = views.map((view) => view.filter(({ options }) => reachOf(options) > 0).sort(byReach));
  const shown = Math.max(
    0,
    inView.findLastIndex((view) => view.length > 0),
  );
  return [...inView, ...beyond.slice(shown), ...beyond.slice(0, shown)].flat();
}

function mostFirst(groups: PlannedOutput[][]): PlannedOutput[][] {
  return groups.sort((one, other) => other.length - one.length);
}

function windowKey(options: CaptureOptions): string {
  return valuesOf(options, (name) => metaOf(name)?.output === "window");
}

/** Identifies how the page is shown: outputs with the same key don't require a change to it. */
export function pageKey(options: CaptureOptions): string {
  return valuesOf(options, (name) => [undefined, "window"].includes(metaOf(name)?.output));
}

/** Identifies the captured part of the page, and whether it is for a document, which must not contain changes made for an image. */
export function frameKey(options: CaptureOptions): string {
  // In a PDF, masked content is hidden; in other documents it is removed, which changes the layout.
  const isPrinted = options.format === "pdf" && options.mask_selectors !== undefined;
  return `${isDocument(options)} ${isPrinted} ${valuesOf(options, (name) => metaOf(name)?.output === "frame")}`;
}

function isDocument({ format }: CaptureOptions): boolean {
  return documentFormats.some((one) => one === format && one !== "elements"); // elements describe an image
}

function loadKey({ options }: PlannedOutput): string {
  const sharing = Object.keys(options).filter((name) => isSet(options[name as keyof CaptureOptions]));
  const shares = (what: "page" | "frame") => sharing.some((name) => metaOf(name)?.sharesLoad === what);
  return [
    valuesOf(options, (name) => metaOf(name)?.output === "load"),
    shares("page") || shares("frame") ? pageKey(options) : "",
    shares("frame") ? frameKey(options) : "",
  ].join();
}

function valuesOf(options: CaptureOptions, isRelevant: (name: string) => boolean): string {
  const relevant = Object.entries(options).filter(([name, value]) => metaOf(name) && value !== undefined && isRelevant(name));
  return JSON.stringify(relevant.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** Whether any output may have to wait for its turn to be encoded: an animation, or an AVIF image that may be large. */
export function mayEncodeInTurn(outputs: readonly CaptureOptions[]): boolean {
  return outputs.some((options) => {
    const { format, width, height, device_scale_factor: scale } = options;
    if (format !== "avif") return slowFormats.has(format);
    return reachOf(options) > 0 || width * height * scale ** 2 >= aloneMinPixels;
  });
}

/**
 * How far an output reaches beyond the viewport: 0 if not at all, 1 for an element or clip, 2 for the whole page. The further it reaches,
 * the more it changes the page, so outputs that show the page the same way are captured in this order, documents before images beyond the
 * viewport.
 */
export function reachOf({ selector, clip_x, full_page }: CaptureOptions): number {
  if (selector !== undefined || clip_x !== undefined) return 1;
  return full_page ? 2 : 0;
}

/** Sorts documents first, then by reach, then by frame, so that outputs with the same frame are next to each other. */
function byReach({ options: one }: PlannedOutput, { options: other }: PlannedOutput): number {
  const [first, second] = [frameKey(one), frameKey(other)];
  return (
    Number(isDocument(other)) - Number(isDocument(one)) || reachOf(one) - reachOf(other) || (first < second ? -1 : Number(first > second))
  );
}

/** Groups items, in the order of each group's first item. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  return [...Map.groupBy(items, keyOf).values()];
}
