/** Hides underlines that show the length of masked text. Runs in each frame after `mask`, so it must be self-contained. */

/**
 * Makes transparent any lines that a masked block's ancestors draw under, over or through its text. Masked inline elements are left alone,
 * because there the lines show no more than the element's own size does.
 * @returns whether any lines were newly hidden.
 */
export function hideLines(): boolean {
  const { outer, set } = globalThis.tintypeMask as NonNullable<typeof tintypeMask>;
  const seen = new Set<Element>();
  let isNew = false;
  for (const element of outer) {
    let one: Element | undefined = getComputedStyle(element).display === "inline" ? undefined : element;
    while (one && !seen.has(one)) {
      seen.add(one);
      const { display, float, position, textDecorationLine } = getComputedStyle(one);
      if (one !== element && textDecorationLine !== "none")
        isNew = set(one, Object.entries({ transition: "none", "text-decoration-color": "transparent" })) || isNew;
      // Ancestors' text decorations don't propagate into these.
      if (float !== "none" || /absolute|fixed/.test(position) || display.startsWith("inline-")) break;
      const around: Node | null = Reflect.get(Element.prototype, "assignedSlot", one) ?? Reflect.get(Node.prototype, "parentNode", one);
      one = around instanceof ShadowRoot ? around.host : around instanceof Element ? around : undefined;
    }
  }
  return isNew;
}
