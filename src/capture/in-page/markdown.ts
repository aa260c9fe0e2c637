/** Converts the page's main content to Markdown. Runs in the page, so it may use nothing from outside of itself. */

export interface Libraries {
  Readability: new (copy: Document, options: object) => { parse(): { content?: Element } | null };
  TurndownService: new (
    options: object,
  ) => {
    use(plugin: unknown): void;
    addRule(name: string, rule: { filter: string[]; replacement(content: string, node: Element): string }): void;
    escape(text: string): string;
    turndown(content: Element): string;
  };
  tables: { gfm: unknown };
}

/** A copy of the page's main content, or of the element found last, with its title unless the content has one. */
export function findContent(isElement: boolean, { Readability }: Pick<Libraries, "Readability">): { title: string; content: Element } {
  /** A copy without what is not shown: the libraries change what they are given, and see no computed styles. */
  const copyOf = <N extends Document | Element>(source: N): N => {
    const copy = source.cloneNode(true) as N;
    const copies = copy.querySelectorAll("*");
    for (const [index, element] of [...source.querySelectorAll("*")].entries()) {
      // A form's own members are hidden by fields of the same name: they are taken from the prototype.
      const isOpenable = Element.prototype.closest.call(element, "details") !== null;
      const isShown = Element.prototype.checkVisibility.call(element);
      if (document.body?.contains(element) && !isShown && !isOpenable) Element.prototype.remove.call(copies[index]);
    }
    // The libraries know nothing of such fields.
    for (const field of copy.querySelectorAll("form [name], form [id]")) for (const name of ["name", "id"]) field.removeAttribute(name);
    for (const element of copy.querySelectorAll("script, style, noscript, template, iframe, svg, canvas")) element.remove();
    // Links to the heading itself, such as ¶.
    for (const link of copy.querySelectorAll(":is(h1, h2, h3, h4, h5, h6) a[href*='#']"))
      if ((link.textContent ?? "").trim().length <= 1 && !link.querySelector("img")) link.remove();
    return copy;
  };
  const part = isElement ? globalThis.tintypeElement : undefined;
  if (part) {
    const content = document.createElement("div");
    content.append(copyOf(part));
    return { title: "", content };
  }

  const copy = copyOf(document);
  const around = "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search]";
  for (const element of copy.querySelectorAll(around)) if (!element.closest("main, article")) element.remove();
  const [heading, ...headings] = copy.querySelectorAll("h1");
  const title = (headings.length === 0 && heading?.textContent?.trim()) || document.title.trim();
  const mains = copy.querySelectorAll("main, [role=main]");
  const whole = mains.length === 1 && mains[0] ? mains[0] : (copy.body ?? copy.documentElement);
  const lengthOf = (element: Element) => (element.textContent ?? "").replace(/\s+/g, " ").length;
  const wholeLength = lengthOf(whole);
  const article = new Readability(copy.cloneNode(true) as Document, {
    serializer: (element: Element) => element,
    keepClasses: true,
  }).parse()?.content;
  // Pages of lists, tables and products are no articles: what is found may be a small part of them.
  const content = article && lengthOf(article) > 0.4 * wholeLength ? article : whole;
  const first = content.querySelector("h1, h2");
  if (first?.textContent?.trim() === title) first.remove(); // it comes first anyway, and as one of the first order
  return { title: content.querySelector("h1") ? "" : title, content };
}

/** Keeps the content as Markdown, with absolute links. */
export function keepMarkdown({ title, content }: ReturnType<typeof findContent>, { TurndownService, tables }: Libraries): void {
  for (const name of ["href", "src"])
    for (const linking of content.querySelectorAll(`[${name}]`)) {
      const address = URL.parse(linking.getAttribute(name) ?? "", document.baseURI);
      if (address) linking.setAttribute(name, address.href);
    }
  // In Markdown a link can't contain blocks: it goes into the heading or else the first block, as of a card.
  const [headings, blocks] = ["h1, h2, h3, h4, h5, h6", "p, div, ul, ol, table, figure, blockquote, section, article, header"];
  for (const link of content.querySelectorAll("a[href]")) {
    const inner = [...link.querySelectorAll(blocks)].filter((block) => !block.querySelector(`${headings}, ${blocks}`));
    const block = link.querySelector(headings) ?? inner.find(({ textContent }) => textContent?.trim()) ?? inner[0];
    if (!block) continue;
    const own = link.cloneNode(false) as Element;
    own.append(...block.childNodes);
    block.append(own);
    link.replaceWith(...link.childNodes);
  }
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  turndown.use(tables.gfm);
  // The page's text must not become HTML in a program that shows the Markdown.
  const escapeMarkdown = turndown.escape.bind(turndown);
  turndown.escape = (plain) => escapeMarkdown(plain).replace(/<(?=[a-z/!?])|&(?=#?\w+;)/gi, "\\$&");
  turndown.addRule("reading", { filter: ["rt"], replacement: (text) => `(${text.trim()})` });
  turndown.addRule("parenthesis", { filter: ["rp"], replacement: () => "" });
  turndown.addRule("summary", { filter: ["summary"], replacement: (text) => `\n\n**${text.trim()}**\n\n` });
  turndown.addRule("pre", {
    filter: ["pre"],
    replacement: (_, node) => {
      const code = (node.textContent ?? "").replace(/^\n/, "").trimEnd();
      const classes = `${node.className} ${node.firstElementChild?.className}`;
      const language = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1] ?? "";
      const fence = "`".repeat(Math.max(3, ...(code.match(/`{3,}/g) ?? []).map(({ length }) => length + 1)));
      return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
    },
  });
  const text = turndown.turndown(content).trim();
  globalThis.tintypeText = `${title ? `# ${turndown.escape(title.replace(/\s+/g, " "))}\n\n` : ""}${text}\n`;
}
