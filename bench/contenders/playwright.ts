/** playwright-core, a context per screenshot. */

import { chromium } from "playwright-core";
import { executablePath, quality, type Shot, samePixels, sandbox, serve, viewport } from "./host.ts";

async function start() {
  const browser = await chromium.launch({ executablePath, chromiumSandbox: sandbox, args: samePixels });
  return {
    async shoot({ url, fullPage, type }: Shot) {
      const context = await browser.newContext({ viewport });
      try {
        const page = await context.newPage();
        await page.goto(url, { waitUntil: "load" });
        return await page.screenshot({ type, fullPage, ...(type === "jpeg" ? { quality } : {}) });
      } finally {
        await context.close();
      }
    },
  };
}

serve(start());
