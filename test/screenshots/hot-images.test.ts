/** Pictures in memory: as many as fit, and those that are asked for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createHotPictures } from "../../src/screenshots/hot-images.ts";

const picture = Buffer.alloc(100_000, "picture");

test("memory holds as many pictures as its bytes allow, and gives up who was asked for longest ago", () => {
  const hot = createHotPictures(350_000);
  for (const name of ["a", "b", "c"]) hot.keep(name, picture);
  assert.equal(hot.get("a"), picture); // so that b is the one of longest ago
  hot.keep("d", picture);
  assert.deepEqual(
    ["a", "b", "c", "d"].filter((name) => hot.get(name)),
    ["a", "c", "d"],
  );
});

test("many tiny pictures don't fill memory with their entries", () => {
  const hot = createHotPictures(10_000);
  for (let index = 0; index < 1_000; index += 1) hot.keep(String(index), Buffer.alloc(1));
  const kept = Array.from({ length: 1_000 }, (_, index) => hot.get(String(index))).filter(Boolean).length;
  assert.ok(kept > 0 && kept < 30, String(kept));
});

test("a large picture is not kept, and takes nobody's place", () => {
  const hot = createHotPictures(10_000_000);
  hot.keep("small", picture);
  hot.keep("large", Buffer.alloc(hot.pictureBytesMax + 1));
  hot.keep("largest", Buffer.alloc(hot.pictureBytesMax));
  assert.equal(hot.get("large"), undefined);
  assert.ok(hot.get("small"));
  assert.ok(hot.get("largest"));
});

test("a picture that is forgotten is gone", () => {
  const hot = createHotPictures(1_000_000);
  hot.keep("a", picture);
  hot.forget("a");
  assert.equal(hot.get("a"), undefined);
});
