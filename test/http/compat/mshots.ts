/** URLs in the format of mShots; `KEY` stands for the key. */

import type { Documented } from "./documented.ts";

const at = (query: string, sends: Record<string, unknown>, means: Record<string, unknown>, address = "ENCODED"): Documented => ({
  path: "/mshots/v1/*",
  address: `/mshots/v1/${address}?api_key=KEY${query}`,
  sends: { url: "SITE/", ...sends },
  means,
});

export const documented: Documented[] = [
  at("", {}, { url: "SITE/", width: 1280, height: 960, format: "jpeg", is_cached: true }),
  at("&w=800&h=600", { w: 1, h: 1 }, { image_width: 800, width: 1280, height: 960 }),
  at("&w=640&h=400&vpw=800&vph=900&r=2900", { w: 1, h: 1, vpw: 1, vph: 1, r: 1 }, { image_width: 640, width: 800, height: 500 }),
  at("&w=363.5&h=230&vpw=800.9", { w: 1, h: 1, vpw: 1 }, { image_width: 363, width: 800, height: 507 }),
  at(
    "&w=320&vph=1000&requeue=true&attempt=2&v=3",
    { w: 1, requeue: 1, attempt: 1, v: 1 },
    { image_width: 320, height: 1000, is_cached: false },
    "HOST",
  ),
];
