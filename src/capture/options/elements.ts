/** Selects the elements that `format=elements` lists. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const elements = optionGroup({
  title: "Elements",
  onlyIfSet: true,
  intro: "`format=elements` lists the elements that a person can use or read in the image, or those that match the given selectors.",
  example: { format: "elements", match_selectors: "h1\na.button" },
  parameters: () => ({
    match_selectors: z
      .array(z.string().min(1).max(1024))
      .max(50)
      .optional()
      .meta({
        output: "image",
        reading: "lines",
        description:
          "CSS selectors, one per line. `format=elements` then returns `matches` instead of `elements`: for each selector, the attributes, HTML, text and box (in CSS pixels) of every matching element, visible or not, including those in open shadow roots.",
        examples: [["h1", "a.button"]],
      }),
  }),
  show: async ({ match_selectors, ...others }, { warn }) => {
    const { format } = others as { format?: unknown };
    if (match_selectors && format !== "elements") warn("match_selectors has no effect without format=elements");
  },
});
