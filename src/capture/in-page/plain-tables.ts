/** Makes tables such as Markdown has. Runs in the page, so it may use nothing from outside of itself. */

export function plainTables<F extends { content: Element }>(found: F): F {
  const { content } = found;
  const columnsMax = 50;
  const rename = (element: Element, name: string) => {
    const other = document.createElement(name);
    other.append(...element.childNodes);
    element.replaceWith(other);
  };
  // With headings in it, it is for layout.
  for (const table of content.querySelectorAll("table")) if (table.querySelector("h1, h2, h3, h4, h5, h6, hr")) rename(table, "div");
  for (const part of content.querySelectorAll("caption, colgroup, thead, tbody, tfoot, tr, th, td")) {
    const table = part.closest("table");
    if (!table || !content.contains(table)) rename(part, "div");
  }
  // A cell has one line, in which there can't be blocks.
  for (const block of content.querySelectorAll("table :is(ul, ol, li, blockquote, pre)"))
    rename(block, block.localName === "pre" ? "code" : "div");
  for (const cell of content.querySelectorAll<HTMLTableCellElement>(":is(td, th)[colspan]")) {
    const columns = Math.min(cell.colSpan, columnsMax);
    cell.removeAttribute("colspan");
    for (let more = 1; more < columns; more += 1) cell.after(document.createElement(cell.localName));
  }
  return found;
}
