/** Recognizes that a page is about to show more. Runs in the page, so these functions must be self-contained. */

/**
 * Whether the viewport shows an element that is marked as busy, text that says that something is loading, or, on a page with little text, a
 * message that announces a redirect.
 */
export function announcesMore(): boolean {
  const [elementsMax, textsMax, textMax, leavingMax] = [100, 1_000, 60, 200];
  // A form's fields can shadow its own members, so members are read from the prototypes.
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
    const name = parent && Reflect.get(Element.prototype, "localName", parent);
    if (!parent || name === "script" || name === "style") continue;
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
 * Whether the viewport has an empty area, which may be intentional: an empty main part or large box, an empty element at the end of content
 * that doesn't fill the window, or an icon whose style sheet is missing.
 */
export function hasRoomForMore(): boolean {
  const [elementsMax, documentMax] = [100, 2_000];
  // A larger page already shows enough content, and searching it would take milliseconds.
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
    if (Element.prototype.matches.call(element, content) || element.shadowRoot?.mode) return false;
    const inner = Element.prototype.getElementsByTagName.call(element, "*");
    if (inner.length >= elementsMax || Element.prototype.querySelector.call(element, content)) return false;
    const isStyled = (one: Element) =>
      Reflect.get(Element.prototype, "localName", one).includes("-") || getComputedStyle(one).backgroundImage !== "none";
    return (Reflect.get(Node.prototype, "textContent", element) ?? "").trim() === "" && ![element, ...inner].some(isStyled);
  };
  if (seen("main, [role=main], #root, #app, #__next").some(isBare)) return true;

  const at = (x: number, y: number) => document.elementFromPoint(x * innerWidth, y * innerHeight);
  const isPage = (element: Element | null) => element === null || element === document.body || element === document.documentElement;
  const isLarge = ({ width, height }: DOMRect) => width * height > (innerWidth * innerHeight) / 5;
  const points = [0.25, 0.5, 0.75].flatMap((x) => [0.3, 0.5, 0.7, 0.9].map((y) => at(x, y)));
  if ([...new Set(points)].some((element) => element && !isPage(element) && isLarge(boxOf(element)) && isBare(element))) return true;

  /** Whether the window is empty below the element. */
  const isEnd = ({ bottom }: DOMRect) => {
    const heights = [8, 24, 40, 64, 100].map((below) => bottom + below).concat((bottom + innerHeight) / 2, innerHeight - 8);
    const isEmptyAt = (y: number) => [0.1, 0.3, 0.5, 0.8].every((x) => isPage(at(x, y / innerHeight)));
    return bottom < 0.85 * innerHeight && heights.every(isEmptyAt);
  };
  const places = seen("div:empty, section:empty, article:empty, ul:empty, ol:empty, tbody:empty, pre:empty");
  if (places.some((place) => Element.prototype.hasAttributes.call(place) && boxOf(place).width > innerWidth / 4 && isEnd(boxOf(place))))
    return true;
  return seen("i[class]:empty, span[class*=icon]:empty").some((icon) => boxOf(icon).width === 0);
}

/**
 * Whether the viewport shows a layer over the content with little text and nothing to click, an empty element that shimmers, pulses or
 * spins endlessly, or a page whose entire content is invisible.
 */
