/** The image of a capture whose record is completed. */

import type { SettledImage } from "../../../src/accounts/usage/reservation.ts";

export const settledImage: SettledImage = {
  format: "png",
  width: 1280,
  height: 720,
  bytes: 4321,
  durationMs: 812.4,
  title: " A\0 title ",
  verdict: "ok",
  verdictReason: null,
  targetStatus: 200,
  finalUrl: "https://example.test/",
  warnings: [],
  timings: { queue: 1, navigate: 2, wait: 3, shoot: 4 },
  objectKey: "a/b.png",
};
