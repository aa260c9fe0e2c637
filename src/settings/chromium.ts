/** Settings for Chromium and its network access. */

import { z } from "zod";
import { optionalText } from "./types.ts";

export const chromiumSettings = {
  PUPPETEER_EXECUTABLE_PATH: optionalText().meta({
    description: "Path of the Chromium executable; if empty, an installed one is used, preferably the headless shell.",
  }),
  CHROMIUM_SANDBOX: z.boolean().default(true).meta({
    description: "Run Chromium in its sandbox; set it to `false` only if all captured pages are trusted.",
  }),
  CHROMIUM_WEBGL: z.boolean().default(false).meta({
    description: "Render WebGL in software. The part of Chromium that does this runs outside the sandbox.",
  }),
  EGRESS_ALLOWED_HOSTS: optionalText().meta({
    description:
      "Comma-separated hosts, `host:port` pairs or CIDRs that may be captured although they are private, such as `localhost:5173`. `npm run local -- --allow 5173` names ports of your own machine instead. Names that resolve only through `/etc/hosts` must be listed by name.",
  }),
};
