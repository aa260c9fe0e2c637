/** Size and sharpness of the window that the page is laid out in. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const viewport = optionGroup({
  title: "Viewport",
  parameters: (limits) => ({
    width: z
      .int()
      .min(1)
      .max(limits.widthMax)
      .default(limits.widthDefault)
      .meta({ description: "Width of the viewport in CSS pixels.", examples: [1280] }),
    height: z
      .int()
      .min(1)
      .max(limits.heightMax)
      .default(limits.heightDefault)
      .meta({ description: "Height of the viewport in CSS pixels.", examples: [720] }),
    device_scale_factor: z
      .number()
      .min(0.1)
      .max(5)
      .default(1)
      .meta({
        description: "Device pixels for each CSS pixel: 2 gives a picture twice as wide and high, as on a high-density screen.",
        examples: [2],
      }),
  }),
  beforeNavigation: ({ width, height, device_scale_factor }, { tab, shot }) => {
    shot.viewport = { width, height };
    shot.scale = device_scale_factor;
    return tab.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: device_scale_factor, mobile: false });
  },
});
