/** Converts the page's main content to Markdown. Runs in the page, so it must be self-contained. */

export interface Libraries {
  Readability: new (copy: Document, options: object) => { parse(): { content?: Element } | null };
  TurndownService: new (
    options: object,
  ) => {
    use(plugin: unknown): void;
    addRule(
      name: string,
      rule: { filter: string[] | ((node: Element) => boolean); replacement(content: string, node: Element): string },
    ): void;
    escape(text: string): string;
    turndown(content: Element): string;
  };
  tables: { gfm: unknown };
}

/** The result of `flatCopy`. */
interface Copy {
  copy: Document;
  hasForeignFrame: boolean;
  isCut: boolean;
}

export interface MainContent extends Omit<Copy, "copy"> {
  title: string;
  content: Element;
  /** Text that is omitted on purpose: navigation, headers, footers and sidebars. */
  around: string;
}

/**
 * Copies the page's main content, or the most recently found element, with the page's title unless the content has one.
 * @param copyOf makes the copy: the libraries modify their input and can't see computed styles.
 */
export function findContent(
  isElement: boolean,
  { Readability }: Pick<Libraries, "Readability">,
  copyOf: (root: Element) => Copy,
): MainContent {
  const part = isElement ? globalThis.tintypeElement : undefined;
  const root = part ?? document.body ?? document.documentElement;
  if (!root) throw new Error("there is no document");
  const { copy, ...found } = copyOf(root);
  // Remove permalinks in headings, such as ¶.
  for (const link of copy.querySelectorAll(":is(h1, h2, h3, h4, h5, h6) a[href*='#']"))
    if ((link.textContent ?? "").trim().length <= 1 && !link.querySelector("img")) link.remove();
  for (const lineBreak of copy.querySelectorAll(":is(h1, h2, h3, h4, h5, h6) br")) lineBreak.replaceWith(" "); // a heading is one line
  if (part) return { ...found, title: "", content: copy.body, around: "" };

  const around: string[] = [];
  const outside = "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search]";
  for (const element of copy.querySelectorAll(outside)) {
    if (element.closest("main, article") || !copy.contains(element)) continue;
    around.push(element.textContent ?? "");
    element.remove();
  }
  const [heading, ...headings] = copy.querySelectorAll("h1");
  const title = (headings.length === 0 && heading?.textContent?.trim()) || document.title.trim();
  const mains = copy.querySelectorAll("main, [role=main]");
  const main = mains.length === 1 ? mains[0] : undefined;
  const whole = main ?? copy.body;
  const plain = (element: Element) => (element.textContent ?? "").replace(/\s+/g, "");
  const article = new Readability(copy.cloneNode(true) as Document, {
    serializer: (element: Element) => element,
    keepClasses: true,
  }).parse()?.content;
  /** Whether `text` contains all blocks of `region`, apart from navigation, sidebars, footers and forms. */
  const hasAllOf = (region: Element, text: string): boolean => {
    let from = 0;
    for (const block of region.querySelectorAll("p, pre, blockquote, table, dl, figure, h1, h2, h3")) {
      const own = plain(block);
      if (own === "" || block.closest("nav, aside, footer, form") || block.querySelector("p, pre, blockquote, table, dl")) continue;
      const at = text.indexOf(own, from);
      if (at < 0 && !text.includes(own) && own !== plainTitle) return false;
      if (at >= 0) from = at;
    }
    return true;
  };
  const plainTitle = title.replace(/\s+/g, "");
  // Pages of lists, tables and products are not articles: the extracted content may be only a small part of them.
  const isArticle = (found: Element): boolean => {
    const text = plain(found);
    const share = text.length / plain(whole).length;
    if (!main) return share > 0.4;
    const [inner, ...others] = main.querySelectorAll("article");
    return share > 0.4 && hasAllOf(inner && others.length === 0 ? inner : main, text);
  };
  const content = article && isArticle(article) ? article : whole;
  const first = content.querySelector("h1, h2");
  if (first?.textContent?.trim() === title) first.remove(); // the title is written first anyway, as a top-level heading
  return { ...found, title: content.querySelector("h1") ? "" : title, content, around: around.join(" ") };
}

