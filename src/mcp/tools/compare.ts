/** `compare`: what differs between two screenshots. */

import { z } from "zod";
import { callJson } from "../call.ts";
import { cut, fromPage, text, tool } from "../tool.ts";

interface Region {
  kind: string;
  name: string;
  selector: string | null;
  before: Box | null;
  after: Box | null;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const regionsMax = 40;
const nameMax = 400;
const selectorMax = 300;

export const compare = tool({
  name: "compare",
  title: "Compare two screenshots",
  description:
    "Says what differs between two screenshots of the same page, such as `Price: 19 € → 21 €`, by their ids from the tool screenshot or from the history of a watch. Both need the same options.",
  isReadOnly: true,
  input: {
    before: z.string().describe("Id of the earlier screenshot."),
    after: z.string().describe("Id of the later screenshot."),
    ignore_selectors: z.array(z.string()).optional().describe("CSS selectors of elements that don't count, such as a clock."),
  },
  async run(call, input) {
    const found: { changed: boolean; changed_share: number; regions: Region[] } = await callJson(call, {
      method: "POST",
      path: "/v1/compare",
      body: input,
    });
    if (!found.changed) return [text(["Nothing has changed."])];
    const share = `${(found.changed_share * 100).toFixed(2)} % of the pixels differ.`;
    return [text([`${share} ${fromPage}`, ...regionLines(found.regions)])];
  },
});

/** One line for each region, the most important first. */
export function regionLines(regions: Region[]): string[] {
  const lines = regions.slice(0, regionsMax).map(({ kind, name, selector, before, after }) => {
    const at = after ?? before;
    const place = at ? ` at ${at.x},${at.y} ${at.width}×${at.height}` : "";
    // A selector that is cut off would select nothing.
    const shown = selector && selector.length <= selectorMax ? ` (${selector})` : "";
    return `- ${kind}: ${cut(name.replace(/\s+/g, " "), nameMax)}${shown}${place}`;
  });
  return regions.length > regionsMax ? [...lines, `${regions.length - regionsMax} more regions are not listed.`] : lines;
}
