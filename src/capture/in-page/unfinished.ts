/** Recognizes that a page is about to show more. Runs in the page, so these functions must be self-contained. */

/**
 * Whether the viewport shows an element that is marked as busy, an element whose name suggests loading, or text that announces a redirect.
 */
export function announcesMore(): boolean {
  const [elementsMax, textsMax, textMax, leavingMax] = [100, 1_000, 60, 200];
  // Form fields shadow the form's own members, so these are read from the prototypes.
  const boxOf = (element: Element) => Element.prototype.getBoundingClientRect.call(element);
  const isSeen = (element: Element) => {
    const { top, bottom, left, right } = boxOf(element);
    if (top >= innerHeight || bottom < 0 || left >= innerWidth || right < 0) return false;
    return Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  };
  const busy = "[aria-busy=true], progress:not([value]), [role=progressbar]:not([aria-valuenow])";
  const isLarge = (element: Element) => boxOf(element).width * boxOf(element).height > 1;
  if ([...document.querySelectorAll(busy)].slice(0, elementsMax).some((element) => isLarge(element) && isSeen(element))) return true;

  const waits =
    /^(loading|connecting|initiali[sz]ing|fetching|redirecting|please wait|one moment|wird geladen|lädt|bitte warten|chargement|cargando|carregando|caricamento|загрузка|読み込み中|加载中|로딩)(?<rest>[\p{L} ]{0,40})(?<dots>…|\.\.\.?)?$/iu;
  const leaves = /\b(you('re| are| will be)|wirst|werden) (being |now |automatically |automatisch )?(redirected|weitergeleitet)\b/i;
  const isLabel = "a, button, nav, label, option, summary, code, pre, td, th, li, h1, h2, h3, h4, h5, h6";
  const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
  let length = 0;
  let isLeaving = false;
  for (let count = 0; count < textsMax; count += 1) {
    const text = texts.nextNode() as Text | null;
    if (!text) break;
    const parent = text.parentElement;
    if (!parent || parent.localName === "script" || parent.localName === "style") continue;
    length += text.length;
    const short = text.length <= leavingMax ? text.data.trim() : "";
    isLeaving ||= leaves.test(short) && isSeen(parent);
    const found = short.length <= textMax ? waits.exec(short)?.groups : undefined;
    const isWaiting = found && (found.dots || (found.rest?.trim() === "" && !Element.prototype.closest.call(parent, isLabel)));
    if (isWaiting && isSeen(parent)) return true;
  }
  return isLeaving && length < 1_000;
}

/**
 * Whether the viewport has an empty area, which may be intentional: a main part or a large box, an element at the end of content that
 * doesn't fill the window, or an icon whose style sheet is missing.
 */
export function hasRoomForMore(): boolean {
  const [elementsMax, documentMax] = [100, 2_000];
  // such a page shows enough, and the search would take milliseconds
  if (document.getElementsByTagName("*").length > documentMax) return false;
  const boxOf = (element: Element) => Element.prototype.getBoundingClientRect.call(element);
  const isSeen = (element: Element) => {
    const { top, bottom, left, right } = boxOf(element);
    if (top >= innerHeight || bottom < 0 || left >= innerWidth || right < 0) return false;
    return Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  };
  const seen = (selector: string) => [...document.querySelectorAll(selector)].slice(0, elementsMax).filter(isSeen);
  const content =
    "img, picture, svg, canvas, video, audio, iframe, object, embed, input, select, textarea, button, hr, math, meter, progress, form, fieldset, output, script";
  const isBare = (element: Element) => {
    if (Element.prototype.matches.call(element, content) || element.shadowRoot) return false;
    const inner = element.getElementsByTagName("*");
    if (inner.length >= elementsMax || element.querySelector(content) || (element.textContent ?? "").trim() !== "") return false;
    return ![element, ...inner].some((one) => one.localName.includes("-") || getComputedStyle(one).backgroundImage !== "none");
  };
  if (seen("main, [role=main], #root, #app, #__next").some(isBare)) return true;

  const at = (x: number, y: number) => document.elementFromPoint(x * innerWidth, y * innerHeight);
  const isPage = (element: Element | null) => element === null || element === document.body || element === document.documentElement;
  const isLarge = ({ width, height }: DOMRect) => width * height > (innerWidth * innerHeight) / 5;
  const points = [0.25, 0.5, 0.75].flatMap((x) => [0.3, 0.5, 0.7, 0.9].map((y) => at(x, y)));
  if ([...new Set(points)].some((element) => element && !isPage(element) && isLarge(boxOf(element)) && isBare(element))) return true;

  /** Whether the window is empty from the element to its bottom. */
  const isEnd = ({ bottom }: DOMRect) => {
    const heights = [8, 24, 40, 64, 100].map((below) => bottom + below).concat((bottom + innerHeight) / 2, innerHeight - 8);
    const isEmptyAt = (y: number) => [0.1, 0.3, 0.5, 0.8].every((x) => isPage(at(x, y / innerHeight)));
    return bottom < 0.85 * innerHeight && heights.every(isEmptyAt);
  };
  const places = seen("div:empty, section:empty, article:empty, ul:empty, ol:empty, tbody:empty, pre:empty");
  if (places.some((place) => place.attributes.length > 0 && boxOf(place).width > innerWidth / 4 && isEnd(boxOf(place)))) return true;
  return seen("i[class]:empty, span[class*=icon]:empty").some((icon) => boxOf(icon).width === 0);
}
