/** Comparisons of what hostile pages and callers send: each ends, and within its bounds. */

import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { compare } from "../../src/comparison/compare.ts";
import type { ElementList, TreeNode } from "../../src/comparison/comparison.ts";
import { drawDifference } from "../../src/comparison/draw-difference.ts";

const box = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });

async function image(width: number, height: number, ...boxes: { x: number; y: number; width: number; height: number }[]): Promise<Buffer> {
  const black = await sharp({ create: { width: 10, height: 10, channels: 3, background: "#000" } })
    .png()
    .toBuffer();
  const parts = boxes.map(({ x, y }) => ({ input: black, left: x, top: y }));
  return await sharp({ create: { width, height, channels: 3, background: "#fff" } })
    .composite(parts)
    .png()
    .toBuffer();
}

/** As many elements, each in the one before. */
function nested(depth: number, text: string): ElementList {
  const tree = Array.from({ length: depth }, (_, at): TreeNode => {
    const selector = at === 0 ? "body" : `div:nth-child(${at})`;
    return {
      selector,
      tag: at === 0 ? "body" : "div",
      id: null,
      classes: [],
      nth: 1,
      parent: at === 0 ? null : at - 1,
      alt: null,
      src: null,
      box: box(0, 0, 100, 100),
    };
  });
  const last = { role: "text", name: text, tag: "div", text, href: null, box: box(10, 10, 40, 20), selector: "div.last", node: depth - 1 };
  return { width: 100, height: 100, elements: [last], tree };
}

test("selectors that fit deeply nested elements in very many ways are found", async () => {
  const blank = await image(100, 100);
  const other = await image(100, 100, box(50, 50, 10, 10));
  const selectors = [`p ${"div ".repeat(100)}`, `p > ${"div > ".repeat(100)}div`, `p ${"* ".repeat(100)}`];
  const by = (ignored: string[]) =>
    compare(
      { image: blank, elements: nested(400, "19 €") },
      { image: other, elements: nested(400, "21 €") },
      { by: "text", threshold: 0, ignore: { boxes: [], selectors: ignored } },
    );
  assert.equal((await by(selectors)).isChanged, true, "no element is in a p");
  assert.equal((await by([`body ${"div ".repeat(100)}`])).isChanged, false);
});

test("the differences of an image with more rows than an SVG can have are drawn at their places", async () => {
  const height = 60_000;
  const [one, other] = [
    await image(20, height),
    await image(20, height, box(5, 100, 10, 10), box(5, 32_760, 10, 10), box(5, 59_900, 10, 10)),
  ];
  const comparison = await compare({ image: one }, { image: other }, { by: "both", threshold: 0, ignore: { boxes: [], selectors: [] } });
  assert.equal(comparison.regions.length, 3);
  const { data, info } = await sharp(await drawDifference(other, comparison), { limitInputPixels: false })
    .raw()
    .toBuffer({ resolveWithObject: true });
  assert.deepEqual([info.width, info.height], [20, height]);
  const at = (x: number, y: number) => [...data.subarray((y * 20 + x) * info.channels, (y * 20 + x) * info.channels + 3)];
  for (const y of [105, 32_765, 59_905]) assert.ok((at(10, y)[0] ?? 255) < 60, `not dimmed at ${y}: ${at(10, y)}`);
  for (const y of [98, 32_758, 59_898]) assert.notDeepEqual(at(10, y), [255, 255, 255], `framed at ${y}`);
});
