/** Covers elements. Runs in each frame, so it must be self-contained. */

export interface Mask {
  selectors: string[];
  /** CSS declarations of the cover. */
  cover: [property: string, value: string][];
}

/** Results and helpers of `mask`, for functions that run after it. Form members are read from the prototypes: fields may shadow them. */
interface Masked {
  roots: (Document | ShadowRoot)[];
  /** Outermost matches. */
  outer: Set<Element>;
  /** All elements inside the matches. */
  inner: Set<Element>;
  /** Nodes from other trees that are shown in the matches' slots. */
  slotted: Set<ChildNode>;
  /** Selector for everything that is covered. */
  any: string;
  /** Declarations that make text invisible. */
  clear: string;
  /** Outermost matches that may have a closed shadow root. */
  closed: Set<Element>;
  adopt(root: Document | ShadowRoot, css: string): void;
  is(element: Element, selector: string): boolean;
  /** Sets inline styles; returns whether any of them changed. */
  set(element: Element, declarations: [string, string][]): boolean;
  hideAll(element: Element): void;
  /** Keeps the size of an element whose layout depends on what the cover removes; with `isEmpty`, leaves no room for its content. */
  pin(element: Element, isEmpty: boolean): void;
  /** Selector for replaced elements and native widgets without text, such as frames, images and checkboxes. */
  drawn: string;
  /** Selector for buttons and drop-down lists. */
  controls: string;
  /** Whether anything was newly covered or hidden. */
  isNew(): boolean;
  /** Whether the document was fully parsed, in which case no more content follows. */
  isParsed: boolean;
}

declare global {
  var tintypeMask: Masked | undefined;
}

