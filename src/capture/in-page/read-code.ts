/** Reads code as displayed, line by line. Runs in the page, so it must be self-contained. */

type CodeOf = (element: Element) => { text: string; language: string } | undefined;

/** Returns a function that reads `pre`, its obsolete variants and tables of code lines, and returns undefined for all other elements. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export function codeReader(): CodeOf {
  /** Number of elements that may still be read; code that contains more is read as plain text, ignoring styles. */
  let elementsLeft = 50_000;
  const gutterMax = 20_000;
  /** Languages that highlight.js and others write as a class of their own. */
  const languages =
    /^(bash|c|clojure|cpp|cs|csharp|css|dart|diff|dockerfile|elixir|erlang|go|graphql|haskell|html|http|ini|java|javascript|js|json|julia|kotlin|less|lua|makefile|matlab|perl|php|powershell|py|python|r|ruby|rust|scala|scss|sh|shell|sql|swift|toml|ts|typescript|vim|xml|yaml|yml)$/;
  const rowsMax = 5_000;

  const isGrid = (display: string) => /^(inline-)?(grid|flex)$|^table(-row)?(-group)?$/.test(display);
  const isLine = (display: string) => /^(block|flow-root|flex|grid|list-item|table|table-row)$/.test(display);
  // A form's fields can shadow its own members, so members are read from the prototypes.
  const nameOf = (element: Element): string => Reflect.get(Element.prototype, "localName", element);
  const textOf = (element: Element): string => Reflect.get(Node.prototype, "textContent", element) ?? "";
  const parentOf = (element: Element): Element | null => Reflect.get(Node.prototype, "parentElement", element);
  const areNumbers = (element: Element) => /^[\d\s]+$/.test(textOf(element).slice(0, gutterMax));
  /** Whether an element contains only line numbers. */
  const isGutter = (element: Element, style: CSSStyleDeclaration): boolean => {
    if (!areNumbers(element)) return false;
    if (style.userSelect === "none") return true;
    if (style.display === "inline") return false; // a number within a line of code
    if (style.display === "table-cell") return Reflect.get(Element.prototype, "nextElementSibling", element) !== null;
    const numbers = linesOf(element).trim().split(/\s+/).map(Number);
    return (
      numbers.length > 1 && numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1) && !isAlone(element)
    );
  };
  /** Whether a cell before the code is empty: style sheets may show its number. */
  const isEmptyGutter = (element: Element) =>
    Reflect.get(Element.prototype, "nextElementSibling", element) !== null && textOf(element).trim() === "";
  /** Whether an element can't be seen and takes no place among the lines, like an explanation that opens when the pointer is over a word. */
  const isClosed = ({ opacity, position }: CSSStyleDeclaration) => opacity === "0" && /^(absolute|fixed)$/.test(position);
  const isAlone = (element: Element) => {
    const parent = parentOf(element);
    return parent !== null && textOf(parent).trim() === textOf(element).trim();
  };

  const linesOf = (container: Element): string => {
    let text = "";
    const endLine = () => {
      if (text !== "" && !text.endsWith("\n")) text += "\n";
    };
    const read = (parent: Element, style: CSSStyleDeclaration) => {
      const whitespace = style.getPropertyValue("white-space-collapse");
      const nodes: Iterable<Node> = Reflect.get(Node.prototype, "childNodes", parent.shadowRoot?.mode ? parent.shadowRoot : parent);
      for (const node of nodes) {
        const type = Reflect.get(Node.prototype, "nodeType", node);
        if (type === Node.TEXT_NODE) {
          const { data } = node as Text;
          if (!(isGrid(style.display) && /^\s*$/.test(data))) text += whitespace === "collapse" ? data.replace(/\s+/g, " ") : data;
        } else if (type === Node.ELEMENT_NODE) readElement(node as Element);
      }
    };
    const readElement = (element: Element) => {
      elementsLeft -= 1;
      if (nameOf(element) === "br") text += "\n";
      if (Element.prototype.matches.call(element, "br, button, script, style, template, svg, title")) return;
      const style = getComputedStyle(element);
      const { display } = style;
      if (display === "none" || isClosed(style) || isGutter(element, style)) return;
      if (display === "table-cell" && /^$|\n$/.test(text.slice(-1)) && isEmptyGutter(element)) return;
      if (display === "table-cell" && text !== "" && !text.endsWith("\n")) text += "\t";
      if (!isLine(display)) return read(element, style);
      endLine();
      const before = text;
      read(element, style);
      if (text !== before) endLine();
      else if (Element.prototype.getBoundingClientRect.call(element).height > 1) text += "\n"; // an empty line
    };
    if (elementsLeft < Element.prototype.querySelectorAll.call(container, "*").length) return textOf(container);
    read(container, getComputedStyle(container));
    return text;
  };

  const languageOf = (pre: Element): string => {
    const around = parentOf(pre);
    const first: Element | null = Reflect.get(Element.prototype, "firstElementChild", pre);
    for (const element of [Element.prototype.querySelector.call(pre, "code"), pre, first, around, around && parentOf(around)]) {
      if (!element) continue;
      const attributeOf = (name: string) => Element.prototype.getAttribute.call(element, name);
      const classes = attributeOf("class")?.slice(0, 1_000) ?? "";
      const language = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1];
      const bare = nameOf(element) === "code" ? classes.split(/\s+/).find((one) => languages.test(one)) : undefined;
      const named = language ?? bare ?? attributeOf("data-language") ?? attributeOf("data-lang");
      if (named && /^[\w+#-]{1,40}$/.test(named)) return named;
    }
    return "";
  };

  /** The lines of a table with code in one column and line numbers in the others. Undefined for other tables and very long ones. */
  const tableOf = (table: HTMLTableElement): string | undefined => {
    const rows = [...table.rows];
    const last = rows[0]?.cells[rows[0].cells.length - 1];
    const isPre = (element: Element) => getComputedStyle(element).whiteSpace.startsWith("pre");
    if (!last || rows.length > rowsMax || !(table.querySelector("pre") || isPre(last)) || table.querySelector("table")) return undefined;
    const lines: string[] = [];
    let hasGutter = false;
    for (const { cells } of rows) {
      const isCode = (cell: HTMLTableCellElement) => (cell.textContent ?? "").trim() !== "" && !isGutter(cell, getComputedStyle(cell));
      const [cell, ...others] = [...cells].filter(isCode);
      const pre = cell?.querySelector("pre");
      if (others.length > 0) return undefined;
      if (cell && (pre ? pre.textContent?.trim() !== cell.textContent?.trim() : !isPre(cell))) return undefined;
      hasGutter ||= cells.length > 1;
      lines.push(cell ? linesOf(pre ?? cell).replace(/\n$/, "") : "");
    }
    return hasGutter ? lines.join("\n") : undefined;
  };

  return (element) => {
    const isTable = nameOf(element) === "table";
    if (!/^(pre|xmp|listing)$/.test(nameOf(element)) && !isTable) return undefined;
    const text = isTable ? tableOf(element as HTMLTableElement) : linesOf(element);
    return text === undefined ? undefined : { text, language: languageOf(element) };
  };
}
