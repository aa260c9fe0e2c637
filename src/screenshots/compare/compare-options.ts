/** Compares a screenshot with an earlier one. */

import { z } from "zod";
import { optionGroup } from "../../capture/option-group.ts";
import { documentFormats, imageFormats } from "../../shared/formats.ts";

interface Others {
  format?: string;
  slice_height?: number;
}

export const comparison = optionGroup({
  title: "Comparison",
  intro: "Compares the capture with an earlier screenshot of the account, like `POST /v1/compare`.",
  notes: [
    "The result is in the `X-Changed`, `X-Changed-Share` and `X-Changed-Regions` headers. With `response_type=json`, and in each output of `POST /v1/captures`, the `comparison` member lists all regions. Sent next to `outputs`, the option applies to each output that is an image. Regions are named, and text is compared, if both screenshots were captured together with their elements: as outputs of one `POST /v1/captures` that includes `format=elements` at the same size.",
    "An id that the account doesn't have results in a 404 before anything is captured or counted. Cached screenshots are compared as well. The comparison doesn't use the quota, but uses some of the `timeout`. A screenshot that can't be compared in time, or is too large, is returned with a warning instead; `POST /v1/compare` can compare it later, and also accepts `threshold` and `ignore_selectors`. [More](comparing.md)",
  ].join("\n\n"),
  example: { compare_to: "019ab9c2-8f4e-7d7b-9a43-0d6c1f6f2a11" },
  parameters: () => ({
    compare_to: z
      .uuid()
      .optional()
      .meta({
        output: "image",
        identity: false,
        description: "Id of one of the account's stored screenshots. Reports what has changed since then, if `format` is an image format.",
        examples: ["019ab9c2-8f4e-7d7b-9a43-0d6c1f6f2a11"],
      }),
  }),
  conflicts: (options) => {
    const { format, slice_height } = options as Others;
    if (options.compare_to === undefined) return [];
    if (slice_height !== undefined) return [{ parameter: "compare_to", message: "can't be used with slice_height" }];
    if (!documentFormats.some((one) => one === format)) return [];
    return [{ parameter: "compare_to", message: `requires an image format, one of ${imageFormats.join(", ")}` }];
  },
});
