/** How the picture is encoded. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const image = optionGroup({
  title: "Image",
  intro: "How the picture is encoded.",
  example: { format: "webp", quality: "90" },
  parameters: (limits) => ({
    format: z
      .enum(["jpeg", "jpg", "png", "webp"])
      .default("jpeg")
      .meta({ description: "Format of the picture; jpg is another word for jpeg." }),
    quality: z
      .int()
      .min(1)
      .max(100)
      .default(limits.qualityDefault)
      .meta({ description: "Quality of jpeg and webp; png is lossless and ignores it." }),
    omit_background: z.boolean().default(false).meta({
      description:
        "Leave out the white that browsers paint behind a page, so that it is transparent where it has no background of its own (png and webp).",
    }),
  }),
  beforeNavigation: ({ format, quality, omit_background }, { tab, shot, warn }) => {
    shot.format = format === "jpg" ? "jpeg" : format;
    shot.quality = quality;
    if (!omit_background) return undefined;
    if (shot.format === "jpeg") {
      warn("omit_background was ignored: jpeg has no transparency");
      return undefined;
    }
    return tab.send("Emulation.setDefaultBackgroundColorOverride", { color: { r: 0, g: 0, b: 0, a: 0 } });
  },
});
