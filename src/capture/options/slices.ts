/** Cuts a long image into several of about the same height. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

const heightMin = 100;
const heightMax = 10_000;

export const slices = optionGroup({
  title: "Slices",
  intro:
    "Outputs of `POST /v1/captures` can be cut into several images, for language models and other consumers that process a long page in parts. Where possible, cuts are made between lines of text and blocks, not through them.",
  notes: [
    "The height of a slice is 85% to 115% of `slice_height`; the last slice may be shorter. Instead of a link, the output's entry has a `slices` array, ordered from top to bottom; each item has its size, its link, and `y`, the row of the whole image at which it starts. Placed at their `y` offsets, the slices reproduce the whole image pixel for pixel, except for compression (jpeg, webp and avif).",
    "`fit`, `max_width`, `max_height`, `max_pixels` and `max_bytes` apply to each slice; if these limits require it, slices become shorter, with a warning. A slice has at most 30 million pixels. A format's own limits also apply to each slice, so a page of any length can be captured as webp. A request can produce at most 60 images; an output that would exceed this limit fails with `image_too_large`.",
    [
      "```sh",
      "curl http://localhost:3000/v1/captures -H \"Authorization: Bearer $TINTYPE_KEY\" -H 'Content-Type: application/json' -d '{",
      '  "url": "https://example.com/", "outputs": [',
      '    {"name": "page", "full_page": true, "format": "webp", "fit": "model", "slice_height": 800, "slice_overlap": 50}]}\'',
      "```",
    ].join("\n"),
  ].join("\n\n"),
  onlyIfSet: true,
  parameters: () => ({
    slice_height: z
      .int()
      .min(heightMin)
      .max(heightMax)
      .optional()
      .meta({
        output: "image",
        isForCaptures: true,
        description: "Height of each slice in image pixels, ±15%.",
        examples: [1000],
      }),
    slice_overlap: z
      .int()
      .min(0)
      .max(heightMax / 2)
      .optional()
      .meta({
        output: "image",
        isForCaptures: true,
        description:
          "Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`.",
        examples: [50],
      }),
  }),
  conflicts: ({ slice_height: height, slice_overlap: overlap }) => {
    if (overlap === undefined) return [];
    if (height === undefined) return [{ parameter: "slice_overlap", message: "requires slice_height" }];
    return overlap > height / 2
      ? [{ parameter: "slice_overlap", message: `must be at most ${Math.floor(height / 2)}, half of slice_height` }]
      : [];
  },
  show: ({ slice_height: height, slice_overlap: overlap = 0 }, { shot, warn }) => {
    if (height === undefined) return undefined;
    if (shot.document) warn(`slice_height and slice_overlap were ignored: ${shot.document} is not an image`);
    else shot.slices = { height, overlap };
    return undefined;
  },
});
