/** puppeteer-cluster, a context per job. */

import { Cluster } from "puppeteer-cluster";
import puppeteer from "puppeteer-core";
import { card, executablePath, extraArgs, quality, type Shot, serve, viewport } from "./host.ts";

async function start() {
  const cluster = (await Cluster.launch({
    concurrency: Cluster.CONCURRENCY_CONTEXT,
    maxConcurrency: 4,
    puppeteer,
    puppeteerOptions: { executablePath, headless: "shell", args: extraArgs, defaultViewport: viewport },
  })) as Cluster<Shot, Uint8Array>;
  return {
    shoot: (shot: Shot) =>
      cluster.execute(shot, async ({ page, data: { url, html, fullPage, type } }) => {
        await page.setViewport(html ? card : viewport);
        await (html ? page.setContent(html, { waitUntil: "load" }) : page.goto(url, { waitUntil: "load" }));
        return await page.screenshot({ type, fullPage, ...(type === "jpeg" ? { quality } : {}) });
      }),
  };
}

serve(start());
