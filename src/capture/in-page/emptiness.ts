/** Runs in the page: finds the part of a list whose rows are missing because they exist only while in view. */

/**
 * The longest vertical stretch without content below the rows of a list, in CSS pixels, if it is more than two viewports tall. Undefined if
 * there is none, and for documents with more than 10,000 elements.
 */
export function longestEmptyPart(): { top: number; bottom: number } | undefined {
  const elementsMax = 10_000;
  const rowsMin = 3;
  const shows = "img, svg, canvas, video, iframe, object, embed, input, textarea, select, button, hr, math";
  const page = document.scrollingElement ?? document.documentElement;
  const elements = document.body?.querySelectorAll<HTMLElement>("*");
  const bandHeight = innerHeight / 4;
  const bands = Math.ceil(page.scrollHeight / bandHeight);
  if (!elements || elements.length > elementsMax || page.scrollHeight < 3 * innerHeight) return undefined;
  const isCovered = new Uint8Array(bands);
  const hasText = ({ childNodes }: Element) =>
    [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? "").trim() !== "");
  /** A large area filled with one color may be the container of a list's rows. */
  const isPainted = (element: Element, height: number) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    return backgroundImage !== "none" || (height < 2 * innerHeight && !/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor));
  };
  for (const element of elements) {
    const { top, bottom, width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0) continue;
    if (!element.shadowRoot && !element.matches(shows) && !hasText(element) && !isPainted(element, height)) continue;
    const [first, last] = [top, bottom].map((y) => Math.floor((y + scrollY) / bandHeight)) as [number, number];
    isCovered.fill(1, Math.max(0, first), Math.min(bands, last + 1));
  }
  let longest = { from: 0, count: 0 };
  for (let from = 0, index = 0; index <= bands; index += 1) {
    if (index < bands && !isCovered[index]) continue;
    if (index - from > longest.count) longest = { from, count: index - from };
    from = index + 1;
  }
  const [from, to] = [longest.from * bandHeight, Math.min(page.scrollHeight, (longest.from + longest.count) * bandHeight)];
  if (to - from <= 2 * innerHeight) return undefined;
  // An empty area without rows above it is intentional.
  const holders = [...elements].filter((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top + scrollY < from + bandHeight && bottom + scrollY > to - bandHeight;
  });
  if ((holders.at(-1)?.querySelectorAll("*").length ?? 0) < rowsMin) return undefined;
  return { top: Math.round(from), bottom: Math.round(to) };
}
