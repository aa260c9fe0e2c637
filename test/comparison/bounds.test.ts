/** Comparisons of input from hostile pages and callers: each ends within its limits. */

import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { compare } from "../../src/comparison/compare.ts";
import { type CompareOptions, type ElementList, isElementsOf, type TreeNode } from "../../src/comparison/comparison.ts";
import { drawDifference } from "../../src/comparison/draw-difference.ts";
import { longOnly } from "../support/long-only.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

const longTest = longOnly(test);

/** A turn of the event loop takes a few milliseconds; copying both images in one takes 50 ms. */
const handingMaxMs = 25;

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

/** `depth` elements, each inside the previous one. */
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

test("selectors that match deeply nested elements in very many ways are resolved", async () => {
  const blank = await image(100, 100);
  const other = await image(100, 100, box(50, 50, 10, 10));
  const selectors = [`p ${"div ".repeat(100)}`, `p > ${"div > ".repeat(100)}div`, `p ${"* ".repeat(100)}`];
  const by = (ignored: string[]) =>
    compare(
      { image: blank, elements: nested(400, "19 €") },
      { image: other, elements: nested(400, "21 €") },
      { by: "text", threshold: 0, ignore: { boxes: [], selectors: ignored } },
    );
  assert.equal((await by(selectors)).isChanged, true, "no element is inside a p");
  assert.equal((await by([`body ${"div ".repeat(100)}`])).isChanged, false);
});

test("a page's long texts and selectors don't make the result long", async () => {
  const blank = await image(100, 100);
  const paragraphs = (count: number, text: string, selector = "p"): ElementList => {
    const tree = nested(2, "").tree ?? [];
    const elements = Array.from({ length: count }, (_, at) => {
      const about = { tag: "p", box: box(at % 90, at % 80, 9, 9), selector: `${selector}:nth-child(${at + 1})` };
      tree.push({ ...(tree[0] as TreeNode), ...about, nth: at + 1, parent: 1 });
      return { ...about, role: "text", name: "", text: `${at}${text}`, href: null, node: at + 2 };
    });
    return { width: 100, height: 100, elements, tree };
  };
  const lengthBetween = async (before: ElementList, after: ElementList) => {
    const options: CompareOptions = { by: "text", threshold: 0, ignore: { boxes: [], selectors: [] } };
    const { regions } = await compare({ image: blank, elements: before }, { image: blank, elements: after }, options);
    assert.ok(regions.length > 0);
    return JSON.stringify(regions).length;
  };
  assert.ok((await lengthBetween(paragraphs(0, ""), paragraphs(1_000, " long text".repeat(29)))) < 5_000, "all texts in a region");
  const long = " ".concat("lorem ".repeat(160));
  const apart = (text: string) => {
    const list = paragraphs(100, text, `x-${"y".repeat(1_900)} > p`);
    for (const [at, { box: place }] of list.elements.entries())
      Object.assign(place, { x: (at % 10) * 10, y: Math.floor(at / 10) * 10, width: 4, height: 4 });
    return list;
  };
  assert.ok((await lengthBetween(apart(`${long}a`), apart(`${long}b`))) < 100_000, "a hundred regions with long texts");
  const selector = `x-${"y".repeat(20_000)} > p`;
  assert.ok((await lengthBetween(paragraphs(50, " text", selector), paragraphs(50, " texts", selector))) < 50_000, "many long selectors");
});

test("images of 48 MB are passed to the comparison over several turns of the event loop, and stay unchanged", async () => {
  const large = await sharp({ create: { width: 4_000, height: 3_000, channels: 4, background: "#fff8" } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const [before, after] = [{ image: large }, { image: Buffer.from(large) }];
  const { ms, result } = await longestTurnAtBest(
    () => compare(before, after, { by: "both", threshold: 0, ignore: { boxes: [], selectors: [] } }),
    handingMaxMs,
  );
  assert.equal(result.isChanged, false);
  assert.ok(ms < handingMaxMs, `a turn of the event loop took ${ms} ms`);
  assert.ok(before.image.equals(after.image) && large.length > 48e6);
});

test("differences in an image with more rows than an SVG supports are drawn in place", async () => {
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

/** Colored bars on white: x, y, width, height and color of each. */
async function bars(height: number, ...list: [number, number, number, number, string][]): Promise<Buffer> {
  const drawn = list
    .map(([x, y, width, bar, colour]) => `<rect x="${x}" y="${y}" width="${width}" height="${bar}" fill="${colour}"/>`)
    .join("");
  const source = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="${height}"><rect width="200" height="${height}" fill="#fff"/>${drawn}</svg>`;
  return await sharp(Buffer.from(source)).png().toBuffer();
}

test("region boxes are clipped to the images, even for content that came from beyond the edge", async () => {
  const before = await bars(228, [10, 0, 71, 36, "#0a0"]);
  const after = await bars(228, [10, 54, 71, 36, "#0a0"], [106, 19, 99, 45, "#0a0"]);
  const { regions } = await compare(
    { image: before },
    { image: after },
    { by: "both", threshold: 0, ignore: { boxes: [], selectors: [] } },
  );
  assert.ok(regions.length > 0);
  for (const { kind, before, after } of regions) {
    for (const one of [before, after])
      if (one) assert.ok(one.x >= 0 && one.y >= 0 && one.x + one.width <= 200 && one.y + one.height <= 228, JSON.stringify(one));
    assert.deepEqual([before === null, after === null], [kind === "added", kind === "removed"], kind);
  }
});

test("an ignored box with fractional bounds excludes exactly the pixels that it touches", async () => {
  const [one, other] = [await image(400, 300), await image(400, 300, box(20, 140, 10, 10))];
  const changedWithout = async (ignored: { x: number; y: number; width: number; height: number }) =>
    (await compare({ image: one }, { image: other }, { by: "both", threshold: 0, ignore: { boxes: [ignored], selectors: [] } })).isChanged;
  assert.equal(await changedWithout(box(20.5, 140.5, 9, 9)), false);
  assert.equal(await changedWithout(box(220.5, 140.5, 9, 9)), true);
});

longTest("stored elements are parsed by the worker thread", async () => {
  const blank = await image(100, 100);
  const stored = (text: string) => Buffer.from(JSON.stringify(nested(3, text + "\u0001".repeat(5_000_000))));
  const [before, after] = [stored("19 €"), stored("21 €")];
  assert.ok(isElementsOf(before, { width: 100, height: 100 }));
  assert.ok(!isElementsOf(before, { width: 100, height: 1000 }));
  const options: CompareOptions = { by: "text", threshold: 0, ignore: { boxes: [], selectors: [] } };
  const { result, ms } = await longestTurnAtBest(() =>
    compare({ image: blank, elements: before }, { image: blank, elements: after }, options),
  );
  assert.equal(result.isChanged, true);
  assert.ok(ms < 100, `${ms} ms`);
});
