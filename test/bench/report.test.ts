/** How the benchmark's measurements are reported. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { median, percentile } from "../../bench/measure/statistics.ts";
import { withFigures } from "../../bench/report/document.ts";
import { barChart } from "../../bench/report/svg.ts";
import { asMarkdown, asText } from "../../bench/report/table.ts";
import { failuresOf, flawsOf } from "../../bench/sections/flaws.ts";
import { ratioToRaw } from "../../bench/sections/ratio.ts";

test("medians and percentiles", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(percentile([10, 20, 30, 40, 50], 95), 48);
  assert.ok(Number.isNaN(median([])));
});

test("a ratio is the median over the slices of the same round and page", () => {
  const turn = (contender: string, page: string, round: number, rate: number) => ({ contender, page, network: "fast", round, rate });
  const turns = [
    ...[turn("raw", "a", 0, 10), turn("raw", "a", 1, 20), turn("raw", "b", 0, 100)],
    ...[turn("it", "a", 0, 5), turn("it", "a", 1, 5), turn("it", "b", 0, 90), turn("it", "b", 1, 1)],
  ];
  assert.equal(
    ratioToRaw(turns, "it", ({ rate }) => rate),
    0.5, // of 0.5, 0.25 and 0.9; the last slice has no counterpart in raw
  );
});

test("failures are listed once per kind, with their number", () => {
  const answer = (status: number, body: string) => ({ status, headers: {}, body: Buffer.from(body), ms: 1 });
  const answers = [answer(500, "no"), answer(200, "a picture"), answer(0, "hung up"), answer(500, "no")];
  assert.deepEqual(flawsOf([failuresOf("raw", "blog", answers), failuresOf("bare", "blog", [answer(200, "a picture")])]), [
    "raw, blog: 500 no ×2",
    "raw, blog: 0 hung up ×1",
  ]);
});

test("figures replace only the text between the document's markers", () => {
  const document = "before\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nafter\n";
  const once = withFigures(document, "new");
  assert.equal(once, "before\n<!-- figures: begin -->\n\nnew\n\n<!-- figures: end -->\nafter\n");
  assert.equal(withFigures(once, "new"), once);
  assert.throws(() => withFigures("no marks", "new"), /lacks the section/);
});

test("tables are formatted as aligned text, and as Markdown with escaped bars", () => {
  const table = {
    title: "Title",
    columns: ["", "rate"],
    rows: [
      ["raw", "1.0"],
      ["a|b", "10.0"],
    ],
  };
  assert.equal(asText(table), ["Title", "     rate", "───  ────", "raw   1.0", "a|b  10.0"].join("\n"));
  assert.match(asMarkdown(table), /^\| a\\\|b \| 10\.0 \|$/m);
});

test("a bar's length is proportional to its value, and text is escaped", () => {
  const svg = barChart([
    {
      title: "A < B",
      unit: "ratio",
      bars: [
        { label: "half", value: 1 },
        { label: "whole", value: 2 },
        { label: "none", value: Number.NaN },
      ],
    },
  ]);
  const [half, whole, ...others] = [...svg.matchAll(/class="bar" [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
  assert.equal(Math.round(whole ?? 0), Math.round(2 * (half ?? 0)));
  assert.equal(others.length, 0);
  assert.match(svg, /A &lt; B/);
});
