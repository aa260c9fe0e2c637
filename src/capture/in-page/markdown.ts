/** Converts the page's main content to Markdown. Runs in the page, so it must be self-contained. */

export interface Libraries {
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

/** Stores the content in `tintypeText`, as Markdown with absolute links. @param addRules the `markdownRules` function. */
export function keepMarkdown(
  { title, content }: { title: string; content: Element },
  { TurndownService, tables }: Libraries,
  addRules: typeof markdownRules,
): void {
  for (const name of ["href", "src"])
    for (const linking of content.querySelectorAll(`[${name}]`)) {
      const address = URL.parse(linking.getAttribute(name) ?? "", document.baseURI);
      if (address) linking.setAttribute(name, address.href);
    }
  // A Markdown link can't contain blocks. In a card, for example, the link is moved into the heading or, if there is none, into the first
  // block.
  const [headings, blocks] = ["h1, h2, h3, h4, h5, h6", "p, div, ul, ol, table, figure, blockquote, section, article, header"];
  // Turndown writes the spaces within an inline element before its first block, whose text would be taken for code.
  for (const span of content.querySelectorAll("span")) {
    if (span.closest("table") || !span.querySelector(`${headings}, ${blocks}`)) continue;
    const block = content.ownerDocument.createElement("div");
    block.append(...span.childNodes);
    span.replaceWith(block);
  }
  for (const link of content.querySelectorAll("a[href]")) {
    if (!link.textContent?.trim() && !link.querySelector("img, picture, video, audio")) link.replaceWith(...link.childNodes);
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
  addRules(turndown);
  const text = turndown.turndown(content).trim();
  globalThis.tintypeText = `${title ? `# ${turndown.escape(title.replace(/\s+/g, " "))}\n\n` : ""}${text}\n`;
}

/** Adds rules for elements whose default Turndown output would surprise readers or programs. */
export function markdownRules(turndown: InstanceType<Libraries["TurndownService"]>): void {
  const letter = /[\p{L}\p{N}]/u;
  const wide = /(?![\0-\x7f])\p{P}/u;
  /** Emphasis next to a letter takes effect only with `*` instead of `_`, and without punctuation just inside the marks. */
  const emphasized = (text: string, mark: string, node: Element): string => {
    if (text.trim() === "") return "";
    const isAfterLetter = letter.test([...(node.previousSibling?.textContent ?? "").slice(-2)].at(-1) ?? "");
    const isBeforeLetter = letter.test([...(node.nextSibling?.textContent ?? "").slice(0, 2)][0] ?? "");
    let [start, end] = [0, text.length];
    while (isAfterLetter && start < end && wide.test(text.charAt(start))) start += 1;
    const isMovable = (at: number) => wide.test(text.charAt(at)) || (/[:;,.!?]/.test(text.charAt(at)) && text.charAt(at - 1) !== "\\");
    while (isBeforeLetter && end > start && isMovable(end - 1)) end -= 1;
    if (start === end) return text;
    const own = mark === "_" && (isAfterLetter || isBeforeLetter) ? "*" : mark;
    return `${text.slice(0, start)}${own}${text.slice(start, end)}${own}${text.slice(end)}`;
  };
  turndown.addRule("emphasis", { filter: ["em", "i"], replacement: (text, node) => emphasized(text, "_", node) });
  turndown.addRule("strong", { filter: ["strong", "b"], replacement: (text, node) => emphasized(text, "**", node) });
  turndown.addRule("reading", { filter: ["rt"], replacement: (text) => `(${text.trim()})` });
  turndown.addRule("parenthesis", { filter: ["rp"], replacement: () => "" });
  turndown.addRule("summary", { filter: ["summary"], replacement: (text) => `\n\n**${text.trim()}**\n\n` });
  turndown.addRule("line of code", {
    filter: (node) => node.hasAttribute("data-tintype-line"),
    replacement: (_, node) => {
      const code = node.getAttribute("data-tintype-line") ?? "";
      const fence = "`".repeat(Math.max(0, ...(code.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
      return code.includes("`") ? `${fence} ${code} ${fence}` : `${fence}${code}${fence}`;
    },
  });
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
      // The formula must not contain HTML or, in a table, a cell separator.
      const tex = (node.textContent ?? "").replace(/<(?=[a-z/!?])/gi, "\\lt ").replace(/&(?=#?\w+;)/g, "& ");
      if (node.closest("table")) return `$${tex.replaceAll("\\|", "\\Vert ").replaceAll("|", "\\vert ").trim()}$`;
      return node.getAttribute("data-tintype-tex") === "block" ? `\n\n$$\n${tex}\n$$\n\n` : `$${tex}$`;
    },
  });
}

/**
 * Returns roughly the share of the visible text, counted as at least 200 characters, that is missing from the Markdown in `tintypeText`.
 * Text in `around` (navigation, headers and footers that were left out on purpose) isn't counted.
 * @param collectText stores the visible text in `tintypeText`; the Markdown is then restored.
 */
export function missingText(around: string, collectText: () => void): number {
  const charactersMax = 2_000_000;
  const markdown = globalThis.tintypeText;
  collectText();
  const text = globalThis.tintypeText;
  globalThis.tintypeText = markdown;
  if (typeof markdown !== "string" || typeof text !== "string") return 0;
  // Numbers and symbols are ignored: formulas are written differently, and lines of code may be numbered.
  // Writing systems without spaces between words are compared character by character.
  const words = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]|(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])\p{L}){3,}/gu;
  const wordsOf = (from: string) => from.slice(0, charactersMax).match(words) ?? [];
  const left = new Map<string, number>();
  // Link URLs are not text.
  for (const word of wordsOf(`${markdown.slice(0, charactersMax).replace(/\]\([^()\s]*/g, "] ")} `))
    left.set(word, (left.get(word) ?? 0) + 1);
  // Rendered formulas have their words two or three times: as MathML, as drawn, and as the TeX that both come from.
  const formulas = (markdown.slice(0, charactersMax).match(/\$[^$]+\$/g) ?? []).filter((one) => /[\\^_={}]/.test(one)); // not two prices
  for (const word of wordsOf(formulas.join(" "))) left.set(word, (left.get(word) ?? 0) + 2);
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
