/** Format, quality and size of the image. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const image = optionGroup({
  title: "Image",
  intro: "Format, quality and size of the image.",
  example: { format: "webp", quality: "90" },
  parameters: (limits) => ({
    format: z.enum(["jpeg", "jpg", "png", "webp", "avif"]).default("jpeg").meta({
      description: "Image format; `jpg` is an alias for `jpeg`. avif gives the smallest files, and takes the longest to encode.",
    }),
    quality: z
      .int()
      .min(1)
      .max(100)
      .default(limits.qualityDefault)
      .meta({ description: "Quality of jpeg, webp and avif; ignored for png, which is lossless." }),
    image_width: side("width"),
    image_height: side("height"),
    omit_background: z.boolean().default(false).meta({
      description: "Make the page transparent where it has no background, instead of white (png, webp and avif).",
    }),
  }),
  beforeNavigation: ({ format, quality, image_width, image_height, omit_background }, { tab, shot, warn }) => {
    shot.format = format === "jpg" ? "jpeg" : format;
    shot.quality = quality;
    if (image_width) shot.fit.width = image_width;
    if (image_height) shot.fit.height = image_height;
    if (!omit_background) return undefined;
    if (shot.format === "jpeg") {
      warn("omit_background was ignored: jpeg has no transparency");
      return undefined;
    }
    shot.isTransparent = true;
    return tab.send("Emulation.setDefaultBackgroundColorOverride", { color: { r: 0, g: 0, b: 0, a: 0 } });
  },
});

function side(name: "width" | "height") {
  const other = name === "width" ? "height" : "width";
  return z
    .int()
    .min(1)
    .max(16_384)
    .optional()
    .meta({
      description: `Scale the image down to this ${name} in pixels, for example for a thumbnail, keeping its aspect ratio. With \`image_${other}\`, it fits within both. The page's layout is unaffected, and images are never enlarged.`,
      examples: [name === "width" ? 400 : 300],
    });
}
