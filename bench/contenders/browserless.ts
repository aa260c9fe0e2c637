/** microlink's browserless with its screenshot function, as its documentation shows it: a context for each shot, its own flags and waits. */

import createBrowser from "browserless";
import puppeteer from "puppeteer"; // of the version that browserless works with
import { executablePath, quality, type Shot, samePixels, serve, viewport } from "./host.ts";

/** As it is: its own types say otherwise. */
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
