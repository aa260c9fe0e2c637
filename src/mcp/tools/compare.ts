/** `compare`: differences between two screenshots. */

import { z } from "zod";
import { callJson } from "../call.ts";
import { cut, fromPage, inLine, selectorIn } from "../text.ts";
import { idInput, selectorList, text, tool } from "../tool.ts";

export const boxInAnswer = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

export const regions = z.array(
  z.object({
    kind: z.string(),
    name: z.string(),
    selector: z.string().nullable(),
    before: boxInAnswer.nullable(),
    after: boxInAnswer.nullable(),
  }),
);

const comparison = z.object({ changed: z.boolean(), changed_share: z.number(), regions });

const regionsMax = 40;
const nameMax = 400;
const selectorMax = 300;

export const compareTool = tool({
  name: "compare",
  title: "Compare two screenshots",
  description:
    "Lists what differs between two screenshots of the same page, such as `Price: 19 € → 21 €`. Takes their ids, from the screenshot tool or from a watch's runs. Both must have been captured with the same options.",
  isReadOnly: true,
  input: {
    before: idInput("the earlier screenshot"),
    after: idInput("the later screenshot"),
    ignore_selectors: selectorList(50).optional().describe("CSS selectors of elements to ignore, such as a clock."),
  },
  async run(call, input) {
    const found = await callJson(call, { method: "POST", path: "/v1/compare", body: input }, comparison);
    if (!found.changed) return [text(["Nothing has changed."])];
    const share = `${(found.changed_share * 100).toFixed(2)}% of the pixels differ.`;
    return [text([`${share} ${fromPage}`, ...regionLines(found.regions)])];
  },
});

/** One line per region, most important first, preceded by the number of omitted regions, if any. */
export function regionLines(found: z.output<typeof regions>): string[] {
  const lines = found.slice(0, regionsMax).map(({ kind, name, selector, before, after }) => {
    const at = after ?? before;
    const place = at ? ` at ${at.x},${at.y} ${at.width}×${at.height}` : "";
    const shown = selector && selectorIn(selector, selectorMax);
    return `- ${kind}: ${cut(inLine(name), nameMax)}${shown ? ` (${shown})` : ""}${place}`;
  });
  const left = found.length - lines.length;
  return left > 0 ? [`The first ${regionsMax} regions; ${left} more ${left === 1 ? "is" : "are"} not listed.`, ...lines] : lines;
}
