/** Lays out all of the page's content at once instead of one viewport at a time. Runs in the page; changes can be undone (`undo.ts`). */

interface World {
  /** Set by `expandMainScroller`. */
  mainScroller?: Element;
  undo?: (() => void)[];
  /** The fixed elements in the document's body, from the outer to the inner. */
  fixed?: HTMLElement[];
  /** Number of elements that `unroll` has marked. */
  marks?: number;
}

interface Unrolled {
  /** Whether there are fixed elements, which may be backdrops. */
  hasFixed: boolean;
  /** Whether elements that extend below the viewport are likely to have layers of their own. */
  hasLayers: boolean;
}

/**
 * Makes content render outside the viewport: fixed backgrounds, parallax images, and content skipped by `content-visibility`, including
 * content in open shadow roots. Elements that stick to the bottom of the viewport return to their position in the document. Finishes
 * transitions started by scrolling, and scrolls to the top.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function unroll(): Unrolled {
  const world = globalThis.tintypeOwn as World;
  world.undo ??= [];
  const force = (element: HTMLElement, name: string, value: string) => {
    // A form field may shadow `style`.
    const style: CSSStyleDeclaration =
      element instanceof HTMLFormElement ? Reflect.get(HTMLElement.prototype, "style", element) : element.style;
    const [own, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    world.undo?.push(() => style.setProperty(name, own, priority));
    style.setProperty(name, value, "important");
  };
  const inspectedMax = 20_000;
  const elements: HTMLElement[] = [];
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots)
    for (const element of root.querySelectorAll<HTMLElement>("*")) {
      if (elements.length === inspectedMax) break;
      elements.push(element);
      if (element.shadowRoot?.mode) roots.push(element.shadowRoot); // a form field may shadow `shadowRoot`
    }
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  /** Whether an element scrolls within an element other than the document. */
  const isInScroller = (element: Element) => {
    for (let above = parentOf(element); above && above !== document.body; above = parentOf(above))
      if (above !== world.mainScroller && /auto|scroll|hidden/.test(getComputedStyle(above).overflowY)) return true;
    return false;
  };
  const hasDepth = (value: CSSStyleValue | undefined) => value instanceof CSSTransformValue && !value.is2D;
  const [fixed, layers]: [HTMLElement[], HTMLElement[]] = [[], []];
  for (const element of elements) {
    const computed = getComputedStyle(element);
    if (computed.backgroundAttachment.includes("fixed") && computed.backgroundImage !== "none") {
      force(element, "background-attachment", "scroll");
      // A script that moves it with the scroll position counts from the window, and would leave a part of the element without it.
      if (computed.backgroundSize === "cover" && computed.backgroundPositionY.endsWith("px"))
        force(element, "background-position-y", "50%");
    }
    if (computed.position === "fixed") fixed.push(element);
    const { position, willChange, transform, backfaceVisibility } = computed;
    // Computed as a matrix of two dimensions, `translateZ(0)` and its like still make a layer.
    const is3D = transform !== "none" && hasDepth(Element.prototype.computedStyleMap.call(element).get("transform"));
    if (position === "sticky" || willChange !== "auto" || is3D || backfaceVisibility === "hidden") layers.push(element);
    if (computed.contentVisibility === "auto") {
      // Chromium applies this containment whether or not it currently skips the content.
      const contained = new Set(`${computed.contain} layout style paint`.split(" "));
      if (!/strict|content/.test(computed.contain)) force(element, "contain", [...contained].filter((one) => one !== "none").join(" "));
      force(element, "content-visibility", "visible");
    }
  }
  const isAtBottom = ({ position, bottom }: CSSStyleDeclaration) => position === "sticky" && bottom !== "auto";
  for (const element of layers.filter((one) => isAtBottom(getComputedStyle(one)) && !isInScroller(one))) force(element, "bottom", "auto");
  if (scrollX !== 0 || scrollY !== 0) scrollTo({ left: 0, top: 0, behavior: "instant" });
  /** The nearest ancestor that clips all of its content, fixed elements included. */
  const clipperOf = (element: Element): Element | null => {
    const isClipped = ({ clip, clipPath }: CSSStyleDeclaration) => clip !== "auto" || clipPath !== "none";
    let above = parentOf(element);
    while (above && !isClipped(getComputedStyle(above))) above = parentOf(above);
    return above;
  };
  // Fixed content behind a clipped part of the page, such as a parallax image, is placed as if that part were in the middle of the
  // viewport. A background that covers its box covers the part. Scripts that react to scrolling or to the new size of the window may set
  // inline styles, so these rules are in a style sheet. Only 200 are placed: placing an element lays the page out several times.
  const mark = "data-tintype-placed";
  for (const element of fixed.filter(clipperOf).slice(0, 200)) {
    const clipper = clipperOf(element);
    const part = clipper && Element.prototype.getBoundingClientRect.call(clipper);
    const box = Element.prototype.getBoundingClientRect.call(element);
    if (!part || part.width * part.height * box.width * box.height === 0) continue;
    const covers = box.top <= part.top && box.bottom >= part.bottom;
    const { backgroundSize, top, right, bottom, left } = getComputedStyle(element);
    const height = backgroundSize === "cover" && box.height >= innerHeight ? Math.max(box.height, part.height) : box.height;
    const sheet = new CSSStyleSheet();
    world.marks = (world.marks ?? 0) + 1;
    const id = String(world.marks);
    // A form field may shadow its form's methods.
    const root = Node.prototype.getRootNode.call(element) as Document | ShadowRoot;
    const place = (values: Record<string, string>) => {
      const rules = Object.entries(values).map(([name, value]) => `${name}: ${value} !important`);
      sheet.insertRule(`[${mark}="${id}"] { ${rules.join("; ")} }`, sheet.cssRules.length);
    };
    Element.prototype.setAttribute.call(element, mark, id);
    root.adoptedStyleSheets.push(sheet);
    world.undo.push(() => {
      Element.prototype.removeAttribute.call(element, mark);
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
    });
    place({ position: "absolute", top, right, bottom, left, width: `${box.width}px`, height: `${height}px` });
    place({ transform: "none", translate: "none", transition: "none" });
    const placed = Element.prototype.getBoundingClientRect.call(element);
    const wanted = covers ? box.top : part.top + (part.height - placed.height) / 2;
    place({ translate: `${box.left - placed.left}px ${wanted - placed.top}px` });
  }
  // Finish transitions of content that scrolling has just revealed.
  for (const animation of document.getAnimations()) {
    const { timeline, startTime, playbackRate, effect } = animation;
    const ends = playbackRate !== 0 && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY;
    if (animation instanceof CSSTransition && timeline === document.timeline && ends) animation.finish();
    // Show elements with a view timeline as they look in the middle of the viewport.
    if (timeline instanceof ViewTimeline && startTime instanceof CSSUnitValue) {
      world.undo.push(() => animation.play());
      animation.pause();
      animation.currentTime = CSS.percent(50 - startTime.value);
    }
  }
  const hasLayers = layers.some((element) => Element.prototype.getBoundingClientRect.call(element).bottom > innerHeight);
  const isFixed = (element: HTMLElement) => getComputedStyle(element).position === "fixed";
  const all = elements.length < inspectedMax ? fixed : [...document.querySelectorAll<HTMLElement>("body *")].filter(isFixed);
  world.fixed = all.filter((element) => document.body?.contains(element));
  return { hasFixed: world.fixed.length > 0, hasLayers };
}
