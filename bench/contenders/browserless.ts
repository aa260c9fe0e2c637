/** microlink's browserless, used as documented: a context per screenshot, its own flags and waits. */

import createBrowser from "browserless";
import puppeteer from "puppeteer"; // the version that browserless supports
import { executablePath, quality, type Shot, samePixels, serve, viewport } from "./host.ts";

/** The actual type, which differs from the package's declaration. */
interface Browserless {
  (
    options: object,
  ): {
    browser(): Promise<unknown>;
    createContext(): Promise<{ screenshot(url: string, options: object): Promise<Buffer>; destroyContext(): Promise<void> }>;
  };
  driver: { defaultArgs: string[] };
}

async function start() {
  const create = createBrowser as unknown as Browserless;
  const browser = create({ puppeteer, executablePath, headless: "shell", args: [...create.driver.defaultArgs, ...samePixels] });
  await browser.browser();
  return {
    async shoot({ url, fullPage, type }: Shot) {
      const context = await browser.createContext();
      try {
        const options = { viewport: { ...viewport, deviceScaleFactor: 1 }, type, fullPage, ...(type === "jpeg" ? { quality } : {}) };
        return await context.screenshot(url, options);
      } finally {
        await context.destroyContext();
      }
    },
  };
}

serve(start());