export function showsPlaceholder(): boolean {
  const textMax = 60;
  const pixelsMin = 400;
  const isSeen = (element: Element) => Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const isInView = ({ top, bottom, left, right }: DOMRect) => top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
  const textOf = (element: Element): string => (Reflect.get(Node.prototype, "textContent", element) ?? "").trim();
  const holds = (element: Element, selector: string) => Element.prototype.querySelector.call(element, selector) !== null;
  const holdsContent = (element: Element) =>
    textOf(element).length > textMax || holds(element, "a[href], button, input, select, textarea, video, iframe");

  const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [x * innerWidth, y * innerHeight] as const));
  const stacks = points.map(([x, y]) => document.elementsFromPoint(x, y));
  const isLayer = (element: Element) => {
    const { position, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    if (!/fixed|absolute/.test(position) || Number(opacity) < 0.05) return false;
    const isOpaque = backgroundImage !== "none" || !/^rgba\(.*, 0(\.[0-8]\d*)?\)$/.test(backgroundColor);
    return isOpaque && !holdsContent(element) && stacks.every(([top]) => top && Node.prototype.contains.call(element, top));
  };
  const covers = (element: Element) => {
    const isBelow = (other: Element) => !Node.prototype.contains.call(element, other) && !Node.prototype.contains.call(other, element);
    return isLayer(element) && stacks.some((stack) => stack.some(isBelow));
  };
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  for (let element = stacks[4]?.[0] ?? null; element && element !== document.body; element = parentOf(element))
    if (covers(element)) return true;
  const isWaiting = (animation: Animation) => {
    const { effect, playState } = animation;
    if (!(animation instanceof CSSAnimation && effect instanceof KeyframeEffect) || playState !== "running") return false;
    const { target, pseudoElement } = effect;
    if (!target || effect.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) return false;
    const box = Element.prototype.getBoundingClientRect.call(target);
    if (box.width * box.height < pixelsMin || !isInView(box) || !isSeen(target)) return false;
    const media = "img, video, canvas";
    if (textOf(target) !== "" || Element.prototype.matches.call(target, media) || holds(target, media)) return false;
    return effect.getKeyframes().some((frame) => {
      const moved = `${frame.transform ?? ""} ${frame.rotate ?? ""}`;
      return (
        "backgroundPositionX" in frame ||
        "backgroundPosition" in frame ||
        "opacity" in frame ||
        "backgroundColor" in frame ||
        "strokeDashoffset" in frame ||
        /rotate|deg|turn/.test(moved) ||
        (pseudoElement !== null && /translate/.test(moved))
      );
    });
  };
  if (document.getAnimations().some(isWaiting)) return true;

  const inView = [...(document.body?.children ?? [])].filter((element) => {
    const box = Element.prototype.getBoundingClientRect.call(element);
    return box.width * box.height >= pixelsMin && isInView(box) && textOf(element) !== "";
  });
  return inView.length > 0 && !inView.some(isSeen);
}

/** Whether a pseudo-element of the root or the body is an opaque layer over the page's content. */
export function isCoveredByItself(): boolean {
  const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [x * innerWidth, y * innerHeight] as const));
  const covers = (root: Element) => {
    const isOpaque = ["::before", "::after"].some((pseudo) => {
      const { content, position, opacity, backgroundColor } = getComputedStyle(root, pseudo);
      return content !== "none" && position === "fixed" && Number(opacity) > 0.9 && !/^rgba\(.*, 0(\.\d*)?\)$/.test(backgroundColor);
    });
    if (!isOpaque) return false;
    const stacks = points.map(([x, y]) => document.elementsFromPoint(x, y));
    const isBelow = (other: Element) => other !== root && Node.prototype.contains.call(root, other);
    return stacks.every(([top]) => top === root) && stacks.some((stack) => stack.some(isBelow));
  };
  return [document.documentElement, document.body].some((root) => root && covers(root));
}

/**
 * Whether the last two viewport heights of the document contain a loading indicator: an endlessly animated element, or one that is marked
 * as busy or whose class or id suggests loading.
 */
export function awaitsMore(): boolean {
  const [inspectedMax, sideMax, textMax] = [200, 300, 60];
  const page = document.scrollingElement ?? document.documentElement;
  const busy =
    '[aria-busy="true"], [role="progressbar"], [class*="spinner" i], [class*="loading" i], [class*="loader" i], [class*="skeleton" i], [id*="loading" i], [id*="loader" i]';
  const endless = document.getAnimations().flatMap(({ effect, playState }) => {
    const { target } = (effect ?? {}) as Partial<KeyframeEffect>;
    return target && playState === "running" && effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY ? target : [];
  });
  return [...new Set([...document.querySelectorAll(busy), ...endless])].slice(-inspectedMax).some((element) => {
    const { top, width, height } = Element.prototype.getBoundingClientRect.call(element);
    if (width * height === 0 || top + scrollY < page.scrollHeight - 2 * innerHeight) return false;
    const isSmall =
      (width < sideMax && height < sideMax) || (Reflect.get(Element.prototype, "textContent", element) ?? "").trim().length < textMax;
    return isSmall && Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  });
}
