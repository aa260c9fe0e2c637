/** Hides what a cover of CSS declarations leaves visible. Runs in each frame after `mask`, so it must be self-contained. */

/** @returns whether `mask` or this function has newly covered or hidden anything. */
export function hideUndrawn(cover: [property: string, value: string][]): boolean {
  const { outer, inner, any, clear, closed, adopt, is, set, hideAll, isNew } = globalThis.tintypeMask as NonNullable<typeof tintypeMask>;
  const transparent = "rgba(0, 0, 0, 0)";
  const drawsText = ({ webkitTextFillColor, webkitTextStrokeColor, textShadow }: CSSStyleDeclaration) =>
    webkitTextFillColor !== transparent || webkitTextStrokeColor !== transparent || textShadow !== "none";
  const isGenerated = (content: string) => content !== "none" && content !== "normal";
  const drawsBeside = (element: Element) =>
    ["::before", "::after"].some((pseudo) => {
      const { content, visibility } = getComputedStyle(element, pseudo);
      return isGenerated(content) && visibility !== "hidden";
    });
  const clipped = new Map<Element, boolean>();
  /** Whether an ancestor's background is clipped to its text, in which case even transparent text is drawn. */
  const isClipped = (element: Element): boolean => {
    // A form field may shadow its form's members.
    const slot: Node | null = Reflect.get(Element.prototype, "assignedSlot", element);
    const around: Node | null = slot ?? Reflect.get(Node.prototype, "parentNode", element);
    const one = around instanceof ShadowRoot ? around.host : around;
    if (!(one instanceof Element)) return false;
    const is = clipped.get(one) ?? (getComputedStyle(one).backgroundClip.includes("text") || isClipped(one));
    clipped.set(one, is);
    return is;
  };
  const shapes = ["mask-image", "-webkit-mask-box-image-source", "clip-path", "filter", "backdrop-filter", "-webkit-box-reflect"];
  let isChanged = false;
  for (const element of outer) {
    const root = Node.prototype.getRootNode.call(element) as Document | ShadowRoot;
    const own = getComputedStyle(element);
    const isUnfit = isGenerated(own.content) || closed.has(element) || is(element, "input:is([type=range i], [type=color i])");
    if (isUnfit || drawsBeside(element) || isClipped(element)) hideAll(element);
    // URLs in these properties would draw an image in the cover, or give it a shape.
    for (const name of shapes) if (own.getPropertyValue(name).includes("url(")) isChanged = set(element, [[name, "none"]]) || isChanged;
    // The page's style attributes or cascade layers may take precedence over the mask's style sheet.
    if (drawsText(own) || own.backgroundImage.includes("url(")) isChanged = set(element, cover) || isChanged;
    if (getComputedStyle(element, "::backdrop").backgroundImage.includes("url("))
      adopt(root, `${any}::backdrop{background-image:none!important}`);
    if (own.listStyleImage !== "none" || /^["']/.test(own.listStyleType) || isGenerated(getComputedStyle(element, "::marker").content))
      adopt(root, `${any}::marker{content:""!important}`);
    // A rule for a pseudo-element that the page doesn't style would change the layout.
    for (const pseudo of ["::first-letter", "::first-line"]) {
      const part = getComputedStyle(element, pseudo);
      if (drawsText(part) || part.backgroundClip.includes("text")) adopt(root, `${any}${pseudo}${clear}`);
    }
  }
  // Found before any is hidden: after each change, the browser would compute the styles again.
  const drawing = [...inner].filter((element) => {
    const { visibility, opacity } = getComputedStyle(element);
    return visibility !== "hidden" || (opacity !== "0" && drawsBeside(element));
  });
  for (const element of drawing) hideAll(element);
  return isChanged || isNew();
}
