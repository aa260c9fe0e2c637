/** Which part of the page is in the picture. */

import { z } from "zod";
import { AppError } from "../../errors.ts";
import { optionGroup, type Work } from "../option-group.ts";

export const frame = optionGroup({
  title: "Frame",
  intro: "Which part of the page is in the picture: the viewport, unless said otherwise.",
  example: { full_page: "true" },
  parameters: () => ({
    selector: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({
        description: "CSS selector: the first visible element that matches is the picture. Wins over `full_page`.",
        examples: ["#main"],
      }),
    full_page: z.boolean().default(false).meta({ description: "The whole document instead of the viewport." }),
  }),
  beforeShot: async ({ selector, full_page }, work) => {
    if (selector) work.shot.clip = await boxOf(work, selector);
    else if (full_page) work.shot.clip = await wholePage(work);
  },
});

async function boxOf({ tab }: Work, selector: string) {
  const box = await tab.evaluate((css: string) => {
    let elements: Element[];
    try {
      elements = [...document.querySelectorAll(css)];
    } catch {
      return "invalid" as const;
    }
    for (const element of elements) {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const seen = right > left && bottom > top && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      if (!seen) continue;
      const x = Math.max(0, Math.floor(left + scrollX));
      const y = Math.max(0, Math.floor(top + scrollY));
      return { x, y, width: Math.ceil(right + scrollX) - x, height: Math.ceil(bottom + scrollY) - y };
    }
    return undefined;
  }, selector);
  if (box === "invalid")
    throw new AppError("invalid_parameters", {
      details: [{ parameter: "selector", message: "selector is not a CSS selector", allowed: "a CSS selector" }],
    });
  if (!box) throw new AppError("selector_not_found");
  return box;
}

/** Longest side of what Chromium draws at once, in device pixels; past it a picture repeats itself. */
const surfaceMax = 16_384;
/** Longest side that WebP can hold. */
const webpMax = 16_383;

async function wholePage({ tab, shot, limits, warn }: Work) {
  const { cssContentSize } = await tab.send("Page.getLayoutMetrics");
  const width = Math.max(shot.viewport.width, Math.ceil(cssContentSize.width));
  const height = Math.max(shot.viewport.height, Math.ceil(cssContentSize.height));
  const drawable = Math.floor((shot.format === "webp" ? webpMax : surfaceMax) / shot.scale);
  const cut = { x: 0, y: 0, width: Math.min(width, drawable), height: Math.min(height, limits.fullPageHeightMax, drawable) };
  if (cut.height < height) warn(`the page is ${height} CSS pixels high and was cut at ${cut.height}`);
  if (cut.width < width) warn(`the page is ${width} CSS pixels wide and was cut at ${cut.width}`);
  return cut;
}
