/** Bounds and defaults of capture options, from the settings. */

import type { Limits } from "../capture/option-group.ts";
import type { Config } from "../settings/config.ts";

export function limitsOf(config: Config): Limits {
  return {
    widthMax: config.MAX_SCREENSHOT_WIDTH,
    heightMax: config.MAX_SCREENSHOT_HEIGHT,
    fullPageHeightMax: config.MAX_FULL_PAGE_HEIGHT,
    widthDefault: config.DEFAULT_VIEWPORT_WIDTH,
    heightDefault: config.DEFAULT_VIEWPORT_HEIGHT,
    qualityDefault: config.DEFAULT_QUALITY,
    timeoutMaxSeconds: config.SCREENSHOT_TIMEOUT / 1000,
    pageLoadTimeoutMs: config.MAX_PAGE_LOAD_TIMEOUT,
  };
}
