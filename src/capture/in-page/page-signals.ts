/**
 * Reads the signals that verdicts use to distinguish a page from a wall (such as a paywall), an error or a placeholder: `PageSignals` in
 * `verdict/page-facts.ts`.
 */

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function pageSignals() {
  const [elementsMax, textMax, resourcesMax] = [3_000, 4_000, 200];
  const clean = (text: string | null | undefined) => (text ?? "").replace(/\s+/g, " ").trim();
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const isSeen = (element: Element) => Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const shownText = (element: Element | null | undefined): string =>
    // SVG has no `innerText`
    element && "innerText" in element ? Reflect.get(HTMLElement.prototype, "innerText", element) : "";
  const within = (element: Element, selector: string) => [...Element.prototype.querySelectorAll.call(element, selector)] as HTMLElement[];
  const isSmall = document.getElementsByTagName("*").length <= elementsMax;
  /** Whether the page has more visible text than walls do; cheaper than reading it all. */
  const isLong = () => {
    if ((document.body?.textContent ?? "").length <= textMax) return false;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let length = 0;
    for (let node = texts.nextNode() as Text | null; node && length <= textMax; node = texts.nextNode() as Text | null) {
      const own = node.data.trim().length;
      const parent = own > 0 ? node.parentElement : null;
      if (parent && !(parent instanceof HTMLOptionElement) && Element.prototype.checkVisibility.call(parent, { visibilityProperty: true }))
        length += own;
    }
    return length > textMax;
  };
  const linesOf = (element: HTMLElement | null | undefined) =>
    shownText(element)
      .split("\n")
      .flatMap((line) => clean(line) || []);
  /** Lines of `element` without those of the first 50 of `parts` and of lists of options, which are hidden until they are opened. */
  const linesWithout = (element: HTMLElement, parts: HTMLElement[]) => {
    const left = new Map<string, number>();
    const others = [...parts.slice(0, 50), ...within(element, "select").slice(0, 20)];
    for (const line of others.flatMap(linesOf)) left.set(line, (left.get(line) ?? 0) + 1);
    return linesOf(element).filter((line) => {
      const count = left.get(line) ?? 0;
      left.set(line, count - 1);
      return count <= 0;
    });
  };
  const text = isSmall && !isLong() ? (document.body ? linesWithout(document.body, []).join(" ") : "") : undefined;
  const buttons = "button, [role=button], input[type=submit], input[type=button]";
  const outsideMain = "header, footer, nav, aside, [role=banner], [role=contentinfo], [role=navigation]";
  /** Lines of the only `main` element, or else of the body, without headers, footers, navigation and sidebars. */
  const linesOfMain = () => {
    const mains = [...document.querySelectorAll<HTMLElement>("main, [role=main]")].filter(isSeen);
    const main = mains.length === 1 ? mains[0] : document.body;
    const around = main ? within(main, outsideMain) : [];
    const others = around.filter((element) => !Element.prototype.querySelector.call(element, "h1, input[type=password]"));
    const lines = main ? linesWithout(main, others) : [];
    let length = 0;
    const isWithin = (line: string) => {
      length += line.length;
      return length <= textMax; // `text` doesn't limit a main part outside the body
    };
    return lines.slice(0, 300).filter(isWithin);
  };
  const mainLines = text === undefined || text.length > textMax ? [] : linesOfMain();
  const lengthOf = (element: HTMLElement) => clean(shownText(element)).length;
  const articles =
    "article, [itemtype*='/Article'], [itemtype*='Posting'], [itemtype*='/NewsArticle'], [itemtype*='/Product'], [itemtype*='/Recipe']";
  const articleLength = () =>
    Math.max(0, ...[...document.querySelectorAll<HTMLElement>(articles)].slice(0, 20).filter(isSeen).map(lengthOf));
  const items = () => {
    const found = [...document.querySelectorAll<HTMLElement>("li, tr, dt, article, details")].slice(0, 100);
    return found.filter((one) => !Element.prototype.closest.call(one, `${outsideMain}, form`) && isSeen(one) && lengthOf(one) >= 40).length;
  };
  const passwords = [...document.querySelectorAll<HTMLInputElement>("input[type=password]")].slice(0, 10).filter(isSeen);
  const passwordForm = () => {
    const [password] = passwords;
    if (!password || passwords.length > 1 || mainLines.length === 0) return null;
    const form = password.form ?? password.closest("div:has(button, input[type=submit])") ?? password;
    const fields = within(form, "input, select, textarea").filter(
      (one) => isSeen(one) && !/^(password|hidden|submit|button|image|checkbox|reset)$/.test((one as HTMLInputElement).type),
    );
    const isNew = password.autocomplete === "new-password" || fields.length > 2 || fields.some((one) => one instanceof HTMLTextAreaElement);
    const all = mainLines.reduce((sum, line) => sum + line.length, 0);
    return { isNew, outside: Math.max(0, all - lengthOf(form as HTMLElement)), action: actionsOf(form as HTMLElement, buttons).join(" ") };
  };
  const large = (element: Element) =>
    Reflect.get(Element.prototype, "clientWidth", element) >= 100 && Reflect.get(Element.prototype, "clientHeight", element) >= 100;

  const urls: string[] = [];
  for (const element of document.querySelectorAll("script[src], iframe[src], form[action]")) {
    if (urls.length === resourcesMax) break;
    const attribute = (name: string) => Element.prototype.getAttribute.call(element, name);
    const url = URL.parse(attribute("src") ?? attribute("action") ?? "", document.baseURI);
    if (url) urls.push(url.href.slice(0, 300));
  }

  const parentOf = (element: Element): Element | null => {
    const root = Node.prototype.getRootNode.call(element);
    return Reflect.get(Node.prototype, "parentElement", element) ?? (root instanceof ShadowRoot ? root.host : null);
  };
  /** The element at a point of the viewport, in the innermost open shadow root there. */
  const innermost = (x: number, y: number) => {
    let found: Element | null = null;
    for (let root: DocumentOrShadowRoot | null = document; root; root = found?.shadowRoot?.mode ? found.shadowRoot : null) {
      const inner: Element | null = root.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  };
  /** The outermost dialog or fixed element at a point, given as fractions of the viewport. */
  const layerAt = (x: number, y: number) => {
    let found: HTMLElement | undefined;
    for (let at = innermost(innerWidth * x, innerHeight * y); at && at !== document.body; at = parentOf(at)) {
      if (!(at instanceof HTMLElement)) continue;
      if (at instanceof HTMLDialogElement || getComputedStyle(at).position === "fixed") found = at;
    }
    return found;
  };
  const covers = (element: Element) => {
    const { left, top, right, bottom } = Element.prototype.getBoundingClientRect.call(element);
    const width = Math.min(right, innerWidth) - Math.max(left, 0);
    const height = Math.min(bottom, innerHeight) - Math.max(top, 0);
    return width > 0 && height > 0 && width * height >= (innerWidth * innerHeight) / 2;
  };
  /** Whether three of the viewport's corners show the same layer behind `element`, which covers the page and has little other text. */
  const hasBackdrop = (element: HTMLElement) => {
    const inset = 8;
    const corners = [inset, innerWidth - inset].flatMap((x) => [inset, innerHeight - inset].map((y) => document.elementFromPoint(x, y)));
    const isBehind = (other: Element | null) =>
      other instanceof HTMLElement &&
      other !== document.body &&
      /fixed|absolute/.test(getComputedStyle(other).position) &&
      clean(shownText(other)).length <= 2 * clean(shownText(element)).length + 100;
    return corners.some((one) => corners.filter((other) => other === one).length >= 3 && isBehind(one));
  };
  /** Whether `element` darkens what is behind it and has no text of its own: the dialog in front of it may be at an edge. */
  const isBackdrop = (element: HTMLElement) => {
    const { backgroundColor, zIndex } = getComputedStyle(element);
    return covers(element) && Number(zIndex) > 0 && clean(shownText(element)) === "" && /, 0?\.[2-9]\d*\)$/.test(backgroundColor);
  };
  const inFrontOf = (backdrop: HTMLElement) =>
    [0.9, 0.1]
      .map((y) => layerAt(0.5, y))
      .find((one) => one && one !== backdrop && !Node.prototype.contains.call(one, backdrop) && clean(shownText(one)) !== "");
  const textOf = (element: HTMLElement) => {
    const frames = [...within(element, "iframe"), element].filter((one) => one instanceof HTMLIFrameElement);
    const ofFrames = frames.map((frame) => `${frame.title} ${frame.src.slice(0, 300)} ${shownText(frame.contentDocument?.body)}`);
    return clean([shownText(element), ...ofFrames].join(" ")).slice(0, 2_000);
  };
  const actionsOf = (element: HTMLElement | null | undefined, kinds = `a, ${buttons}`) => {
    const frames = element ? (within(element, "iframe") as HTMLIFrameElement[]) : [];
    const ofFrames = frames.flatMap(({ contentDocument }) => [...(contentDocument?.querySelectorAll<HTMLElement>(kinds) ?? [])]);
    const found = [...(element ? within(element, kinds) : []), ...ofFrames];
    return found.slice(0, 50).map((one) => clean(shownText(one) || (one as HTMLInputElement).value).slice(0, 60));
  };
  const mainActions = () => {
    const found = [...document.querySelectorAll<HTMLElement>(`a, ${buttons}`)]
      .slice(0, 200)
      .filter((one) => !Element.prototype.closest.call(one, outsideMain) && isSeen(one));
    return found.slice(0, 40).map((one) => clean(shownText(one) || (one as HTMLInputElement).value).slice(0, 60));
  };
  const center = layerAt(0.5, 0.5);
  const front = center && isBackdrop(center) ? inFrontOf(center) : undefined;
  const top = front ?? center;
  const isModal = top instanceof HTMLDialogElement && top.matches(":modal");
  const overlay = top && (front || isModal || covers(top) || hasBackdrop(top)) ? textOf(top) : "";

  return {
    title: clean(document.title).slice(0, 300),
    text: text !== undefined && text.length <= textMax ? text : "",
    mainLines,
    mainActions: mainLines.length === 0 ? [] : mainActions(),
    articleLength: mainLines.length === 0 ? 0 : articleLength(),
    items: mainLines.length === 0 ? 0 : items(),
    passwordForm: passwordForm(),
    quotations: [...document.querySelectorAll<HTMLElement>(isSmall ? "code, pre, samp, q, blockquote" : "no-element")]
      .slice(0, 50)
      .map((one) => clean(shownText(one)).slice(0, 500)),
    textLength: Math.min(text?.length ?? Infinity, textMax + 1),
    heading: clean(document.querySelector<HTMLHeadingElement>("h1, h2")?.textContent).slice(0, 300),
    headings: document.querySelectorAll("h1, h2, h3, h4").length,
    passwordFields: passwords.length,
    fields: [
      ...document.querySelectorAll("input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=search], textarea"),
    ]
      .slice(0, 20)
      .filter(isSeen).length,
    buttons: [...document.querySelectorAll(buttons)].slice(0, 30).filter(isSeen).length,
    media: [...document.querySelectorAll("img, svg, canvas, video, iframe, object")]
      .slice(0, 100)
      .filter((one) => large(one) && isSeen(one)).length,
    resources: urls,
    overlay,
    overlayActions: overlay === "" ? [] : actionsOf(top),
  };
}
