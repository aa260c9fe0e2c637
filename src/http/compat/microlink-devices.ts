/** Microlink's desktop devices. */

import type { Members } from "../input/json-body.ts";

/** A viewport without touch. */
export const desktop = (width: number, height: number, device_scale_factor = 1) => ({ width, height, device_scale_factor });

/** Microlink devices that our device list lacks. */
export const desktops = new Map<string, Members>(
  Object.entries({
    "macbook pro 13": desktop(1280, 800),
    "macbook pro 13 retina": desktop(1280, 800, 2),
    "macbook pro 15": desktop(1440, 900),
    "macbook pro 15 retina": desktop(1440, 900, 2),
    "macbook pro 16": desktop(3072, 1920),
    "imac 21": desktop(1980, 1080),
    "imac 27": desktop(2560, 1440),
    "imac 27 5k": desktop(2560, 1440, 2),
  }),
);
