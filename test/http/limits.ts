/** The default limits. */

import type { Limits } from "../../src/capture/option-group.ts";

export const limits: Limits = {
  widthMax: 3840,
  heightMax: 2160,
  fullPageHeightMax: 30_000,
  widthDefault: 1280,
  heightDefault: 720,
  qualityDefault: 80,
  timeoutMaxSeconds: 30,
  pageLoadTimeoutMs: 30_000,
};