/** Covers the elements without changing the layout. Returns, for each selector, whether it matches anything. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function mask({ selectors, cover }: Mask): boolean[] {
  /** Style sheets already adopted by each document and shadow root, and elements whose size is pinned. */
  const world = globalThis.tintypeOwn as { covered?: WeakMap<Document | ShadowRoot, Set<string>>; pinned?: WeakSet<Element> };
  const { covered = new WeakMap(), pinned = new WeakSet() } = world;
  Object.assign(world, { covered, pinned });
  let isNew = false;
  /** A view transition shows snapshots of the page from before it was masked. */
  const endViewTransition = () => {
    const { activeViewTransition } = document as Document & { activeViewTransition?: { skipTransition(): void } | null };
    activeViewTransition?.skipTransition();
    for (const animation of document.getAnimations())
      if ((animation.effect as KeyframeEffect | null)?.pseudoElement?.startsWith("::view-transition")) animation.cancel();
  };
  // Chromium draws selections above the cover, in their own colors.
  getSelection()?.removeAllRanges();
  CSS.highlights.clear();
  endViewTransition();
  // A selector may lack closing brackets, which the browser adds when it serializes the selector.
  const writer = new CSSStyleSheet();
  const rule = writer.cssRules[writer.insertRule("a{}")] as CSSStyleRule;
  const written = selectors.map((selector) => {
    rule.selectorText = selector;
    return rule.selectorText;
  });
  // Matches are marked, because masking changes attributes and content that selectors may refer to.
  const mark = "tintype-mask";
  // Table rows paint only within their cells. The last selector matches nothing: it raises the specificity above the page's.
  const named = `:is(${written.join()},[${mark}])`;
  const cells = `${named}>:is(td,th),${named}>tr>:is(td,th)`;
  const any = `:is(${named},${cells},${"#tintype".repeat(9)}:not(*))`;
  const hidden = "{visibility:hidden!important;clip-path:inset(100%)!important;transition:none!important}";
  const clear =
    "{color:transparent!important;-webkit-text-fill-color:transparent!important;-webkit-text-stroke-color:transparent!important;text-shadow:none!important;background:none!important;transition:none!important}";
  // These need separate rules, because a rule with an unknown pseudo-element is ignored.
  const generated = (of: string) =>
    ["::scroll-marker", "::scroll-button(*)", "::picker-icon", "::checkmark"].map((pseudo) => `${of}${pseudo}${hidden}`).join("");
  const coverText = cover.map(([property, value]) => `${property}:${value}!important;`).join("");
  const everything = `*,*::before,*::after${hidden}${generated("*")}`;
  const rules = `${any} *,${any} *::before,${any} *::after,${any}::before,${any}::after${hidden}
    :is(${cells},${"#tintype".repeat(9)}:not(*)){visibility:inherit!important;clip-path:none!important}
    ${any}::file-selector-button,${any}::-webkit-media-controls,${any}::-webkit-datetime-edit${hidden}
    ${any}::placeholder,${any}::marker,${any}::selection,${any}::target-text${clear}
    ${any}::-webkit-media-text-track-container${hidden}${any}::details-content${clear}${generated(any)}${generated(`${any} *`)}
    ${any}{${coverText}}`;
  const adopt = (root: Document | ShadowRoot, css: string) => {
    const own = covered.get(root) ?? new Set();
    if (own.has(css)) return;
    covered.set(root, own.add(css));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets.push(sheet);
    isNew = true;
  };

  const is = (element: Element, selector: string) => Element.prototype.matches.call(element, selector);
  const all = (element: Element) => Element.prototype.querySelectorAll.call(element, "*");
  const set = (element: Element, declarations: [string, string][]) => {
    const { prototype } = element instanceof HTMLElement ? HTMLElement : element instanceof SVGElement ? SVGElement : MathMLElement;
    const style: CSSStyleDeclaration = Reflect.get(prototype, "style", element);
    const read = () => declarations.map(([name]) => `${style.getPropertyValue(name)} ${style.getPropertyPriority(name)}`).join();
    const before = read();
    for (const [name, value] of declarations) style.setProperty(name, value, "important");
    return read() !== before;
  };

  const hideAll = (element: Element) => {
    isNew ||= getComputedStyle(element).opacity !== "0";
    set(element, Object.entries({ transition: "none", visibility: "hidden", "clip-path": "inset(100%)", opacity: "0" }));
  };

  const drawn =
    "iframe, object, embed, img, video, audio, canvas, progress, meter, input:is([type=image i], [type=checkbox i], [type=radio i])";
  const replaced = "iframe, object, embed, img, video, canvas, input[type=image i]";
  const isBroken = (element: Element) => element instanceof HTMLImageElement && element.naturalWidth === 0;
  const controls = "select, button, input:is([type=submit i], [type=button i], [type=reset i])";
  /** @returns a function that fixes the element's size. All are measured before any is changed: after each change, the page is laid out again. */
  const measure = (element: Element, isEmpty: boolean): (() => void) => {
    if (pinned.has(element)) return () => {};
    pinned.add(element);
    const own = getComputedStyle(element);
    const sum = (...names: string[]) => names.reduce((total, name) => total + (Number.parseFloat(own.getPropertyValue(name)) || 0), 0);
    const borders = sum("border-top-width", "border-bottom-width");
    const isBorderBox = own.boxSizing === "border-box";
    const width = sum("width", ...(isBorderBox ? [] : ["padding-left", "padding-right", "border-left-width", "border-right-width"]));
    const height = sum("height", ...(isBorderBox ? [] : ["padding-top", "padding-bottom"])) + (isBorderBox ? 0 : borders);
    const length = (pixels: number) => `${pixels + 0.008}px`; // sizes were rounded to six digits; Chromium truncates to 1/64 px
    // Chromium aligns the bottom edges of native checkboxes, ignoring their margins.
    const alignment = is(element, "input") && own.verticalAlign === "baseline" ? { "vertical-align": `-${own.marginBottom}` } : {};
    // Without this, content could be drawn outside the content box, which is empty.
    const content = is(element, replaced) ? { overflow: "clip", "overflow-clip-margin": "content-box", "object-fit": "fill" } : {};
    const inside = isEmpty
      ? { appearance: "none", padding: `${Math.max(0, height - borders)}px 0 0`, ...alignment, ...content }
      : { "line-height": own.lineHeight };
    const sizes = { transition: "none", "box-sizing": "border-box", width: length(width), height: length(height), ...inside };
    return () => {
      set(element, Object.entries(sizes));
      isNew = true;
    };
  };
  const outer = new Set<Element>();
  const inner = new Set<Element>();
  const slotted = new Set<ChildNode>();
  const found = selectors.map(() => false);
  const addInner = (element: Element) => {
    inner.add(element);
    for (const one of all(element)) inner.add(one);
  };
  const roots: (Document | ShadowRoot)[] = [];
  const enter = (root: Document | ShadowRoot, isInside: boolean) => {
    roots.push(root);
    for (const [index, selector] of written.entries()) if (root.querySelector(selector)) found[index] = true;
    for (const element of isInside ? [] : root.querySelectorAll(named)) Element.prototype.setAttribute.call(element, mark, "");
    const sized = [...(isInside ? [] : root.querySelectorAll(any))].filter((one) => is(one, `${controls}, ${drawn}`) && !isBroken(one));
    for (const fix of sized.map((element) => measure(element, is(element, drawn)))) fix();
    adopt(root, isInside ? everything : rules);
    for (const element of root.querySelectorAll("*")) {
      if (isInside) inner.add(element);
      if (!inner.has(element) && is(element, any) && !is(element, "tr, thead, tbody, tfoot")) {
        // A `select` draws the text of its options. SVG shapes have no background, so they are hidden instead of covered.
        outer.add((is(element, "option, optgroup") && Element.prototype.closest.call(element, "select")) || element);
        if (element instanceof SVGElement && element.ownerSVGElement) addInner(element);
        else for (const one of all(element)) inner.add(one);
      }
      const isWithin = inner.has(element) || outer.has(element);
      if (element.shadowRoot?.mode) enter(element.shadowRoot, isWithin);
      if (!isWithin || !(element instanceof HTMLSlotElement)) continue;
      for (const node of element.assignedNodes({ flatten: true })) {
        slotted.add(node as ChildNode);
        if (node instanceof Element) addInner(node);
      }
    }
  };
  enter(document, false);

  const isShown = (show: (content: Range) => void) => {
    const content = document.createRange();
    show(content);
    return content.getClientRects().length > 0;
  };
  // Content may be in a closed shadow root, which can't be read. A text node added to its host isn't rendered unless the root has a slot.
  const hosts = /-|^(article|aside|blockquote|div|footer|h[1-6]|header|main|nav|p|section|span)$/;
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const isHost = (element: Element) => hosts.test(nameOf(element)) && !element.shadowRoot?.mode;
  const empty = [...outer].filter((element) => isHost(element) && !isShown((content) => content.selectNodeContents(element)));
  const probes = empty.map((element) => [element, Node.prototype.appendChild.call(element, new Text("█")) as Text] as const);
  const closed = new Set<Element>();
  for (const [element, probe] of probes)
    if (nameOf(element).includes("-") || !isShown((content) => content.selectNode(probe))) closed.add(element);
  for (const [, probe] of probes) probe.remove();

  // The head isn't drawn, so it is emptied instead of covered.
  for (const element of outer) {
    if (!is(element, "head, head *")) continue;
    Element.prototype.replaceChildren.call(element);
    for (const name of Element.prototype.getAttributeNames.call(element))
      if (!["id", "class", mark].includes(name)) Element.prototype.removeAttribute.call(element, name);
  }
  const more = {
    any,
    clear,
    closed,
    adopt,
    is,
    set,
    hideAll,
    pin: (element: Element, isEmpty: boolean) => measure(element, isEmpty)(),
    drawn,
    controls,
    isNew: () => isNew,
    isParsed: document.readyState !== "loading",
  };
  globalThis.tintypeMask = { roots, outer, inner, slotted, ...more };
  return found;
}
