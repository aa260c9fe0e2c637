/** URLs from thum.io's documentation; `KEY` stands for the key. */

import type { Documented } from "./documented.ts";

const at = (modifiers: string, sends: Record<string, unknown>, means: Record<string, unknown>, address = "SITE/"): Documented => ({
  path: "/get/*",
  address: `/get/auth/KEY/${modifiers}${address}`,
  sends: { url: "SITE/", ...sends },
  means,
});

export const documented: Documented[] = [
  at("", {}, { width: 1200, height: 1200, image_width: 600, format: "png", is_cached: true, cache_ttl: 86400 }),
  at(
    "width/300/crop/900/maxAge/12/allowJPG/noanimate/",
    { width: 1, crop: 1, maxAge: 1, allowJPG: 1, noanimate: 1 },
    { image_width: 300, height: 900, cache_ttl: 43200, format: "jpeg" },
  ),
  at(
    "viewportWidth/800/fullpage/wait/1/png/",
    { viewportWidth: 1, fullpage: 1, wait: 1, png: 1 },
    { width: 800, image_width: 400, full_page: true, delay: 1, format: "png" },
  ),
  at("iphone5/", { iphone5: 1 }, { viewport_device: "iPhone 5", width: 320 }),
  at("iphone6/", { iphone6: 1 }, { viewport_device: "iPhone 6" }),
  at("iphone6plus/", { iphone6plus: 1 }, { viewport_device: "iPhone 6 Plus" }),
  at("iphoneX/", { iphoneX: 1 }, { viewport_device: "iPhone X" }, "ENCODED"),
  at("width/200/", { width: 1 }, { image_width: 200 }, "?url=ENCODED"),
  at("width/100/", { width: 1 }, { url: "SITE/?api_key=other&w=2", image_width: 100 }, "SITE/?api_key=other&w=2"),
];
