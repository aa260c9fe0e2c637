/** Limits on the image, for models and other consumers. */

import { z } from "zod";
import { modelBounds } from "../../shared/formats.ts";
import { optionGroup } from "../option-group.ts";

const { side: modelSide, pixels: modelPixels, bytes: modelBytes } = modelBounds;

export const fit = optionGroup({
  title: "Bounds",
  intro:
    "Limits on the image's size, for language models and other consumers that don't accept larger images. The image is scaled down until it fits, never enlarged, and its quality is lowered if its file is still too large.",
  example: { fit: "model", format: "webp" },
  onlyIfSet: true,
  parameters: () => ({
    fit: z
      .enum(["model"])
      .optional()
      .meta({
        output: "image",
        description: `\`model\`: at most ${modelSide} pixels on the longest side, ${modelPixels / 1e6} million pixels and ${modelBytes / 1e6} MB, unless an option below says otherwise.`,
        examples: ["model"],
      }),
    max_width: bound(16_384, 1568, "Maximum width in pixels."),
    max_height: bound(16_384, 1568, "Maximum height in pixels."),
    max_pixels: bound(50_000_000, 1_000_000, "Maximum number of pixels."),
    max_bytes: z
      .int()
      .min(1_000)
      .max(100_000_000)
      .optional()
      .meta({ output: "image", description: "Maximum size of the file in bytes.", examples: [500_000] }),
  }),
  show: ({ fit: reader, max_width, max_height, max_pixels, max_bytes }, { shot }) => {
    const side = reader === "model" ? modelSide : Infinity;
    shot.fit.width = Math.min(shot.fit.width ?? Infinity, max_width ?? side);
    shot.fit.height = Math.min(shot.fit.height ?? Infinity, max_height ?? side);
    shot.fit.pixels = max_pixels ?? (reader === "model" ? modelPixels : Infinity);
    shot.fit.bytes = max_bytes ?? (reader === "model" ? modelBytes : Infinity);
    return undefined;
  },
});

function bound(max: number, example: number, description: string) {
  return z
    .int()
    .min(1)
    .max(max)
    .optional()
    .meta({ output: "image", description, examples: [example] });
}
