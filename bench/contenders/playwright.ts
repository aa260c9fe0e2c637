/** playwright-core, a context per screenshot. */

import { chromium } from "playwright-core";
import { card, executablePath, quality, type Shot, samePixels, sandbox, serve, viewport } from "./host.ts";

async function start() {
  const browser = await chromium.launch({ executablePath, chromiumSandbox: sandbox, args: samePixels });
  return {
    async shoot({ url, html, fullPage, type }: Shot) {
      const context = await browser.newContext({ viewport: html ? card : viewport });
      try {
        const page = await context.newPage();
        await (html ? page.setContent(html, { waitUntil: "load" }) : page.goto(url, { waitUntil: "load" }));
        return await page.screenshot({ type, fullPage, ...(type === "jpeg" ? { quality } : {}) });
      } finally {
        await context.close();
      }
    },
  };
}

serve(start());
