/** Covers parts of the page in all of its frames, and removes their content from documents. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../browser/children.ts";
import { inOwnWorld, ownWorld } from "../browser/own-world.ts";
import type { Tab } from "../browser/tab.ts";
import type { DocumentFormat } from "../shared/formats.ts";
import { hideLines } from "./in-page/hide-lines.ts";
import { type Mask, mask } from "./in-page/mask.ts";
import { hideContent, removeContent } from "./in-page/redact.ts";
import { hideUndrawn } from "./in-page/undrawn.ts";
import type { Work } from "./option-group.ts";

export interface MaskOptions {
  mask_selectors?: string[] | undefined;
  mask: "solid" | "blur" | "pixelate";
  mask_color?: string | undefined;
}

/** Runs all three scripts in one call. Never called here; only its `toString()` is used. */
const maskAndHide = {
  toString: () => `(mask) => ({ found: (${mask})(mask), isNew: [(${hideLines})(), (${hideUndrawn})(mask.cover)].includes(true) })`,
} as unknown as (parameters: Mask) => { found: boolean[]; isNew: boolean };

/**
 * Covers matching elements. For a document, also hides their content (in a PDF and `format=elements`, which keep the layout) or removes it
 * (in other formats). Frames that don't respond are covered as a whole, with a warning.
 * @param isRepeated true for later calls during the same shot, which don't warn again about selectors without a match.
 * @returns whether anything was newly covered, and whether all frames responded.
 */
export async function applyMasks({ tab, shot, warn }: Pick<Work, "tab" | "shot" | "warn">, options: MaskOptions, isRepeated = false) {
  const { mask_selectors: selectors = [] } = options;
  const parameters: Mask = { selectors, cover: coverOf(options) };
  const apply = async () => {
    const masked = await evaluateInFrames(tab, maskAndHide, parameters);
    const redacted = await redact(tab, shot.document);
    const [found, isNew] = [masked.results.map((one) => one.found), masked.results.some((one) => one.isNew)];
    return { found, isNew, isComplete: masked.isComplete && redacted };
  };
  let { found, isNew, isComplete } = await apply();
  if (!isComplete) ({ found, isNew, isComplete } = await apply());
  if (!isComplete) {
    warn("frames that did not respond were masked as a whole");
    const whole = await tab.evaluate(maskAndHide, { ...parameters, selectors: [...selectors, "iframe", "frame", "object", "embed"] });
    isNew ||= whole.isNew;
    await redact(tab, shot.document);
  }
  const missing = selectors.find((_, index) => !found.some((inFrame) => inFrame[index]));
  if (missing !== undefined && !shot.isRedacted && !isRepeated)
    warn(`mask_selectors contains ${JSON.stringify(missing.slice(0, 200))}, which matches nothing`);
  shot.isRedacted = shot.document !== undefined;
  return { isNew, isComplete };
}

/** Whether every frame's document was complete when it was masked, and is still shown. */
export async function areAllMasked(tab: Tab): Promise<boolean> {
  const { results, isComplete } = await evaluateInFrames(tab, () => {
    const { roots, isParsed } = globalThis.tintypeMask ?? {};
    return roots?.[0] === document && isParsed === true;
  });
  return isComplete && !results.includes(false);
}

/** Hides or removes masked content before the page is rendered as a document. @returns whether all frames responded. */
async function redact(tab: Tab, document: DocumentFormat | undefined): Promise<boolean> {
  if (!document) return true;
  const staysLaidOut = document === "pdf" || document === "elements";
  const { isComplete } = staysLaidOut
    ? await evaluateInFrames(tab, hideContent)
    : await evaluateInFrames(tab, removeContent, document === "html");
  return isComplete;
}

/**
 * Stops the page's scripts, which could otherwise undo the masks before the capture. Returns a function that lets them run again, or
 * undefined if they were already stopped.
 */
