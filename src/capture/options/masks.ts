/** Covers parts of the page without changing its layout. */

import { z } from "zod";
import { isLog } from "../../shared/formats.ts";
import { assertSelectors } from "../blocking/clear.ts";
import { optionGroup } from "../option-group.ts";
import { lines } from "../parameter-types.ts";

const selectorsLengthMax = 8192;

export const masks = optionGroup({
  title: "Masks",
  onlyIfSet: true,
  intro:
    "Covers parts of the page, such as names and amounts, without changing the layout. Outputs don't contain anything that the selectors match at the time of the capture; the notes below say what may still reveal it.",
  example: { mask_selectors: "h1", mask: "blur", full_page: "true" },
  notes: [
    "- Masks are applied right before the capture. The page's scripts are stopped until it has been captured, so that they can't undo the masks, and selections and highlights are cleared. Nothing beneath the cover is drawn: no text, images, canvases, frames or overflow. The boxes of masked elements are kept, even if they are transformed, sticky or wrapped.",
    "- `html`, `mhtml`, `markdown`, `text` and `metadata` have `█████` in place of the content, and masked elements keep only the attributes `id`, `class`, `role`, `lang`, `dir`, `colspan` and `rowspan`. `html` also omits inline scripts, `srcdoc` documents and the content of `noscript`, and every document format omits the contents of templates, since these often hold the page's data. In a PDF and in `elements`, the boxes are kept, but without text, links and descriptions; form fields in a PDF are left blank.",
    "- Also mask elements that repeat the masked text, such as `title` or `meta`: only matching elements are masked (a matching `title` or `meta` is kept, but without its content). Style sheets are kept, even if they contain text, and masked elements still increment CSS counters.",
    "- Masks rely on the page's cooperation. A page can still show masked content elsewhere, for example from an `async` function that writes it when a response arrives, or in a closed shadow root with slots on an element that isn't a custom element. Elements inside closed shadow roots can't be matched.",
    "- Sliders, color inputs, shapes inside an SVG, elements whose content is a CSS image, elements with an ancestor whose background is clipped to text, and elements with closed shadow roots are hidden rather than covered. Frames that don't respond are covered as a whole, with a warning.",
    "- With `explain`, requests are recorded only by their origins, and console messages are not recorded.",
    "- After a masked document, other outputs usually come from a new page load; `html`, `mhtml`, `markdown`, `text` and `metadata` share one if they show the same part of the page.",
  ].join("\n"),
  parameters: () => ({
    mask_selectors: lines(selectorsLengthMax).meta({
      output: "load",
      description:
        "CSS selectors of elements to cover, one selector or selector list per line. Also applies inside open shadow roots and in frames, including those of other origins. Documents don't contain the text of these elements either.",
      examples: [[".email", "[data-private], .balance"]],
    }),
    mask: z.enum(["solid", "blur", "pixelate"]).default("solid").meta({
      output: "load",
      description:
        "Appearance of the cover: a single color, or a pattern that resembles blurred lines or large pixels. The cover isn't computed from the content beneath it, so nothing can be recovered from it.",
    }),
    mask_color: z
      .string()
      .regex(/^#?(?:[\da-f]{3}|[\da-f]{6})$/i)
      .optional()
      .meta({
        output: "load",
        valid: "a color such as #000 or ff8800",
        description: "Color of the cover, with or without `#`. Black by default; for a pattern, the color of the element's text.",
        examples: ["#ff00aa"],
      }),
  }),
  conflicts: ({ mask_selectors, ...others }) => {
    const { format } = others as { format?: string };
    if (!mask_selectors?.length || format === undefined || !isLog(format)) return [];
    return [
      {
        parameter: "mask_selectors",
        message: `can't be combined with format=${format}, because requests and messages may contain masked content`,
      },
    ];
  },
  beforeNavigation: async ({ mask_selectors: selectors = [] }, { tab, warn }) => {
    if (selectors.length === 0) warn("mask and mask_color have no effect without mask_selectors");
    await assertSelectors(tab, "mask_selectors", selectors);
  }, // applied by `take-shot.ts`, for images and documents
});
