/** Makes CSS selectors. Runs in the page, so it may use nothing from outside of itself. */

interface Selectors {
  /** Short, and of this element alone in its document or shadow root; without names that look generated. */
  selectorOf(element: Element): string;
  classesOf(element: Element): string[];
  attributeOf(element: Element, name: string): string | null;
  parentOf(element: Element): Element | null;
  rootOf(element: Element): Document | ShadowRoot;
  /** Positions of the children, from 1. */
  positions(parent: Node): Map<Element, number>;
}

export function createSelectors(): Selectors {
  // A form's own members are hidden by fields of the same name: they are taken from the prototypes.
  const attributeOf = (element: Element, name: string) => Element.prototype.getAttribute.call(element, name);
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  const rootOf = (element: Element) => Node.prototype.getRootNode.call(element) as Document | ShadowRoot;
  const generated = /^(css|sc|jsx|jss|emotion|svelte|ember|radix|mui|headlessui|react|vue|ng|astro|w-node)[-_]/i;
  const isStable = (name: string) => /^[a-z]+([-_]{1,2}[a-z]+)*[-_]?\d{0,2}$/i.test(name) && !generated.test(name);
  const classesOf = (element: Element) => (attributeOf(element, "class") ?? "").split(/\s+/).filter(Boolean).slice(0, 20);

  const namesOf = new Map<Node, Map<string, number>>();
  const isUnique = (root: Document | ShadowRoot, name: string) => {
    let counts = namesOf.get(root);
    if (!counts) {
      counts = new Map();
      for (const element of root.querySelectorAll("[id], [class]")) {
        const id = attributeOf(element, "id");
        for (const key of [...(id ? [`#${id}`] : []), ...classesOf(element).map((one) => `.${one}`)])
          counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      namesOf.set(root, counts);
    }
    return counts.get(name) === 1;
  };

  const siblingsOf = new Map<Node, Map<Element, number>>();
  const positions = (parent: Node) => {
    let known = siblingsOf.get(parent);
    if (!known) {
      known = new Map([...(Reflect.get(Element.prototype, "children", parent) as Iterable<Element>)].map((child, at) => [child, at + 1]));
      siblingsOf.set(parent, known);
    }
    return known;
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
    if (!parent || element.localName === "body") return element.localName;
    const siblings = [...positions(parent)];
    const named = stable.find((name) => siblings.every(([other]) => other === element || !classesOf(other).includes(name)));
    const isOnly = siblings.filter(([{ localName }]) => localName === element.localName).length === 1;
    const kind = stable[0] ? `.${stable[0]}` : CSS.escape(element.localName);
    const nth = `:nth-child(${positions(parent).get(element)})`;
    return `${selectorOf(parent)} > ${named ? `.${named}` : isOnly ? CSS.escape(element.localName) : kind + nth}`;
  };
  return { selectorOf, classesOf, attributeOf, parentOf, rootOf, positions };
}
