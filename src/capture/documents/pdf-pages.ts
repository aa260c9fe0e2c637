/** Reads the number and width of a PDF's pages from the file's structure, as Chromium writes it. */

interface PdfPages {
  count: number;
  /** Width of the first page, in points; NaN if unknown. */
  width: number;
}

/** Longest text that is read of an object: enough for its first entries, in Chromium's order. */
const textMax = 256;
/** Chromium's tree of pages has eight branches per node, so this is never reached. */
const levelsMax = 12;
/** The first page's fonts and images are listed before its width, at about 20 bytes each. */
const resourcesMax = 1_048_576;

/**
 * Reads only the few objects that lead to the pages, each at its own position. Searching the bytes would take long, and it would also find
 * a page's title and `alt` texts, which Chromium writes uncompressed.
 * @returns undefined if the file is not laid out as Chromium does it.
 */
export function pagesOf(pdf: Buffer): PdfPages | undefined {
  const textAt = (start: number) => pdf.toString("latin1", start, start + textMax);
  const table = numberIn(/\nstartxref\n(\d{1,10})\n%%EOF\n?$/, textAt(Math.max(0, pdf.length - textMax)));
  if (table === undefined) return;
  const [head, size] = /^xref\n0 (\d{1,10})\n/.exec(textAt(table)) ?? [];
  if (head === undefined) return;
  const entries = table + head.length;
  const positionOf = (id: number) => (id < Number(size) ? numberIn(/^(\d{10}) 00000 n/, textAt(entries + id * entryBytes)) : undefined);
  /** The beginning of an object, without its number. */
  const objectOf = (id: number | undefined) => {
    const position = id === undefined ? undefined : positionOf(id);
    const start = `${id} 0 obj\n`;
    const text = position === undefined ? "" : textAt(position);
    return text.startsWith(start) ? text.slice(start.length) : "";
  };
  const root = numberIn(/^trailer\n<<\/Size \d+\n\/Root (\d{1,10}) 0 R/, textAt(entries + Number(size) * entryBytes));
  const tree = numberIn(/^<<\/Type \/Catalog\n\/Pages (\d{1,10}) 0 R/, objectOf(root));
  const count = numberIn(/^<<\/Type \/Pages\n\/Count (\d{1,10})\n/, objectOf(tree));
  if (count === undefined) return;

  let first = tree;
  for (let level = 0; level < levelsMax && objectOf(first).startsWith("<</Type /Pages\n"); level += 1)
    first = numberIn(/\n\/Kids \[(\d{1,10}) 0 R/, objectOf(first));
  const position = first === undefined || !objectOf(first).startsWith("<</Type /Page\n") ? undefined : positionOf(first);
  return { count, width: position === undefined ? Number.NaN : widthAfter(pdf.subarray(position, position + resourcesMax)) };
}

/** Each entry of a cross-reference table has exactly this length. */
const entryBytes = 20;

function numberIn(pattern: RegExp, text: string): number | undefined {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function widthAfter(page: Buffer): number {
  const box = "/MediaBox [0 0 ";
  const start = page.indexOf(box);
  return start < 0 ? Number.NaN : Number.parseFloat(page.toString("latin1", start + box.length, start + box.length + 12));
}
