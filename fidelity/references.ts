/** Makes the references, or reuses those of an earlier run with the same inputs. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { samePixels } from "../bench/contenders/host.ts";
import type { LocalChromium } from "../scripts/stack/chromium.ts";
import { root } from "../scripts/stack/folders.ts";
import { type Blocks, blocksIn, differingBlocks } from "./blocks.ts";
import type { FidelityCase } from "./case.ts";
import { decode, encode, type Image } from "./images.ts";
import type { Visit } from "./reference/strips.ts";
import { bands, viewport, visit } from "./reference/visit.ts";

export interface Reference {
  image: Image;
  /** Unstable blocks, without a single correct rendering. */
  unsure: Blocks;
  png: Buffer;
}

/** Files that invalidate the references when they change. */
const makers = [
  ...["blocks.ts", "images.ts", "package-lock.json"],
  ...["fixed.ts", "scroller.ts", "still.ts", "strips.ts", "travel.ts", "visit.ts"].map((file) => `reference/${file}`),
  ...["generate.ts", "offline.ts"].map((file) => `site/${file}`),
];

export interface References extends AsyncDisposable {
  /**
   * Visits the page, unless its reference exists.
   * @throws {Error} if the page can't be visited.
   */
  make(one: FidelityCase, url: string, log: (message: string) => void): Promise<void>;
  /** @throws {Error} if it wasn't made. */
  of(one: FidelityCase): Promise<Reference>;
  /** External hosts that the page requested while its reference was made. */
  elsewhere(one: FidelityCase): string[];
}

/** @param folder where they are stored. */
export async function openReferences(chromium: LocalChromium, folder: string): Promise<References> {
  await mkdir(folder, { recursive: true });
  const made = await Promise.all(makers.map((file) => readFile(join(root, "fidelity", file), "utf8")));
  const elsewhere = new Map<string, string[]>();
  let browser: Promise<Browser> | undefined;
  const launched = () => {
    browser ??= puppeteer.launch({
      executablePath: chromium.executablePath,
      headless: "shell",
      args: [...samePixels, ...(chromium.sandbox ? [] : ["--no-sandbox"])],
      env: { ...process.env, ...chromium.env },
    });
    return browser;
  };
  const fileOf = (one: FidelityCase) => {
    const key = createHash("sha256").update(JSON.stringify([made, chromium.executablePath, description(one)]));
    return join(folder, `${one.name}-${key.digest("hex").slice(0, 12)}`);
  };
  return {
    async make(one, url, log) {
      if (existsSync(`${fileOf(one)}.json`)) return;
      const since = performance.now();
      const hosts = new Set<string>();
      const visits = await Promise.all(bands.map(async (band) => visitOnce(await launched(), one, { url, band, elsewhere: hosts })));
      const { png, unsure } = await combine(visits);
      await writeFile(`${fileOf(one)}.png`, png);
      await writeFile(`${fileOf(one)}.json`, JSON.stringify([...unsure]));
      elsewhere.set(one.name, [...hosts]);
      log(`${one.name}: reference made in ${Math.round((performance.now() - since) / 1000)} s`);
    },
    async of(one) {
      const unsure: Blocks = new Set(JSON.parse(await readFile(`${fileOf(one)}.json`, "utf8")));
      const png = await readFile(`${fileOf(one)}.png`);
      return { image: await decode(png), unsure, png };
    },
    elsewhere: ({ name }) => elsewhere.get(name) ?? [],
    [Symbol.asyncDispose]: async () => await (await browser)?.close(),
  };
}

/** The properties of a case that affect its page's appearance. */
function description({ at, edits, html, scrolling, ignored, pressed }: FidelityCase) {
  return [at, edits?.map(String), html?.(new URLSearchParams()), scrolling, ignored, pressed];
}

interface VisitOptions {
  url: string;
  band: (typeof bands)[number];
  elsewhere: Set<string>;
}

async function visitOnce(browser: Browser, one: FidelityCase, { url, band, elsewhere }: VisitOptions): Promise<Visit> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    page.on("request", (request) => {
      const { host, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && host !== new URL(url).host) elsewhere.add(host);
    });
    await page.setViewport(viewport);
    await page.goto(url, { waitUntil: "load", timeout: 30_000 });
    if (one.pressed !== undefined) await press(page, one.pressed);
    return await visit(page, one.scrolling ?? {}, band, one.ignored);
  } finally {
    await context.close();
  }
}

/** A dialog that is still sliding in ignores the click, so it is clicked as often as a person would. */
async function press(page: Page, selector: string): Promise<void> {
  await page.locator(selector).setTimeout(10_000).click();
  for (let presses = 1; presses < 4; presses += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const button = await page.$(selector);
    if (!(await button?.isVisible())) return;
    await button?.click();
  }
}

/** The first visit's image; blocks that differ between the visits are unstable. */
async function combine(visits: Visit[]): Promise<Reference> {
  const [first, ...others] = visits;
  if (!first) throw new Error("unreachable: there are bands");
  const unsure: Blocks = new Set(visits.flatMap((one) => [...one.unsure]));
  for (const { image } of others) {
    for (const block of differingBlocks(first.image, image)) unsure.add(block);
    const { width, height } = first.image;
    for (const block of blocksIn(width, { x: 0, y: image.height, width, height: height - image.height })) unsure.add(block);
  }
  return { image: first.image, unsure, png: await encode(first.image) };
}
