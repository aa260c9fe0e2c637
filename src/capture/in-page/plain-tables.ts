/** Simplifies tables, code and emphasis to what Markdown supports. Runs in the page, so each function must be self-contained. */

/** Joins successive elements that have a line of code each, as editors draw it. */
export function joinCodeLines<F extends { content: Element }>(found: F): F {
  const { content } = found;
  const linesMin = 5;
  const isLine = (node: Element | null): node is Element =>
    node?.localName === "pre" && !node.hasAttribute("data-tintype-tex") && !(node.textContent ?? "").trim().includes("\n");
  const isBeside = (one: Element, other: Element | undefined) => {
    const [upper, lower] = [one, other].map((pre) => {
      let block = pre;
      while (block?.parentElement && block.parentElement !== content && block.parentElement.children.length === 1)
        block = block.parentElement;
      return block;
    });
    return upper !== undefined && upper.nextElementSibling === lower;
  };
  const lines = [...content.querySelectorAll("pre")].filter(isLine);
  for (let at = 0; at < lines.length; ) {
    let end = at + 1;
    while (end < lines.length && isBeside(lines[end - 1] as Element, lines[end])) end += 1;
    const [first, ...others] = lines.slice(at, end);
    if (first && end - at >= linesMin) {
      first.textContent = lines
        .slice(at, end)
        .map((line) => (line.textContent ?? "").replace(/\n/g, ""))
        .join("\n");
      for (const other of others) other.remove();
    }
    at = end;
  }
  return found;
}

export function plainTables<F extends { content: Element }>(found: F): F {
  const { content } = found;
  const own = content.ownerDocument;
  const rename = (element: Element, name: string) => {
    const other = own.createElement(name);
    other.append(...element.childNodes);
    element.replaceWith(other);
  };
  // Tables that contain headings or rules are assumed to be for layout.
  for (const table of content.querySelectorAll("table")) if (table.querySelector("h1, h2, h3, h4, h5, h6, hr")) rename(table, "div");
  for (const part of content.querySelectorAll("caption, colgroup, thead, tbody, tfoot, tr, th, td")) {
    const table = part.closest("table");
    if (!table || !content.contains(table)) rename(part, "div");
  }
  for (const caption of content.querySelectorAll("caption")) {
    const paragraph = own.createElement("p");
    paragraph.append(...caption.childNodes);
    caption.closest("table")?.before(paragraph);
    caption.remove();
  }
  // In Markdown, a cell is a single line and can't contain blocks.
  for (const block of content.querySelectorAll("table :is(ul, ol, li, blockquote)")) rename(block, "div");
  for (const pre of content.querySelectorAll("table pre:not([data-tintype-tex])")) {
    const lines = (pre.textContent ?? "").replace(/^\n/, "").trimEnd().split("\n");
    const codes = lines.flatMap((line, index) => {
      const code = own.createElement("code");
      code.textContent = line.trimEnd();
      code.setAttribute("data-tintype-line", line.trimEnd()); // Turndown collapses spaces in the text
      return index === 0 ? [code] : [own.createElement("br"), code];
    });
    pre.replaceWith(...codes);
  }
  return found;
}

