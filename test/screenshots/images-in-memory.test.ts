/** Images in memory: the most recently used ones, as many as fit. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createImagesInMemory, imageInMemoryBytesMax } from "../../src/screenshots/take/cache.ts";

const image = Buffer.alloc(100_000, "image");

test("memory holds as many images as its limit allows; the least recently used one is removed first", () => {
  const images = createImagesInMemory(350_000);
  for (const name of ["a", "b", "c"]) images.set(name, image);
  assert.equal(images.get("a"), image); // makes b the least recently used one
  images.set("d", image);
  assert.deepEqual(
    ["a", "b", "c", "d"].filter((name) => images.get(name)),
    ["a", "c", "d"],
  );
});

test("many tiny images don't exceed the limit, including overhead", () => {
  const images = createImagesInMemory(10_000);
  for (let index = 0; index < 1_000; index += 1) images.set(String(index), Buffer.alloc(1));
  assert.ok(images.size > 0 && images.size < 30, String(images.size));
});

test("an image that is too large is not cached, and doesn't evict any other", () => {
  const images = createImagesInMemory(10_000_000);
  images.set("small", image);
  images.set("too large", Buffer.alloc(imageInMemoryBytesMax + 1));
  images.set("large", Buffer.alloc(imageInMemoryBytesMax));
  assert.deepEqual([...images.keys()].sort(), ["large", "small"]);
});
