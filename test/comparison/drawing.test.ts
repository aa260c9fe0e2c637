/** `compare` and `drawDifference` with images drawn by the tests; pages.test.ts uses pages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { compare } from "../../src/comparison/compare.ts";
import { drawDifference } from "../../src/comparison/draw-difference.ts";

const options = { by: "both", threshold: 0, ignore: { boxes: [], selectors: [] } } as const;

/** White, with black boxes. */
async function image(...boxes: [x: number, y: number, width: number, height: number][]): Promise<Buffer> {
  const drawn = boxes.map(([x, y, width, height]) => `<rect x="${x}" y="${y}" width="${width}" height="${height}"/>`).join("");
  const source = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="#fff"/>${drawn}</svg>`;
  return await sharp(Buffer.from(source)).png().toBuffer();
}

test("identical images have no changes", async () => {
  const one = await image([20, 20, 50, 30]);
  const { isChanged, changedShare, regions } = await compare(
    { image: one },
    { image: one },
    { ...options, ignore: { boxes: [], selectors: [] } },
  );
  assert.deepEqual([isChanged, changedShare, regions], [false, 0, []]);
});

test("an added box is one region, drawn with a frame on the dimmed image", async () => {
  const [one, other] = [await image([20, 20, 50, 30]), await image([20, 20, 50, 30], [200, 150, 60, 40])];
  const comparison = await compare({ image: one }, { image: other }, { ...options, ignore: { boxes: [], selectors: [] } });
  assert.equal(comparison.isChanged, true);
  assert.equal(comparison.changedShare, (60 * 40) / (400 * 300));
  assert.deepEqual(
    comparison.regions.map(({ after }) => after),
    [{ x: 200, y: 150, width: 60, height: 40 }],
  );
  const drawn = await sharp(await drawDifference(other, comparison))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...drawn.data.subarray((y * 400 + x) * drawn.info.channels, (y * 400 + x) * drawn.info.channels + 3),
  ];
  assert.deepEqual(at(30, 30), [153, 153, 153], "dimmed");
  assert.ok((at(230, 170)[0] ?? 255) < 40, "not dimmed");
  assert.notDeepEqual(at(200, 150), [255, 255, 255], "framed");
});

test("changes in an ignored box don't count", async () => {
  const [one, other] = [await image(), await image([200, 150, 60, 40])];
  const ignore = { boxes: [{ x: 190, y: 140, width: 80, height: 60 }], selectors: [] };
  const { isChanged, changedShare } = await compare({ image: one }, { image: other }, { ...options, ignore });
  assert.deepEqual([isChanged, changedShare], [false, 0]);
});

test("threshold: a smaller share of changed pixels is not a change, but its region is still listed", async () => {
  const [one, other] = [await image(), await image([200, 150, 60, 40])];
  const ignore = { boxes: [], selectors: [] };
  const { isChanged, regions } = await compare({ image: one }, { image: other }, { ...options, ignore, threshold: 0.05 });
  assert.deepEqual([isChanged, regions.length], [false, 1]);
});

test("an image that can't be decoded fails only its own comparison", async () => {
  const one = await image([20, 20, 50, 30]);
  const ignore = { boxes: [], selectors: [] };
  const broken = compare({ image: one }, { image: Buffer.from("no image") }, { ...options, ignore });
  const next = compare({ image: one }, { image: await image() }, { ...options, ignore });
  await assert.rejects(broken, /unsupported image format/);
  assert.equal((await next).isChanged, true);
});

test("the intersection of overlapping regions is not dimmed", async () => {
  const size = { width: 400, height: 300 };
  const region = (x: number, y: number, width: number, height: number) =>
    ({
      kind: "changed",
      before: null,
      after: { x, y, width, height },
      selector: null,
      name: "",
      textBefore: null,
      textAfter: null,
    }) as const;
  const regions = [region(100, 100, 100, 100), region(150, 150, 100, 100), region(120, 120, 20, 20)];
  const drawn = await drawDifference(await image([90, 90, 200, 200]), {
    isChanged: true,
    changedShare: 1,
    sizeBefore: size,
    sizeAfter: size,
    regions,
  });
  const { data, info } = await sharp(drawn).raw().toBuffer({ resolveWithObject: true });
  const isDimmed = (x: number, y: number) => (data[(y * 400 + x) * info.channels + 2] ?? 0) > 100;
  for (const [x, y] of [
    [110, 110],
    [175, 175],
    [240, 240],
    [130, 130],
  ] as const)
    assert.equal(isDimmed(x, y), false, `${x}, ${y}`);
  for (const [x, y] of [
    [94, 150],
    [220, 110],
    [110, 220],
    [260, 260],
  ] as const)
    assert.equal(isDimmed(x, y), true, `${x}, ${y}`);
});
