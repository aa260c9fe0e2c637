/** Reference images: the pages completely loaded and settled. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import sharp from "sharp";
import type { LocalChromium } from "../../scripts/stack/chromium.ts";
import { samePixels, viewport } from "../contenders/host.ts";

export interface Reference {
  /** PNGs of two visits. */
  viewport: Buffer[];
  fullPage: Buffer[];
  /** Number of the page's requests when it is scrolled through, and their total bytes. */
  requests: number;
  bytes: number;
}

type Visit = { viewport: Buffer; fullPage: Buffer; requests: number; bytes: number };

const visitsAtOnce = 3;
const pieceHeight = 8000;

/** Visits each page twice. Keeps one visit's images in `folder`. @param addresses URLs by page. */
export async function takeReferences(
  addresses: Map<string, string>,
  chromium: LocalChromium,
  folder: string,
): Promise<Map<string, Reference>> {
  const browser = await puppeteer.launch({
    executablePath: chromium.executablePath,
    headless: "shell",
    args: [...samePixels, ...(chromium.sandbox ? [] : ["--no-sandbox"])],
    env: { ...process.env, ...chromium.env },
  });
  try {
    const references = new Map<string, Reference>();
    const left = [...addresses];
    await Promise.all(
      Array.from({ length: visitsAtOnce }, async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          const [name, url] = next;
          const visits = [await visit(browser, url), await visit(browser, url)] as const;
          const [{ requests, bytes }] = visits;
          await keep(folder, name, visits[0]);
          references.set(name, {
            viewport: visits.map((one) => one.viewport),
            fullPage: visits.map((one) => one.fullPage),
            requests,
            bytes,
          });
        }
      }),
    );
    return references;
  } finally {
    await browser.close();
  }
}

async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    let requests = 0;
    let bytes = 0;
    page.on("response", (response) => {
      requests += 1;
      bytes += Number(response.headers()["content-length"] ?? 0);
    });
    await page.setViewport(viewport);
    await page.goto(url, { waitUntil: "networkidle0", timeout: 60_000 });
    await comeToRest(page);
    return { viewport: Buffer.from(await page.screenshot()), fullPage: await wholePage(page), requests, bytes };
  } finally {
    await context.close();
  }
}

/** In parts, because above 16,384 pixels Chromium repeats the image. */
async function wholePage(page: Page): Promise<Buffer> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const pieces: { input: Buffer; left: number; top: number }[] = [];
  for (let top = 0; top < height; top += pieceHeight) {
    const clip = { x: 0, y: top, width: viewport.width, height: Math.min(pieceHeight, height - top) };
    pieces.push({ input: Buffer.from(await page.screenshot({ clip, captureBeyondViewport: true })), left: 0, top });
  }
  const canvas = sharp({ create: { width: viewport.width, height, channels: 4, background: "#fff" } });
  return await canvas.composite(pieces).png().toBuffer();
}

/** Scrolls through the page, waits for the content that this loads, and returns to the top. */
async function comeToRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight / 2) {
      scrollTo({ top: y, behavior: "instant" });
      await pause(60);
    }
    await document.fonts.ready;
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
    scrollTo({ top: 0, behavior: "instant" });
  });
  await page.waitForNetworkIdle({ idleTime: 500, timeout: 30_000 });
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1500)));
  // For an image beyond the viewport, Chromium briefly changes the layout width, which starts transitions.
  await page.addStyleTag({ content: "*, *::before, *::after { transition: none !important }" });
}

async function keep(folder: string, name: string, pictures: Visit): Promise<void> {
  await writeFile(join(folder, `${name}.png`), pictures.viewport);
  await writeFile(join(folder, `${name}-full.png`), pictures.fullPage);
}
