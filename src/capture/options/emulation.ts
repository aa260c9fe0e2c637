/** What the page is told about its user's preferences. */

import { z } from "zod";
import { optionGroup } from "../option-group.ts";

export const emulation = optionGroup({
  title: "Emulation",
  intro: "What the page is told of its visitor's preferences.",
  example: { prefers_color_scheme: "dark" },
  parameters: () => ({
    prefers_color_scheme: z
      .enum(["light", "dark", "no-preference"])
      .default("light")
      .meta({ description: "Colour scheme that the page is told its user prefers." }),
  }),
  beforeNavigation: ({ prefers_color_scheme }, { tab }) => {
    if (prefers_color_scheme === "light") return undefined; // Chromium's own default
    return tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: prefers_color_scheme }] });
  },
});