/** Stores the content in `tintypeText`, as Markdown with absolute links. */
export function keepMarkdown({ title, content }: Pick<MainContent, "title" | "content">, { TurndownService, tables }: Libraries): void {
  for (const name of ["href", "src"])
    for (const linking of content.querySelectorAll(`[${name}]`)) {
      const address = URL.parse(linking.getAttribute(name) ?? "", document.baseURI);
      if (address) linking.setAttribute(name, address.href);
    }
  // In Markdown a link can't contain blocks: in a card, for example, the link is moved into the heading or, if there is none, into the
  // first block.
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
  // The page's text must not be interpreted as HTML by programs that render the Markdown.
  const escapeMarkdown = turndown.escape.bind(turndown);
  turndown.escape = (plain) => escapeMarkdown(plain).replace(/<(?=[a-z/!?])|&(?=#?\w+;)/gi, "\\$&");
  turndown.addRule("reading", { filter: ["rt"], replacement: (text) => `(${text.trim()})` });
  turndown.addRule("parenthesis", { filter: ["rp"], replacement: () => "" });
  turndown.addRule("summary", { filter: ["summary"], replacement: (text) => `\n\n**${text.trim()}**\n\n` });
  turndown.addRule("pre", {
    filter: ["pre"],
    replacement: (_, node) => {
      const code = (node.textContent ?? "").replace(/^\n/, "").trimEnd();
      const language = /(?:^|\s)language-([\w+#-]+)/.exec(node.className)?.[1] ?? "";
      const fence = "`".repeat(Math.max(3, ...(code.match(/`{3,}/g) ?? []).map(({ length }) => length + 1)));
      return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
    },
  });
  turndown.addRule("formula", {
    filter: (node) => node.hasAttribute("data-tintype-tex"),
    replacement: (_, node) => {
      // Must not contain HTML or, in a table, a cell separator.
      const tex = (node.textContent ?? "").replace(/<(?=[a-z/!?])/gi, "\\lt ").replace(/&(?=#?\w+;)/g, "& ");
      if (node.closest("table")) return `$${tex.replaceAll("\\|", "\\Vert ").replaceAll("|", "\\vert ").trim()}$`;
      return node.getAttribute("data-tintype-tex") === "block" ? `\n\n$$\n${tex}\n$$\n\n` : `$${tex}$`;
    },
  });
  const text = turndown.turndown(content).trim();
  globalThis.tintypeText = `${title ? `# ${turndown.escape(title.replace(/\s+/g, " "))}\n\n` : ""}${text}\n`;
}

/**
 * Returns the share of the visible text, 0 to 1, that is missing from the Markdown in `tintypeText`, not counting `around`.
 * @param collectText stores the visible text in `tintypeText`; the Markdown is put back afterwards.
 */
export function missingText(around: string, collectText: () => void): number {
  const charactersMax = 2_000_000;
  const markdown = globalThis.tintypeText;
  collectText();
  const text = globalThis.tintypeText;
  globalThis.tintypeText = markdown;
  if (typeof markdown !== "string" || typeof text !== "string") return 0;
  // Numbers and symbols are ignored: formulas are written differently, and lines of code may be numbered.
  // Scripts without spaces between words are compared by characters.
  const words = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]|(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])\p{L}){3,}/gu;
  const wordsOf = (from: string) => from.slice(0, charactersMax).match(words) ?? [];
  const left = new Map<string, number>();
  // Link URLs are not text.
  for (const word of wordsOf(`${markdown.slice(0, charactersMax).replace(/\]\([^()\s]*/g, "] ")} `))
    left.set(word, (left.get(word) ?? 0) + 1);
  for (const word of wordsOf(around)) left.set(word, (left.get(word) ?? 0) + 1);
  let [all, missing] = [0, 0];
  for (const word of wordsOf(text)) {
    const count = left.get(word) ?? 0;
    all += word.length;
    if (count === 0) missing += word.length;
    else left.set(word, count - 1);
  }
  const aroundLength = wordsOf(around).reduce((sum, word) => sum + word.length, 0);
  return missing / Math.max(200, all - aroundLength);
}