/** Replaces each cell that spans rows or columns with single cells, and pads the header row. */
export function spreadCells<F extends { content: Element }>(found: F): F {
  const { content } = found;
  const own = content.ownerDocument;
  const columnsMax = 50;
  /** Maximum column from which cells extend into the rows below. */
  const reachingMax = 200;
  /** Maximum length of a repeated cell, in characters. */
  const repeatedMax = 200;
  /** Copies the cell for another row; the copy is empty if the cell is long or contains an image or a table. */
  const copyOf = (cell: HTMLTableCellElement): Element => {
    const copy = own.createElement(cell.localName);
    if ((cell.textContent ?? "").length <= repeatedMax && !cell.querySelector("img, table"))
      copy.append(...cell.cloneNode(true).childNodes);
    return copy;
  };
  /** Expands the spanning cells of a section. */
  const spread = (section: HTMLTableSectionElement) => {
    /** Cells from earlier rows that extend into this one, by column. */
    let reaching = new Map<number, { cell: HTMLTableCellElement; rows: number; isFirst: boolean }>();
    for (const row of section.rows) {
      const next: typeof reaching = new Map();
      let column = 0;
      const fill = (before: Element | null) => {
        for (let above = reaching.get(column); above; above = reaching.get(column)) {
          row.insertBefore(above.isFirst ? copyOf(above.cell) : own.createElement(above.cell.localName), before);
          if (above.rows > 1) next.set(column, { ...above, rows: above.rows - 1 });
          column += 1;
        }
      };
      for (const cell of [...row.cells]) {
        fill(cell);
        const [columns, rows] = [Math.min(cell.colSpan, columnsMax), cell.rowSpan || section.rows.length];
        cell.removeAttribute("colspan");
        cell.removeAttribute("rowspan");
        for (let index = 0, after: Element = cell; index < columns; index += 1) {
          if (rows > 1 && column < reachingMax) next.set(column + index, { cell, rows: rows - 1, isFirst: index === 0 });
          if (index === 0) continue;
          const empty = own.createElement(cell.localName);
          after.after(empty);
          after = empty;
        }
        column += columns;
      }
      fill(null);
      reaching = next;
    }
  };
  for (const table of content.querySelectorAll<HTMLTableElement>("table:has([colspan], [rowspan])"))
    for (const section of [table.tHead, ...table.tBodies, table.tFoot]) if (section) spread(section);
  for (const table of content.querySelectorAll("table")) {
    const { tHead, tBodies, tFoot, rows } = table;
    if (tFoot) table.append(tFoot); // wherever it is written, it is shown last
    // In Markdown, a table has a single header row, which must have a cell for every column.
    if (tHead && tBodies[0]) tBodies[0].prepend(...[...tHead.rows].slice(1));
    const [header, ...others] = rows;
    const columns = others.reduce((most, { cells }) => Math.max(most, cells.length), 0);
    while (header?.lastElementChild && header.cells.length < columns) header.append(own.createElement(header.lastElementChild.localName));
  }
  return found;
}

/**
 * Splits inline code at its links, and removes its other markup, which would become part of the code. Joins adjacent elements with the same
 * emphasis, because their marks would run together.
 */
export function plainInlines<F extends { content: Element }>(found: F): F {
  const own = found.content.ownerDocument;
  // Markdown has no raised or lowered text: without a sign, 10 to the power of 6 would be 106.
  const raised = new Map([..."0123456789+-−–=()ni"].map((one, index) => [one, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ".charAt(index)]));
  const lowered = new Map(
    [..."0123456789+-−–=()aehijklmnoprstuvx"].map((one, index) => [one, "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ".charAt(index)]),
  );
  for (const part of found.content.querySelectorAll("sup, sub")) {
    const text = (part.textContent ?? "").trim();
    const [signs, sign] = part.localName === "sup" ? [raised, "^"] : [lowered, "_"];
    if (part.childElementCount > 0 || text === "" || text.length > 12) continue;
    if ([...text].every((one) => signs.has(one))) part.replaceWith([...text].map((one) => signs.get(one)).join(""));
    else if (/^[\d.,+\-−–/i-np-qtx-zT]+$/.test(text) && !/[a-zT]{2}/.test(text))
      // not an ordinal, a note's mark, or a label
      part.replaceWith(`${sign}${text.length > 1 ? `(${text})` : text}`);
  }
  for (const emphasis of found.content.querySelectorAll("em, i, strong, b")) {
    const isSame = (node: Node | null): node is Element => node?.nodeName === emphasis.nodeName;
    for (let next = emphasis.nextSibling; isSame(next); next = emphasis.nextSibling) {
      emphasis.append(...next.childNodes);
      next.remove();
    }
  }
  for (const code of found.content.querySelectorAll("code:not(pre code)")) {
    if (code.childElementCount === 0 || code.querySelector("img")) continue;
    const pieces: { text: string; link: Element | null }[] = [];
    const texts = own.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const link = texts.currentNode.parentElement?.closest("code a[href]") ?? null;
      const text = texts.currentNode.nodeValue ?? "";
      const last = pieces.at(-1);
      if (last?.link === link) last.text += text;
      else pieces.push({ text, link });
    }
    const parts = pieces.map(({ text, link }) => {
      if (text.trim() === "") return own.createTextNode(text);
      const piece = own.createElement("code");
      piece.textContent = text;
      const around = link?.cloneNode(false) as Element | undefined;
      around?.append(piece);
      return around ?? piece;
    });
    code.replaceWith(...parts);
  }
  return found;
}
