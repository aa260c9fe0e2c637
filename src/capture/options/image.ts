/** Capture format, and image quality and size. */

import { z } from "zod";
import { type DocumentFormat, documentFormats, imageFormats, motionFormats } from "../../shared/formats.ts";
import { optionGroup } from "../option-group.ts";

/** Formats that contain the whole page, so lazy content is loaded for them. */
const wholePages: readonly unknown[] = ["pdf", "html", "mhtml", "text", "markdown"] satisfies DocumentFormat[];

export const image = optionGroup({
  title: "Image",
  intro: "Format of the capture, and the quality and size of images.",
  example: { format: "webp", quality: "90" },
  parameters: (limits) => ({
    format: z
      .enum([...imageFormats, "jpg", ...documentFormats, ...motionFormats])
      .default("jpeg")
      .meta({
        output: "image",
        description:
          "Images: jpeg (`jpg` is an alias), png, webp or avif, which produces the smallest files and takes the longest to encode. Documents: `pdf`; `html`, the DOM after scripts have run; `mhtml`, a single file with all images and style sheets; `text`, the visible text; `markdown`, the main content; `metadata`, the page's own metadata, as JSON; `elements`, the elements that a person can use or read in the image, with role, name, selector and box in pixels, as JSON. Logs, from the navigation to the capture: `har`, the page's requests; `console`, its console messages, as JSON lines. Recordings of the page in motion: `gif`, `webp-animation`, `webm` (VP9) or `mp4` (H.264).",
      }),
    quality: z.int().min(1).max(100).default(limits.qualityDefault).meta({
      output: "image",
      description: "Quality of jpeg, webp, avif, webp-animation, webm and mp4; ignored for png, which is lossless, and gif.",
    }),
    image_width: side("width"),
    image_height: side("height"),
    omit_background: z.boolean().default(false).meta({
      output: "image",
      description: "Make the page transparent instead of white where it has no background (png, webp and avif).",
    }),
  }),
  presets: ({ format }) => (wholePages.includes(format) ? { full_page: true } : {}),
  show: ({ format, quality, image_width, image_height, omit_background }, { tab, shot, warn }, before) => {
    shot.document = documentFormats.find((one) => one === format);
    if (shot.document && shot.document !== "elements") {
      if (image_width || image_height || omit_background)
        warn(`image_width, image_height and omit_background were ignored: ${format} is not an image`);
      return undefined;
    }
    shot.motion = motionFormats.find((one) => one === format);
    shot.format = shot.motion ? "png" : (imageFormats.find((one) => one === format) ?? "jpeg"); // `jpg` or `elements`
    shot.quality = quality;
    if (image_width) shot.fit.width = image_width;
    if (image_height) shot.fit.height = image_height;
    if (!omit_background || shot.document)
      return before?.omit_background ? tab.send("Emulation.setDefaultBackgroundColorOverride", {}) : undefined;
    if (shot.format === "jpeg" || shot.motion) {
      warn(`omit_background was ignored: ${shot.motion ? "recordings are not transparent" : "jpeg doesn't support transparency"}`);
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
      output: "image",
      description: `Scale the image down to this ${name} in pixels, for example for a thumbnail, keeping its aspect ratio. With \`image_${other}\`, the image fits within both. The page's layout is unaffected, and images are never enlarged.`,
      examples: [name === "width" ? 400 : 300],
    });
}