export async function stopScripts(tab: Tab): Promise<(() => Promise<void>) | undefined> {
  const wereStopped = await tab.evaluate(() => matchMedia("(scripting: none)").matches);
  if (wereStopped) return undefined;
  const setStopped = async (value: boolean) => {
    const targets = [tab, ...(await tab.childFrames())];
    await Promise.all(targets.map((target) => target.send("Emulation.setScriptExecutionDisabled", { value }).catch(() => {})));
  };
  await setStopped(true);
  return async () => await setStopped(false);
}

/**
 * Returns the declarations that cover an element. Blur and pixel masks are mere patterns: the element's content is never drawn, so it
 * can't be recovered from them.
 */
function coverOf({ mask: kind, mask_color }: MaskOptions): Mask["cover"] {
  const color = mask_color ? `#${mask_color.replace("#", "")}` : kind === "solid" ? "#000" : "currentcolor";
  const share = (percent: number) => `color-mix(in srgb, ${color} ${percent}%, transparent)`;
  const wave = (angle: string, length: string, from: number, to: number) =>
    `repeating-linear-gradient(${angle}, ${share(from)}, ${share(to)} calc(${length} / 2), ${share(from)} ${length})`;
  const squares = (pixels: number, percent: number) =>
    `repeating-conic-gradient(${share(percent)} 0 25%, transparent 0 50%) 0 0 / ${pixels}px ${pixels}px`;
  const backgrounds: Record<MaskOptions["mask"], [string, string][]> = {
    solid: [
      ["background", color],
      ["border-color", color],
    ],
    blur: [["background", `${wave("90deg", "53px", 4, 24)}, ${wave("90deg", "31px", 0, 18)}, ${wave("180deg", "1lh", 6, 40)}`]],
    pixelate: [["background", `${squares(16, 18)}, ${squares(24, 22)}, ${squares(40, 26)}, ${share(12)}`]],
  };
  return [["transition", "none"], ...backgrounds[kind], ...undrawn];
}

const undrawn: Mask["cover"] = Object.entries({
  "-webkit-text-fill-color": "transparent",
  "-webkit-text-stroke-color": "transparent",
  "text-shadow": "none",
  "text-decoration": "none",
  "text-decoration-skip-ink": "none",
  "text-emphasis-color": "transparent",
  "caret-color": "transparent",
  "border-image": "none",
  "print-color-adjust": "exact",
});

/** Total time limit for all frames except the main frame. */
const framesMs = 1_500;
const framesMax = 300;

/**
 * Runs `script` in an isolated world in every frame.
 * @returns the results of the frames that responded, the main frame's first, and whether all frames responded.
 */
async function evaluateInFrames<A extends unknown[], R>(
  tab: Tab,
  script: (...args: A) => R,
  ...args: A
): Promise<{ results: Awaited<R>[]; isComplete: boolean }> {
  const results = [await tab.evaluate(script, ...args)];
  const inTarget = async (target: Target, isOwn: boolean) => {
    const { frameTree } = await target.send("Page.getFrameTree");
    const frames = isOwn ? framesIn(frameTree).slice(1) : framesIn(frameTree);
    if (frames.length > framesMax) throw new Error("The page has too many frames");
    await Promise.all(
      frames.map(async (frameId) => {
        const { executionContextId } = await target.send("Page.createIsolatedWorld", { frameId, worldName: ownWorld });
        const call = {
          executionContextId,
          functionDeclaration: inOwnWorld(script.toString()),
          arguments: args.map((value) => ({ value })),
        };
        const { result, exceptionDetails } = await target.send("Runtime.callFunctionOn", { ...call, returnByValue: true });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        results.push(result.value);
      }),
    );
  };
  const inChildren = async () => await Promise.all((await tab.childFrames()).map((child) => inTarget(child, false)));
  const all = Promise.all([inTarget(tab, true), inChildren()]).then(
    () => true,
    () => false,
  );
  return { results, isComplete: (await tab.resultWithin(framesMs, all)) ?? false };
}

function framesIn({ frame, childFrames = [] }: Protocol.Page.FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(framesIn)];
}
