/** Finds the page's main content. Runs in the page, so each function must be self-contained. */

interface Extraction {
  Readability: new (copy: Document, options: object) => { parse(): { content?: Element } | null };
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
 * Copies the page's main content, with the page's title unless the content has one. With `isElement`, copies the most recently found
 * element, without a title.
 * @param copyOf makes the copy, which is needed because the libraries modify their input and can't see computed styles.
 * @param chooseMain the `mainPart` function.
 */
export function findContent(
  isElement: boolean,
  copyOf: (root: Element) => Copy,
  chooseMain: (copy: Document, title: string) => Element,
): MainContent {
  const part = isElement ? globalThis.tintypeElement : undefined;
  const root = part ?? document.body ?? document.documentElement;
  if (!root) throw new Error("there is no document");
  const { copy, ...found } = copyOf(root);
  // Remove permalinks in headings and terms, such as ¶.
  for (const link of copy.querySelectorAll(":is(h1, h2, h3, h4, h5, h6) a[href*='#']"))
    if ((link.textContent ?? "").trim().length <= 1 && !link.querySelector("img")) link.remove();
  for (const link of copy.querySelectorAll("dt a[href*='#']")) if (link.textContent?.trim() === "¶") link.remove();
  for (const lineBreak of copy.querySelectorAll(":is(h1, h2, h3, h4, h5, h6) br")) lineBreak.replaceWith(" "); // a heading is one line
  for (const part of copy.querySelectorAll(":is(h1, h2, h3, h4, h5, h6) :is(rp, rt)"))
    part.replaceWith(part.localName === "rt" ? `(${(part.textContent ?? "").trim()})` : "");
  for (const heading of copy.querySelectorAll("h1, h2, h3, h4, h5, h6"))
    if ((heading.textContent ?? "").length <= 300)
      for (const block of heading.querySelectorAll("div, p, section")) block.replaceWith(" ", ...block.childNodes, " ");
  for (const label of copy.querySelectorAll("label[aria-hidden]")) label.removeAttribute("aria-hidden"); // the copy has only what is shown
  if (part) return { ...found, title: "", content: copy.body, around: "" };

  const around: string[] = [];
  /** The only `h1`; undefined if there are none or several. */
  const onlyHeading = () => {
    const headings = copy.querySelectorAll("h1");
    return headings.length === 1 ? headings[0] : undefined;
  };
  const only = onlyHeading();
  const heading = only?.textContent?.trim() ?? "";
  const pageTitle = document.title.trim();
  /** Whether a header introduces the content, rather than the site: it has the only `h1`, which isn't the site's name. */
  const isIntroduction = (element: Element): boolean =>
    heading !== "" &&
    element.localName === "header" &&
    element.contains(only ?? null) &&
    !element.querySelector("nav, h1 a") &&
    !only?.closest("a, nav, footer, aside") &&
    (pageTitle === heading || !pageTitle.endsWith(heading));
  const outside = "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search]";
  let introduction: Element | undefined;
  for (const element of copy.querySelectorAll(outside)) {
    if (element.closest("main, article") || !copy.contains(element)) continue;
    element.remove();
    if (isIntroduction(element)) introduction = element;
    // Adjacent elements, such as the links in a menu, may have no spaces between them.
    else
      for (const texts = copy.createTreeWalker(element, NodeFilter.SHOW_TEXT); texts.nextNode(); )
        around.push(texts.currentNode.nodeValue ?? "");
  }
  const title = onlyHeading()?.textContent?.trim() || pageTitle;
  const content = chooseMain(copy, title);
  if (introduction) content.prepend(introduction);
  const first = content.querySelector("h1, h2");
  const isTitled = first?.textContent?.trim() === title;
  if (isTitled) first?.remove(); // the title is written first, as a top-level heading
  return { ...found, title: !isTitled && content.querySelector("h1") ? "" : title, content, around: around.join(" ") };
}

/** Removes what would mislead Readability, which omits elements with the class or role of a footer, a menu, an alert and so on. */
export function withoutFalseHints(copy: Document): Document {
  // A class may say that the element has a footer, or has none.
  for (const element of copy.querySelectorAll("[class*='has-'], [class*='no-'], [class*='without-'], [class*='with-']")) {
    const names = [...element.classList].filter((name) => !/(^|[-_])(has|no|without)-|(^|--|__)with-/.test(name));
    element.setAttribute("class", names.join(" "));
  }
  for (const summary of copy.querySelectorAll("details summary")) summary.removeAttribute("class");
  // In an article, alerts are notes.
  for (const note of copy.querySelectorAll(":is(main, article, [role=main]) [role=alert]")) note.removeAttribute("role");
  return copy;
}

/**
 * Returns the main content of `copy`: the article that Readability extracts or, if that omits content, as on pages of lists, tables and
 * products, the whole region around the article.
 */
export function mainPart(copy: Document, title: string, { Readability }: Extraction): Element {
  const blocks = "p, pre, blockquote, table, dl, figure, h1, h2, h3, ul, ol";
  const mark = "data-tintype-block";
  /** Lists and other blocks with fewer characters than this may be missing from the article. */
  const shortMax = 40;
  const mains = copy.querySelectorAll("main, [role=main]");
  const main = mains.length === 1 ? mains[0] : undefined;
  const plain = (element: Element) => (element.textContent ?? "").replace(/\s+/g, "");
  const marked = [...copy.querySelectorAll(`${blocks}, tr`)];
  for (const [index, block] of marked.entries()) block.setAttribute(mark, String(index));
  const article = new Readability(copy.cloneNode(true) as Document, {
    serializer: (element: Element) => element,
    keepClasses: true,
  }).parse()?.content;
  const kept = article ? [...article.querySelectorAll(`[${mark}]`)].map((block) => Number(block.getAttribute(mark))) : [];
  for (const block of [...marked, ...(article?.querySelectorAll(`[${mark}]`) ?? [])]) block.removeAttribute(mark);
  const [first, last] = [marked[kept[0] ?? -1], marked[kept.at(-1) ?? -1]];
  const plainTitle = title.replace(/\s+/g, "");
  const isAfter = (one: Element, other: Element) => (other.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  /**
   * Whether the article may omit a block. It may omit lists, unless they are long and within the article. If the page has no `main`
   * element, it may also omit headings after the article and short text, such as the labels of share buttons.
   */
  const isOmissible = (block: Element, length: number): boolean => {
    const isBefore = (other: Element | undefined) => other !== undefined && isAfter(other, block);
    if (/^[uo]l$/.test(block.localName)) return length < shortMax || !isBefore(last) || isBefore(first);
    if (main) return false;
    return /^h\d$/.test(block.localName) ? !isBefore(last) : length < shortMax;
  };
  /** Whether the article contains all blocks of `region`, apart from navigation, sidebars, footers and forms. */
  const hasAllOf = (region: Element, text: string): boolean => {
    let from = 0;
    for (const block of region.querySelectorAll(blocks)) {
      const own = plain(block);
      if (own === "" || block.closest("nav, aside, footer, form") || block.querySelector("p, pre, blockquote, table, dl")) continue;
      if (isOmissible(block, own.length)) continue;
      const at = text.indexOf(own, from);
      if (at < 0 && !text.includes(own) && own !== plainTitle) return false;
      if (at >= 0) from = at;
    }
    return true;
  };
  const text = article ? plain(article) : "";
  if (!article || text.length <= 0.4 * plain(main ?? copy.body).length) return main ?? copy.body;
  if (main) {
    const [inner, ...others] = main.querySelectorAll("article");
    return hasAllOf(inner && others.length === 0 ? inner : main, text) ? article : main;
  }
  if (!first || !last) return article;
  const range = copy.createRange();
  range.setStartBefore(first);
  range.setEndAfter(last);
  const common = range.commonAncestorContainer as Element;
  const table = common.closest("table");
  const region = table?.parentElement ?? common;
  if (table || !copy.body.contains(region)) return copy.body;
  return hasAllOf(region, text) ? article : region;
}
