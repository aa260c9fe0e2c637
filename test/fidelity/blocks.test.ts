/** How the fidelity suite compares an image with its reference. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksIn, compare } from "../../fidelity/blocks.ts";
import { blankImage, type Image } from "../../fidelity/images.ts";

/** A white image of 4 × 4 blocks with black lines across the blocks at `positions`, which are in blocks. */
function imageWith(positions: [x: number, y: number][], height = 64): Image {
  const image = blankImage(64, height);
  for (const [x, y] of positions)
    for (let line = 0; line < 16; line += 2)
      for (let across = 0; across < 16; across += 1)
        image.pixels.fill(0, ((y * 16 + line) * 64 + x * 16 + across) * 4, ((y * 16 + line) * 64 + x * 16 + across) * 4 + 3);
  return image;
}

test("share: only non-empty blocks of the reference count", () => {
  const reference = imageWith([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  const { counted, share, extra } = compare(
    reference,
    new Set(),
    imageWith([
      [0, 0],
      [1, 1],
      [2, 2],
    ]),
  );
  assert.deepEqual({ counted, share, extra: extra.size }, { counted: 4, share: 0.75, extra: 0 });
});

test("extra: content that the reference doesn't show", () => {
  const { share, extra } = compare(imageWith([[0, 0]]), new Set(), imageWith([[0, 0], [2, 1]])); // biome-ignore format: one line reads better
  assert.deepEqual({ share, extra: [...extra] }, { share: 1, extra: [6] });
});

test("unstable blocks don't count", () => {
  const { counted, extra } = compare(imageWith([[0, 0]]), blocksIn(64, { x: 0, y: 0, width: 64, height: 32 }), imageWith([[2, 1]]));
  assert.deepEqual({ counted, extra: extra.size }, { counted: 0, extra: 0 });
});

test("holes: unstable blocks that show nothing are counted separately", () => {
  const unsure = blocksIn(64, { x: 0, y: 0, width: 64, height: 32 });
  const reference = imageWith([[0, 0], [1, 0]]); // biome-ignore format: one line reads better
  assert.equal(compare(reference, unsure, imageWith([[0, 0]])).holes, 0.5);
  assert.equal(compare(reference, new Set(), imageWith([])).holes, 0);
});

test("content missing from a shorter image counts as wrong", () => {
  const { share, tallerBy } = compare(imageWith([[0, 0], [0, 3]]), new Set(), imageWith([[0, 0]], 32)); // biome-ignore format: one line reads better
  assert.deepEqual({ share, tallerBy }, { share: 0.5, tallerBy: -32 });
});
