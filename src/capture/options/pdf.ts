/** Paper and layout of `format=pdf`. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";
import { inches, layoutOf, paperNames } from "../paper.ts";
import { text } from "../parameter-types.ts";

/** Allows many decimal places, because programs write computed lengths at full precision. */
const length = "\\d{1,5}(?:\\.\\d{1,20})?(?:px|in|cm|mm|pt)";
const pages = " ?[1-9]\\d{0,4}(?:-(?:[1-9]\\d{0,4})?)? ?";
/** Chromium's own limits. */
const sideInches = { min: 1, max: 200 };

export const pdf = optionGroup({
  title: "PDF",
  intro:
    "Paper and layout for `format=pdf`. The PDF is tagged and, unless `pdf_outline` is `false`, has an outline of the headings. `media_type` is `print` by default, and lazy content is loaded as for `full_page`.",
  example: { format: "pdf", pdf_paper: "Letter", pdf_margin: "20mm" },
  parameters: () => ({
    pdf_paper: z
      .enum(paperNames)
      .optional()
      .meta({
        output: "image",
        description: "Paper size. By default, the page's own `@page` size, or A4 if it has none.",
        examples: ["A4"],
      }),
    pdf_width: lengthOf("Width of the paper, with a unit (px, in, cm, mm or pt). Requires `pdf_height`.", "210mm"),
    pdf_height: lengthOf("Height of the paper, with a unit. Requires `pdf_width`.", "297mm"),
    pdf_landscape: z
      .boolean()
      .default(false)
      .meta({ output: "image", description: "Landscape orientation, regardless of the page's own `@page` size." }),
    pdf_margin: margin(),
    pdf_background: z.boolean().default(true).meta({ output: "image", description: "Print background colors and images." }),
    pdf_scale: z.number().min(0.1).max(2).default(1).meta({ output: "image", description: "Scale of the content." }),
    pdf_pages: z
      .string()
      .max(200, { abort: true })
      .regex(new RegExp(`^${pages}(?:,${pages})*$`))
      .check(({ value, issues }) => {
        const reversed = value.split(",").find((range) => {
          const [first = 0, last = first] = range.split("-").map(Number);
          return last > 0 && last < first;
        });
        if (reversed)
          issues.push({ code: "custom", message: `contains the range ${reversed.trim()}, which ends before it begins`, input: value });
      })
      .optional()
      .meta({
        output: "image",
        description: "Pages to print.",
        valid: "pages and ranges separated by commas, such as 1-3,5",
        examples: ["1-3,5"],
      }),
    pdf_outline: z.boolean().default(true).meta({ output: "image", description: "Add an outline of the headings." }),
    pdf_header: template("header"),
    pdf_footer: template("footer"),
    pdf_single_page: z
      .boolean()
      .default(false)
      .meta({ output: "image", description: "Print a single page as long as the document, up to 200 inches." }),
  }),
  presets: ({ format, media_type }) => (format === "pdf" && media_type === undefined ? { media_type: "print" } : {}),
  conflicts: ({ pdf_width, pdf_height, pdf_paper, pdf_margin, pdf_landscape }) => {
    const together = "pdf_width and pdf_height must be given together";
    if (pdf_width && !pdf_height) return [{ parameter: "pdf_height", message: `is missing: ${together}` }];
    if (pdf_height && !pdf_width) return [{ parameter: "pdf_width", message: `is missing: ${together}` }];
    if (pdf_width && pdf_paper) return [{ parameter: "pdf_paper", message: "can't be combined with pdf_width and pdf_height" }];
    const wrong = (["pdf_width", "pdf_height"] as const).find((name) => {
      const given = { pdf_width, pdf_height }[name];
      return given && (inches(given) < sideInches.min || inches(given) > sideInches.max);
    });
    if (wrong) return [{ parameter: wrong, message: `must be from ${sideInches.min} to ${sideInches.max} inches` }];
    if (pdf_paper && !paperNames.includes(pdf_paper)) return []; // reported as invalid
    const page = layoutOf({ pdf_paper, pdf_width, pdf_height, pdf_margin, pdf_landscape });
    const isFull = page.marginLeft + page.marginRight >= page.paperWidth || page.marginTop + page.marginBottom >= page.paperHeight;
    return isFull ? [{ parameter: "pdf_margin", message: "leaves no room for content on the paper" }] : [];
  },
});

function margin() {
  return z
    .string()
    .max(200, { abort: true })
    .regex(new RegExp(`^${length}(?:,${length}){0,3}$`))
    .check(({ value, issues }) => {
      if (![1, 4].includes(value.split(",").length)) issues.push({ code: "custom", message: "must be one length or four", input: value });
    })
    .optional()
    .meta({
      output: "image",
      description:
        "Margin of the paper: one length, or four for top, right, bottom and left. Default: 1cm; use `0px` for none. The page's own `@page` margin takes precedence, with a warning.",
      valid: "one length, or four separated by commas, such as 20mm or 20mm,15mm,20mm,15mm",
      examples: ["20mm"],
    });
}

function lengthOf(description: string, example: string) {
  return z
    .string()
    .regex(new RegExp(`^${length}$`))
    .optional()
    .meta({ output: "image", description, valid: `a length with a unit, such as ${example}`, examples: [example] });
}

/** The general limit for a parameter's length (see `textMax`); enough for a 48 kB logo in Base64. */
const templateCharactersMax = 64 * 1024;
/** Elements and rules that crash Chromium's template renderer. */
const loads: [pattern: RegExp, what: string][] = [
  [/<\s*link\b/i, "<link> elements"],
  [/@import\b/i, "@import"],
  [/@font-face\b/i, "@font-face"],
];

function template(where: "header" | "footer") {
  return text(templateCharactersMax, (value) => {
    const loading = loads.find(([pattern]) => pattern.test(value));
    return (
      loading &&
      `must not contain ${loading[1]}: the only resources that templates can load are images from data: URLs; use style attributes instead`
    );
  })
    .optional()
    .meta({
      output: "image",
      description: `HTML for the ${where} of each page, printed in the margin; up to 65,536 characters, which leaves room for a logo as a \`data:\` URL. Elements with the class \`date\`, \`title\`, \`url\`, \`pageNumber\` or \`totalPages\` are filled in. Scripts don't run, and the page's style sheets don't apply: set a \`font-size\`.`,
      examples: ['<div style="font-size:9px;margin:auto"><span class="pageNumber"></span></div>'],
    });
}
