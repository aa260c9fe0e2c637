/** capture-website: one browser per capture, its own waits. */

import captureWebsite from "capture-website";
import { executablePath, extraArgs, quality, type Shot, serve, viewport } from "./host.ts";

async function start() {
  return {
    shoot: ({ url, fullPage, type }: Shot) =>
      captureWebsite.buffer(url, {
        ...viewport,
        scaleFactor: 1,
        type,
        fullPage,
        ...(type === "jpeg" ? { quality: quality / 100 } : {}),
        launchOptions: { executablePath, headless: "shell", args: extraArgs },
      }),
  };
}

serve(start());
