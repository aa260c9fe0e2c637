/** Shows content that only a script can bring into view. Runs in the page, so it must be self-contained. */

interface World {
  /** Set by `findHidden`. */
  reveals?: { hidden: Set<Element> };
  tracker?: { seen: Map<Element, { look?: unknown }> };
  unreachable?: Element[];
}

/**
 * Finds large in-flow elements below the viewport that are still hidden, in documents that can't be scrolled.
 * @returns whether there are any. `showUnreachable` shows them.
 */
export function findUnreachable(): boolean {
  const { reveals, tracker } = globalThis as World;
  const isLocked = [document.documentElement, document.body].some(
    (element) => element && /hidden|clip/.test(getComputedStyle(element).overflowY),
  );
  if (!isLocked) return false;
  const unreachable = [...(reveals?.hidden ?? [])].filter((element) => {
    const { width, height, top } = element.getBoundingClientRect();
    const isLarge = width > innerWidth / 2 && height > innerHeight / 4 && top >= innerHeight;
    const { position, opacity, visibility } = getComputedStyle(element);
    return (
      isLarge && !tracker?.seen.get(element)?.look && /static|relative/.test(position) && (opacity === "0" || visibility !== "visible")
    );
  });
  (globalThis as World).unreachable = unreachable;
  return unreachable.length > 0;
}

export function showUnreachable(): void {
  for (const element of (globalThis as World).unreachable ?? []) element.setAttribute("data-held", "shown");
  const sheet = new CSSStyleSheet();
  sheet.insertRule('[data-held="shown"] { opacity: 1 !important; visibility: visible !important; transition: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}
