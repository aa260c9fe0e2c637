/** Tells whether elements have the classes that they had before the page was scrolled. Serialized into the page. */

interface OldClasses {
  watch(root: Document | ShadowRoot): void;
  /** Whether the classes of an element or those around it have changed, and all are what they were before. */
  areOld(element: Element): boolean;
  stop(): void;
}

/** Only classes: the old value of an inline style, which some scripts set in each frame, would be written out each time. */
export function createOldClasses(): OldClasses {
  const [changedMax, aroundMax] = [20_000, 3];
  const first = new Map<Element, string | null>();
  const add = (records: MutationRecord[]) => {
    for (const { target, oldValue } of records)
      if (!first.has(target as Element) && first.size < changedMax) first.set(target as Element, oldValue);
  };
  const observer = new MutationObserver(add);
  return {
    watch: (root) => observer.observe(root, { subtree: true, attributeFilter: ["class"], attributeOldValue: true }),
    areOld: (element) => {
      add(observer.takeRecords());
      const around: Element[] = [];
      // A form's fields can shadow its own members, so members are read from the prototypes.
      for (
        let above: Element | null = element;
        above && around.length <= aroundMax;
        above = Reflect.get(Node.prototype, "parentElement", above)
      )
        around.push(above);
      const changed = around.filter((one) => first.has(one));
      const isOld = (one: Element) => (first.get(one) ?? "") === (Element.prototype.getAttribute.call(one, "class") ?? "");
      return changed.length > 0 && changed.every(isOld);
    },
    stop: () => observer.disconnect(),
  };
}
