/** Looks at pictures that may be blank, which pages with more to show sometimes give for a moment. */

import type { Tab } from "../browser/tab.ts";
import type { Shot } from "./option-group.ts";
import type { Picture } from "./picture-size.ts";

/**
 * Chromium's images of one colour have a size that follows from their width and height, whatever the colour and quality (measured from
 * 200 × 100 to 1280 × 5000); one line of text adds a thousand bytes.
 */
const uniformBytesMax = {
  jpeg: (pixels: number) => 850 + pixels * 0.0061,
  png: (pixels: number, rows: number) => 800 + pixels * 0.0155 + rows * 3.7,
  webp: (pixels: number) => 700 + pixels * 0.0019,
};
/** Past this, to look would cost more memory than the answer is worth. */
const pixelsMax = 16_000_000;

export interface Sight {
  /** `#rrggbbaa` where the whole picture has it. */
  colour?: string;
  /** Text, images and the like that should be in the picture. */
  hasContent: boolean;
  /** Only a page with scripts may yet show something. */
  hasScripts: boolean;
}

/**
 * What a picture shows and should show. Only pictures of few bytes are looked at, so it costs others nothing.
 * @returns undefined for a picture that isn't blank, or can't be looked at.
 */
export async function lookAtBlank(
  tab: Tab,
  { bytes, width, height }: Picture,
  { format, clip, viewport }: Shot,
): Promise<Sight | undefined> {
  const pixels = width * height;
  if (pixels > pixelsMax || bytes.length > uniformBytesMax[format](pixels, height)) return undefined;
  const sight: Sight = await tab.evaluate(
    look,
    bytes.toString("base64"),
    `image/${format}`,
    clip ?? { x: 0, y: 0, ...viewport, isViewport: true },
  );
  return sight.colour === undefined ? undefined : sight;
}

/** White, or nothing at all: what a page shows before it shows anything. */
export function isEmpty({ colour, hasContent }: Sight): boolean {
  return !hasContent && /^#(ffffffff|......00)$/.test(colour ?? "");
}

/** Whether text, an image or the like comes into view within `ms`. */
export async function contentComes(tab: Tab, ms: number): Promise<boolean> {
  return await tab.within(
    ms,
    tab.waitFor(async (patienceMs: number) => {
      const end = performance.now() + patienceMs;
      // biome-ignore lint/performance/useDomNodeTextContent: the text of scripts and of what is hidden is none to the eye
      const text = () => (document.body?.innerText ?? "").trim();
      const isThere = () => text() !== "" || document.querySelector("img[src], svg, canvas, video") !== null;
      while (!isThere()) {
        if (performance.now() > end) return new Promise(() => {});
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      return true;
    }, ms),
  );
}

/** Runs in the page. */
async function look(
  base64: string,
  type: string,
  area: { x: number; y: number; width: number; height: number; isViewport?: boolean },
): Promise<Sight> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type }));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context?.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(context?.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer ?? new ArrayBuffer(0));
  const [first = 0] = pixels;
  const hasScripts = document.scripts.length > 0;
  if (pixels.some((pixel) => pixel !== first)) return { hasContent: false, hasScripts };
  const colour = `#${[...new Uint8Array(new Uint32Array([first]).buffer)].map((part) => part.toString(16).padStart(2, "0")).join("")}`;

  const [x, y] = area.isViewport ? [0, 0] : [area.x - scrollX, area.y - scrollY];
  const isIn = ({ left, top, right, bottom, width, height }: DOMRect) =>
    width > 1 && height > 1 && left < x + area.width && right > x && top < y + area.height && bottom > y;
  const isSeen = (element: Element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const things = document.querySelectorAll("img, svg, canvas, video, iframe, object, embed, input, button, select, textarea");
  const hasThing = () => [...things].some((thing) => isIn(thing.getBoundingClientRect()) && isSeen(thing));
  const hasText = () => {
    const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement;
      if (!parent || (text.nodeValue ?? "").trim() === "" || !isSeen(parent)) continue;
      range.selectNodeContents(text);
      if (isIn(range.getBoundingClientRect())) return true;
    }
    return false;
  };
  const isPale = /^#(ffffffff|......00)$/.test(colour); // an image may well be one colour itself, but hardly this one
  return { colour, hasContent: (isPale && hasThing()) || hasText(), hasScripts };
}
