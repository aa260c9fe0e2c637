/** A PDF's pages, read from its structure. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf } from "../../src/capture/documents/pdf-pages.ts";

/** An uncompressed text that looks like pages, as a page's `alt` texts can. */
const noiseOf = (bytes: number) => Buffer.alloc(bytes, "/Type /Page /MediaBox [0 0 5 5] /Count 7 ");

/** A file as Chromium writes it: the objects 1 to n, between two such texts, and a table of their positions. */
function pdfOf(objects: string[], noise = noiseOf(1_000)): Buffer {
  const parts = [Buffer.from("%PDF-1.4\n"), noise, Buffer.from("\n")];
  let length = parts.reduce((sum, part) => sum + part.length, 0);
  const positions: number[] = [];
  for (const [index, object] of objects.entries()) {
    positions.push(length);
    const part = Buffer.from(`${index + 1} 0 obj\n${object}\nendobj\n`);
    parts.push(part);
    length += part.length;
  }
  const entries = positions.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<</Size ${size}\n/Root 1 0 R\n/Info 9 0 R>>\nstartxref\n${length + noise.length}\n%%EOF\n`;
  return Buffer.concat([...parts, noise, Buffer.from(end)]);
}

const catalog = "<</Type /Catalog\n/Pages 2 0 R\n/Lang (en)>>";
const tree = "<</Type /Pages\n/Count 26\n/Kids [3 0 R 9 0 R]>>";
const node = "<</Type /Pages\n/Count 8\n/Kids [4 0 R 9 0 R]\n/Parent 2 0 R>>";
const page = "<</Type /Page\n/Resources <</ProcSet [/PDF]\n/Font <</F4 4 0 R>>>>\n/MediaBox [0 0 595.5 842]\n/Parent 3 0 R>>";

test("a PDF's pages are counted from its structure, whatever 40 MB of texts surround it", () => {
  assert.deepEqual(pagesOf(pdfOf([catalog, tree, node, page], noiseOf(20_000_000))), { count: 26, width: 595.5 });
});

test("the pages of a file with another structure are unknown", () => {
  const pdf = pdfOf([catalog, tree, node, page]);
  const changed = (from: string, to: string) => {
    const copy = Buffer.from(pdf);
    copy.write(to, copy.lastIndexOf(from), "latin1");
    return copy;
  };
  for (const other of [
    Buffer.alloc(0),
    noiseOf(1_000),
    pdf.subarray(0, -10),
    changed("startxref", "startxxxx"),
    changed("xref\n0", "xxxx\n0"),
    changed("/Root 1 0 R", "/Root 7 0 R"),
    changed("trailer", "TRAILER"),
    pdfOf([tree, tree]),
    pdfOf([catalog, page]),
    pdfOf(["<</Type /Catalog\n/Pages 5 0 R>>", tree]),
  ])
    assert.equal(pagesOf(other), undefined);
  const endless = "<</Type /Pages\n/Count 3\n/Kids [2 0 R]>>";
  assert.deepEqual(pagesOf(pdfOf([catalog, endless])), { count: 3, width: Number.NaN });
});
