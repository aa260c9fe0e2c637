/** Compares an image that may be blank with the page's content. Runs in the page, so it must be self-contained. */

export interface Appearance {
  /** `#rrggbbaa` of a single-color image; otherwise undefined. */
  color?: string;
  /** Whether the page has text, images or the like that a single-color image should show; false if the image has several colors. */
  hasContent: boolean;
  /** Whether the page has scripts, which may add content later. */
  hasScripts: boolean;
}

/** Resolves when the page contains text, an image or the like; never resolves if that takes longer than `timeoutMs`. */
export async function untilContent(timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  // biome-ignore lint/performance/useDomNodeTextContent: text of scripts and of hidden elements is not visible
  const text = () => (document.body?.innerText ?? "").trim();
  while (text() === "" && document.querySelector("img[src], svg, canvas, video") === null) {
    if (performance.now() > end) return new Promise(() => {});
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Decodes an image of `area` and looks for content in that area of the page. */
export async function inspectImage(
  base64: string,
  type: string,
  area: { x: number; y: number; width: number; height: number; isViewport?: boolean },
): Promise<Appearance> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type }));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context?.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(context?.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer ?? new ArrayBuffer(0));
  const [first = 0] = pixels;
  const hasScripts = document.scripts.length > 0;
  if (pixels.some((pixel) => pixel !== first)) return { hasContent: false, hasScripts };
  const color = `#${[...new Uint8Array(new Uint32Array([first]).buffer)].map((part) => part.toString(16).padStart(2, "0")).join("")}`;

  const [x, y] = area.isViewport ? [0, 0] : [area.x - scrollX, area.y - scrollY];
  const isIn = ({ left, top, right, bottom, width, height }: DOMRect) =>
    width > 1 && height > 1 && left < x + area.width && right > x && top < y + area.height && bottom > y;
  const isSeen = (element: Element) => Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const elements = document.querySelectorAll("img, svg, canvas, video, iframe, object, embed, input, button, select, textarea");
  const hasElement = () => [...elements].some((element) => isIn(Element.prototype.getBoundingClientRect.call(element)) && isSeen(element));
  const hasText = () => {
    const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let text = texts.nextNode() as Text | null; text; text = texts.nextNode() as Text | null) {
      const parent = text.parentElement;
      if (!parent || text.data.trim() === "" || !isSeen(parent)) continue;
      range.selectNodeContents(text);
      if (isIn(range.getBoundingClientRect())) return true;
    }
    return false;
  };
  // An element may well fill the area with a color, but is unlikely to fill it with white or transparency.
  const isPale = /^#(ffffffff|......00)$/.test(color);
  return { color, hasContent: (isPale && hasElement()) || hasText(), hasScripts };
}
