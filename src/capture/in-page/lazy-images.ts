/** Finds images that scripts have yet to load. Each function runs in the page, so it must be self-contained. */

/** Whether an element below the viewport has an attribute with the URL of an image that a script has yet to load. */
export function awaitsImages(): boolean {
  const attributesMax = 100; // each is searched for among those before it
  const imageUrl = /\.(avif|gif|jpe?g|png|svg|webp)\b/i;
  return [...document.querySelectorAll("img, picture, source, [data-src], [data-bg], [data-background], [style]")].some((element) => {
    if (Element.prototype.getBoundingClientRect.call(element).top < innerHeight) return false;
    const isImage = element instanceof HTMLImageElement;
    if (isImage && !element.currentSrc.startsWith("data:") && element.naturalWidth > 1) return false;
    const names = Element.prototype.getAttributeNames.call(element).slice(0, attributesMax);
    return names.some((name) => name.startsWith("data-") && imageUrl.test(Element.prototype.getAttribute.call(element, name) ?? ""));
  });
}

/** Counts visible images without a picture whose URL is in an attribute that lazy loading commonly uses. */
export function unloadedImages(): number {
  const [imagesMax, attributesMax, levelsMax, placeholderMax, urlMax, areaMin] = [2_000, 100, 50, 1_000, 2_000, 2_500];
  // Other attributes hold the URLs of larger pictures, for example.
  const lazy = /^data-((lazy|defer|ll)-?)?(src|srcset|original|load|echo|lazy)$/;
  const isUrl = (value: string) => value.startsWith("data:image/") || (value.length < urlMax && /[./]/.test(value));
  /** Whether its center is in the page and not clipped, as that of a slide beside the current one is. */
  const isInView = (image: Element, { left, top, width, height }: DOMRect) => {
    const [x, y] = [left + width / 2, top + height / 2];
    if (x < 0 || x > innerWidth) return false;
    const parentOf = (one: Element): Element | null => Reflect.get(Node.prototype, "parentElement", one);
    let above = parentOf(image);
    for (let level = 0; above && level < levelsMax; level += 1, above = parentOf(above)) {
      const box = Element.prototype.getBoundingClientRect.call(above);
      if (/^(body|html)$/.test(Reflect.get(Element.prototype, "localName", above))) continue; // their overflow belongs to the window
      const { overflowX, overflowY } = getComputedStyle(above);
      if (overflowX !== "visible" && (x < box.left || x > box.right)) return false;
      if (overflowY !== "visible" && (y < box.top || y > box.bottom)) return false;
    }
    return true;
  };
  return [...document.images].slice(0, imagesMax).filter((image) => {
    const { naturalWidth, currentSrc } = image;
    if (naturalWidth > 1 && !(currentSrc.startsWith("data:") && currentSrc.length < placeholderMax)) return false;
    const names = image.getAttributeNames().slice(0, attributesMax);
    if (!names.some((name) => lazy.test(name) && isUrl((image.getAttribute(name) ?? "").trim()))) return false;
    const box = image.getBoundingClientRect();
    const isLarge = box.width * box.height >= areaMin;
    return isLarge && image.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && isInView(image, box);
  }).length;
}
