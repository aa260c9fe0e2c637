/** Puts back what turns of the wheel have changed. Runs in the page, so these functions must be self-contained. */

interface World {
  stacked?: HTMLElement[];
  /** Where elements were scrolled to before the wheel could scroll them. */
  positions?: Map<Element, { left: number; top: number }>;
  /** Stops recording changes. Returns those made as the wheel turned, undefined if there were too many. */
  turned?: { stop(): MutationRecord[] | undefined };
}

/** Notes where the part at `index`, the elements around it and those in the middle of the window are scrolled to. */
export function notePositions(index: number): void {
  const elementsMax = 2_000;
  const world = globalThis.tintypeOwn as World;
  world.positions ??= new Map();
  const part = world.stacked?.[index];
  const elements: Element[] = part ? [...Element.prototype.querySelectorAll.call(part, "*")].slice(0, elementsMax) : [];
  for (const inner of [part, document.elementFromPoint(innerWidth / 2, innerHeight / 2)])
    for (let element = inner; element; element = Reflect.get(Node.prototype, "parentElement", element) as Element | null)
      elements.push(element); // a form field may shadow its form's members
  for (const element of elements) {
    const [left, top] = ["scrollLeft", "scrollTop"].map((name) => Reflect.get(Element.prototype, name, element) as number);
    if (!world.positions.has(element)) world.positions.set(element, { left: left ?? 0, top: top ?? 0 });
  }
}

/**
 * Scrolls on to its end what the wheel has scrolled in the middle of the window: many scripts page on only from there.
 * @returns whether the wheel has scrolled anything.
 */
export function scrollOn(): boolean {
  const { positions } = globalThis.tintypeOwn as World;
  let hasScrolled = false;
  let element = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  for (; element; element = Reflect.get(Node.prototype, "parentElement", element) as Element | null) {
    const noted = positions?.get(element);
    if (!noted || Math.abs((Reflect.get(Element.prototype, "scrollTop", element) as number) - noted.top) < 1) continue;
    hasScrolled = true;
    const top = Reflect.get(Element.prototype, "scrollHeight", element) as number;
    Reflect.apply(Element.prototype.scrollTo, element, [{ top, behavior: "instant" }]);
  }
  return hasScrolled;
}

/** Scrolls everything back to where it was. */
export function scrollBack(): void {
  for (const [element, { left, top }] of (globalThis.tintypeOwn as World).positions ?? []) {
    const [nowLeft, nowTop] = ["scrollLeft", "scrollTop"].map((name) => Reflect.get(Element.prototype, name, element) as number);
    if (nowLeft !== left || nowTop !== top) Reflect.apply(Element.prototype.scrollTo, element, [{ left, top, behavior: "instant" }]);
  }
}

/** Records what scripts change in the document within moments of a turn of the wheel, until `endTurns` is called. */
export function watchTurns(): void {
  const [changesMax, momentsMs] = [10_000, 50];
  const world = globalThis.tintypeOwn as World;
  const changes: MutationRecord[] = [];
  let [isTurning, isComplete] = [false, true];
  const observer = new MutationObserver((records) => {
    if (!isTurning || !isComplete) return;
    if (changes.length + records.length > changesMax) isComplete = false;
    else for (const record of records) changes.push(record);
  });
  const turns = () => {
    observer.takeRecords(); // changes before the turn
    isTurning = true;
    requestAnimationFrame(() => setTimeout(() => (isTurning = false), momentsMs));
  };
  addEventListener("wheel", turns, { capture: true, passive: true });
  const recorded = { subtree: true, childList: true, attributeOldValue: true, characterDataOldValue: true };
  observer.observe(document, recorded);
  const stop = () => {
    removeEventListener("wheel", turns, { capture: true });
    observer.disconnect();
    return isComplete ? changes : undefined;
  };
  world.turned = { stop };
}

/** Ends the recording, and puts the document back as it was if `isUndone`. Returns false if there were too many changes. */
export function endTurns(isUndone: boolean): boolean {
  const world = globalThis.tintypeOwn as World;
  const changes = world.turned?.stop();
  delete world.turned;
  if (!isUndone) return true;
  const parentOf = (node: Node) => Reflect.get(Node.prototype, "parentNode", node) as Node | null; // a form field may shadow it
  for (const change of changes?.reverse() ?? []) {
    const { target, oldValue, attributeName: name, attributeNamespace: space } = change;
    if (target instanceof CharacterData) target.data = oldValue ?? "";
    else if (target instanceof Element && name !== null) {
      if (oldValue === null) Element.prototype.removeAttributeNS.call(target, space, name);
      else Element.prototype.setAttributeNS.call(target, space, name, oldValue);
    } else {
      for (const node of change.addedNodes) if (parentOf(node) === target) Node.prototype.removeChild.call(target, node);
      const next = change.nextSibling && parentOf(change.nextSibling) === target ? change.nextSibling : null;
      for (const node of change.removedNodes) Node.prototype.insertBefore.call(target, node, next);
    }
  }
  return changes !== undefined;
}
