/** Draws placeholder images in place of screenshots, without a browser, one at a time and within limits, and caches them. */

import { LRUCache } from "lru-cache";
import { encodeImage } from "../shared/encode-image.ts";
import { escapeMarkup } from "../shared/escape-markup.ts";
import type { ImageFormat } from "../shared/formats.ts";
import { createOwnerSums } from "../shared/owner-sums.ts";

export interface Placeholder {
  /** In pixels. */
  width: number;
  height: number;
  format: ImageFormat;
  /** From 1 to 100, for jpeg, webp and avif. */
  quality: number;
  /** CSS hex color of the background, with alpha if it has 4 or 8 digits; jpeg ignores the alpha. */
  color: string;
  /** Centered; wrapped and shrunk to fit. Omitted if the image is too small for legible text. */
  text?: { title: string; body: string; footnote: string };
}

/** Images smaller than this are drawn without text. */
const textWidthMin = 80;
const textHeightMin = 40;
/** Share of the image's width and height that the text may use. */
const textShare = 0.84;
const fontPixels = { min: 10, max: 32, perWidth: 1 / 50 };
const points = 12;
const textColor = "#52525b";

/** @throws if drawing fails. */
async function drawPlaceholder({ width, height, format, quality, color: background, text }: Placeholder): Promise<Buffer> {
  const { default: sharp } = await import("sharp"); // loaded on demand, because only errors need it
  if (!text || width < textWidthMin || height < textHeightMin)
    return await encodeImage(sharp({ create: { width, height, channels: 4, background } }), { format, quality }).toBuffer();

  const box = { width: Math.floor(width * textShare), height: Math.floor(height * textShare) };
  const fontSize = Math.min(fontPixels.max, Math.max(fontPixels.min, width * fontPixels.perWidth));
  const dpi = Math.round((fontSize * 72) / points);
  const { title, body, footnote } = text;
  const markup = `<span foreground="${textColor}"><b>${markupOf(title)}</b>\n\n${markupOf(body)}\n\n<small>${markupOf(footnote)}</small></span>`;
  const written = sharp({
    text: { text: markup, font: `sans ${points}`, width: box.width, dpi, rgba: true, align: "centre", wrap: "word-char" },
  });
  const { data, info } = await written
    .resize({ ...box, fit: "inside", withoutEnlargement: true })
    .flatten({ background })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const left = Math.floor((width - info.width) / 2);
  const top = Math.floor((height - info.height) / 2);
  const framed = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } }).extend({
    left,
    top,
    right: width - info.width - left,
    bottom: height - info.height - top,
    background,
  });
  return await encodeImage(framed, { format, quality }).toBuffer();
}

const textMax = 400;

function markupOf(text: string): string {
  return escapeMarkup(text.slice(0, textMax).replace(/\p{Cc}/gu, " "));
}

/**
 * Undefined if too many placeholders are waiting to be drawn, in total or for this account.
 * @throws if drawing fails.
 */
export type DrawPlaceholder = (account: string, placeholder: Placeholder) => Promise<Buffer | undefined>;

const rememberedBytesMax = 16 * 1024 * 1024;
/** Memory overhead per cached image. */
const overheadBytes = 512;
const waitingMax = 32;
/**
 * Maximum number of queued placeholders per account, so that a placeholder waits for at most this many from any other account. Drawing
 * that many takes less than two seconds.
 */
const perAccountMax = 8;

export function createPlaceholders(): DrawPlaceholder {
  const drawn = new LRUCache<string, Buffer>({ maxSize: rememberedBytesMax, sizeCalculation: ({ length }) => length + overheadBytes });
  let last: Promise<unknown> = Promise.resolve();
  const waiting = createOwnerSums();

  return async (account, placeholder) => {
    const key = JSON.stringify(placeholder);
    const before = drawn.get(key);
    if (before || waiting.total() === waitingMax || waiting.of(account) === perAccountMax) return before;
    waiting.add(account, 1);
    const drawing = last.then(async () => {
      const bytes = drawn.get(key) ?? (await drawPlaceholder(placeholder));
      drawn.set(key, bytes);
      return bytes;
    });
    last = drawing.catch(() => {}).finally(() => waiting.add(account, -1));
    return await drawing;
  };
}
