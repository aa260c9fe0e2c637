/** Pictures of the pages as they look when everything has arrived and come to rest: what all others are compared with. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { samePixels, viewport } from "../contenders/host.ts";

/** Two PNGs each, of two visits. */
export interface Reference {
  viewport: Buffer[];
  fullPage: Buffer[];
}

interface Chromium {
  executablePath: string;
  sandbox: boolean;
  env: Record<string, string>;
}

const visitsAtOnce = 3;

/** Visits each page twice; `addresses` are by page. With a `folder` the pictures are kept there for people to look at. */
export async function takeReferences(
  addresses: Map<string, string>,
  chromium: Chromium,
  folder: string | undefined,
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
          const visits = [await visit(browser, url), await visit(browser, url)];
          if (folder !== undefined) await keep(folder, name, visits[0]);
          references.set(name, { viewport: visits.map((one) => one.viewport), fullPage: visits.map((one) => one.fullPage) });
        }
      }),
    );
    return references;
  } finally {
    await browser.close();
  }
}

async function visit(browser: Browser, url: string): Promise<{ viewport: Buffer; fullPage: Buffer }> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await page.setViewport(viewport);
    await page.evaluateOnNewDocument(holdEvents);
    await page.goto(url, { waitUntil: "networkidle0", timeout: 60_000 });
    await comeToRest(page);
    const shots = { viewport: await page.screenshot(), fullPage: await page.screenshot({ fullPage: true }) };
    return { viewport: Buffer.from(shots.viewport), fullPage: Buffer.from(shots.fullPage) };
  } finally {
    await context.close();
  }
}

/**
 * A shot of more than the viewport makes Chromium scroll and resize for a moment, and pages that change their looks when they are
 * scrolled change them then. Once at rest, the page hears nothing of it.
 */
function holdEvents(): void {
  for (const name of ["scroll", "resize"])
    window.addEventListener(
      name,
      (event) => document.documentElement.hasAttribute("data-at-rest") && event.stopImmediatePropagation(),
      true,
    );
}

/** Shows every part of the page to it, waits for what that brings, and goes back to the top. */
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
  await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    document.documentElement.setAttribute("data-at-rest", "");
  });
}

async function keep(folder: string, name: string, pictures: { viewport: Buffer; fullPage: Buffer } | undefined): Promise<void> {
  if (pictures === undefined) return;
  await writeFile(join(folder, `${name}.png`), pictures.viewport);
  await writeFile(join(folder, `${name}-full.png`), pictures.fullPage);
}
