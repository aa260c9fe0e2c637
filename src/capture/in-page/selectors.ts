/** Builds CSS selectors. Runs in the page, so it must be self-contained. */

interface Selectors {
  /** A short selector, unique in the element's document or shadow root, without names that look generated. */
  selectorOf(element: Element): string;
  classesOf(element: Element): string[];
  attributeOf(element: Element, name: string): string | null;
  tagOf(element: Element): string;
  parentOf(element: Element): Element | null;
  rootOf(element: Element): Document | ShadowRoot;
  /** Positions of the children, starting at 1. */
  positions(parent: Node): Map<Element, number>;
}

/** Form fields shadow the form's own members, so these are read from the prototypes. */
export function createSelectors(): Selectors {
  const attributeOf = (element: Element, name: string) => Element.prototype.getAttribute.call(element, name);
  const tagOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  const rootOf = (element: Element) => Node.prototype.getRootNode.call(element) as Document | ShadowRoot;
  const generated = /^(css|sc|jsx|jss|emotion|svelte|ember|radix|mui|headlessui|react|vue|ng|astro|w-node)[-_]/i;
  const isStable = (name: string) => /^[a-z]+([-_]{1,2}[a-z]+)*[-_]?\d{0,2}$/i.test(name) && !generated.test(name);
  const classesOf = (element: Element) => (attributeOf(element, "class") ?? "").split(/\s+/).filter(Boolean).slice(0, 20);

  /** Counts the elements that have each key. */
  const tally = (elements: Iterable<Element>, keysOf: (element: Element) => string[]) => {
    const counts = new Map<string, number>();
    for (const element of elements) for (const key of keysOf(element)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  };
  const namesOf = new Map<Node, Map<string, number>>();
  const isUnique = (root: Document | ShadowRoot, name: string) => {
    const keysOf = (element: Element) => [`#${attributeOf(element, "id") ?? ""}`, ...classesOf(element).map((one) => `.${one}`)];
    const counts = namesOf.get(root) ?? tally(root.querySelectorAll("[id], [class]"), keysOf);
    namesOf.set(root, counts);
    return counts.get(name) === 1;
  };

  const siblingsOf = new Map<Node, Map<Element, number>>();
  const positions = (parent: Node) => {
    const children = Reflect.get(Element.prototype, "children", parent) as Iterable<Element>;
    const known = siblingsOf.get(parent) ?? new Map([...children].map((child, at) => [child, at + 1]));
    siblingsOf.set(parent, known);
    return known;
  };
  const kindsOf = new Map<Node, Map<string, number>>();
  const isOnlyIn = (parent: Node, kind: string) => {
    const keysOf = (child: Element) => [tagOf(child), ...new Set(classesOf(child).map((one) => `.${one}`))];
    const counts = kindsOf.get(parent) ?? tally(positions(parent).keys(), keysOf); // lists may have thousands of items
    kindsOf.set(parent, counts);
    return counts.get(kind) === 1;
  };
  const selectors = new Map<Element, string>();
  const selectorOf = (element: Element): string => {
    const selector = selectors.get(element) ?? makeSelector(element);
    selectors.set(element, selector);
    return selector;
  };
  const makeSelector = (element: Element): string => {
    const [root, parent, id] = [rootOf(element), parentOf(element), attributeOf(element, "id")];
    if (id && isStable(id) && isUnique(root, `#${id}`)) return `#${id}`;
    const stable = classesOf(element).filter(isStable);
    const unique = stable.find((name) => isUnique(root, `.${name}`));
    if (unique) return `.${unique}`;
    const tag = tagOf(element);
    if (!parent || tag === "body") return tag;
    const named = stable.find((name) => isOnlyIn(parent, `.${name}`));
    const kind = stable[0] ? `.${stable[0]}` : CSS.escape(tag);
    const nth = `:nth-child(${positions(parent).get(element)})`;
    return `${selectorOf(parent)} > ${named ? `.${named}` : isOnlyIn(parent, tag) ? CSS.escape(tag) : kind + nth}`;
  };
  return { selectorOf, classesOf, attributeOf, tagOf, parentOf, rootOf, positions };
}
