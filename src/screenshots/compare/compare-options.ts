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
  intro: "What differs from an earlier screenshot of the account, as from `POST /v1/compare`, together with the capture.",
  notes: [
    "It is in the headers `X-Changed`, `X-Changed-Share` and `X-Changed-Regions`, and with `response_type=json`, as in each output of `POST /v1/captures`, in the member `comparison`, with all regions. Sent next to `outputs`, it applies to each output that is an image. Regions are named, and texts compared, if both screenshots have the elements of their page: outputs of `POST /v1/captures` with `format=elements` of the same size.",
    "An id that the account doesn't have is a 404 before anything is captured or counted. A screenshot from the cache is compared as well. The comparison costs nothing beyond the capture, but uses up some of the `timeout`. A screenshot that can't be compared in time, or is too large, is returned without figures and with a warning; `POST /v1/compare` can compare it later, also with `threshold` and `ignore_selectors`. [More](comparing.md)",
  ].join("\n\n"),
  example: { compare_to: "019ab9c2-8f4e-7d7b-9a43-0d6c1f6f2a11" },
  parameters: () => ({
    compare_to: z
      .uuid()
      .optional()
      .meta({
        output: "image",
        identity: false,
        description: "Id of a stored screenshot of the account. Reports what has changed since, for a `format` that is an image.",
        examples: ["019ab9c2-8f4e-7d7b-9a43-0d6c1f6f2a11"],
      }),
  }),
  conflicts: (options) => {
    const { format, slice_height } = options as Others;
    if (options.compare_to === undefined) return [];
    if (slice_height !== undefined) return [{ parameter: "compare_to", message: "can't be used with slice_height" }];
    if (!documentFormats.some((one) => one === format)) return [];
    return [{ parameter: "compare_to", message: `requires a format that is an image, one of ${imageFormats.join(", ")}` }];
  },
});
