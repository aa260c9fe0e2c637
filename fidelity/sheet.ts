/** The overview of all pages for visual inspection: reference, Tintype, best peer. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { blockSize, type Comparison, positionOf } from "./blocks.ts";
import type { Capture } from "./captures.ts";
import type { FidelityCase } from "./case.ts";
import { encode, type Image } from "./images.ts";
import type { Reference } from "./references.ts";
import { bestPeer, type Figure, type PageResult, percent } from "./report.ts";

/** Size of an image in a strip, in pixels; taller images are cut off. */
const cell = { width: 400, height: 1800 };
const gap = 10;

/** Draws a page's strip `<name>-sheet.png`: the reference, and Tintype's and the best peer's screenshot with marked differences. */
export async function drawSheet(folder: string, one: FidelityCase, reference: Reference, own: Capture | undefined, theirs: Capture[]) {
  const best = theirs.toSorted((a, b) => (b.comparison?.share ?? 0) - (a.comparison?.share ?? 0))[0];
  const { width } = reference.image;
  const parts = [await encode(marked(reference.image, width, { unsure: reference.unsure }))];
  for (const taken of [own, best]) if (taken?.image) parts.push(await encode(marked(taken.image, width, taken.comparison ?? {})));
  const cells = await Promise.all(parts.map(shrink));
  const height = Math.max(...cells.map((one) => one.info.height));
  const composed = cells.map(({ data }, index) => ({ input: data, left: index * (cell.width + gap), top: 0 }));
  const canvas = sharp({ create: { width: cells.length * (cell.width + gap) - gap, height, channels: 3, background: "#888" } });
  await canvas
    .composite(composed)
    .png()
    .toFile(join(folder, `${one.name}-sheet.png`));
}

async function shrink(png: Buffer) {
  const small = await sharp(png, { limitInputPixels: false }).resize({ width: cell.width }).toBuffer({ resolveWithObject: true });
  const height = Math.min(small.info.height, cell.height);
  return await sharp(small.data).extract({ left: 0, top: 0, width: cell.width, height }).png().toBuffer({ resolveWithObject: true });
}

/** A copy with wrong blocks tinted red, extra ones blue and ignored ones gray; blocks are numbered as in an image of `width`. */
function marked(image: Image, width: number, { wrong, extra, unsure }: Partial<Comparison> & { unsure?: Set<number> }): Image {
  const copy = { ...image, pixels: Buffer.from(image.pixels) };
  for (const block of wrong ?? []) tint(copy, positionOf(width, block), [255, 0, 0]);
  for (const block of extra ?? []) tint(copy, positionOf(width, block), [0, 0, 255]);
  for (const block of unsure ?? []) tint(copy, positionOf(width, block), [128, 128, 128]);
  return copy;
}

function tint({ width, height, pixels }: Image, { x: left, y: top }: { x: number; y: number }, color: [number, number, number]): void {
  for (let y = top; y < Math.min(top + blockSize, height); y += 1)
    for (let x = left; x < Math.min(left + blockSize, width); x += 1)
      for (const [channel, value] of color.entries()) {
        const at = (y * width + x) * 4 + channel;
        pixels[at] = ((pixels[at] ?? 0) + value) / 2;
      }
}

/** @returns the HTML file that shows all strips, worst first. */
export async function writeSheetPage(folder: string, results: PageResult[]): Promise<string> {
  const file = join(folder, "index.html");
  const sorted = results.toSorted((a, b) => (a.tintype?.share ?? 0) - (b.tintype?.share ?? 0));
  await writeFile(
    file,
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Hard pages</title>
<style>body { font: 15px/1.45 system-ui, sans-serif; margin: 24px; background: #eceae4 } figure { margin: 0 0 32px; padding: 14px; background: #fff } figcaption { margin-bottom: 8px } img { max-width: 100% }</style>
<h1>Hard pages</h1><p>Reference (gray: doesn't count), Tintype, best peer (red: not as in the reference, blue: nothing is there in the reference).</p>
${sorted.map(figure).join("\n")}</html>\n`,
  );
  return file;
}

function figure(result: PageResult): string {
  const { name, about, failure, tintype, notes } = result;
  const caption = [failure, ...[tintype, bestPeer(result)].map(describeFigure), ...notes].filter(Boolean).join(" · ");
  const image =
    failure === undefined ? `<a href="images/${name}-tintype-1.png"><img src="images/${name}-sheet.png" alt="" loading="lazy"></a>` : "";
  return `<figure><figcaption><b>${name}</b> ${escapeHtml(about)}<br><small>${escapeHtml(caption)}</small></figcaption>${image}</figure>`;
}

function describeFigure(figure: Figure | undefined): string {
  if (!figure) return "";
  const { contender, share, extra, seconds, warnings } = figure;
  return `${contender} ${percent(share)} %, ${extra ?? 0} extra, ${seconds.toFixed(1)} s${warnings ? `, warns: ${warnings}` : ""}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
