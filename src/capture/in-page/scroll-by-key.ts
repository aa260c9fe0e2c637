/** Scrolls the page as a pressed key does: Chromium doesn't, because it draws what is outside the window. Runs in the page. */

interface World {
  /** The latest key event, with what its listeners have done to it. */
  keyEvent?: KeyboardEvent;
}

/** Call before pressing the key. */
export function expectKey(): void {
  const world = globalThis.tintypeOwn as World;
  delete world.keyEvent;
  const note = (event: KeyboardEvent) => {
    world.keyEvent = event;
  };
  addEventListener("keydown", note, { capture: true, once: true });
}

/** Call after pressing the key. Does nothing if a listener has prevented it, or if the key acts on a field or on an inner scroller. */
export function scrollByKey(): void {
  const [line, pageShare] = [40, 0.875]; // as in Chromium
  const { keyEvent } = globalThis.tintypeOwn as World;
  const target = keyEvent?.target;
  if (!keyEvent || keyEvent.defaultPrevented || !(target instanceof Element)) return;
  const page = document.scrollingElement ?? document.documentElement;
  const own = "input, textarea, select, button, summary, audio, video, iframe, object, embed, [contenteditable]";
  const isRoot = (element: Element) => element === document.documentElement || element === document.body;
  for (let element: Element | null = target; element; element = Reflect.get(Node.prototype, "parentElement", element)) {
    if (Element.prototype.matches.call(element, own)) return;
    const { overflowY } = getComputedStyle(element);
    if (isRoot(element) && overflowY === "hidden") return;
    const hidden = Reflect.get(Element.prototype, "scrollHeight", element) - Reflect.get(Element.prototype, "clientHeight", element);
    if (!isRoot(element) && /auto|scroll/.test(overflowY) && hidden > 0) return;
  }
  const [far, forth] = [page.scrollHeight, pageShare * innerHeight];
  const steps: Record<string, [left: number, top: number]> = {
    ...{ ArrowLeft: [-line, 0], ArrowRight: [line, 0], ArrowUp: [0, -line], ArrowDown: [0, line] },
    ...{ PageUp: [0, -forth], PageDown: [0, forth], " ": [0, forth], Home: [0, -far], End: [0, far] },
  };
  const [left, top] = steps[keyEvent.key] ?? [0, 0];
  if (left !== 0 || top !== 0) scrollBy({ left, top, behavior: "instant" });
}
