/** Drawing error images: an account that requests many gets only its share of the queue. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlaceholders, type Placeholder } from "../../src/storage/placeholder.ts";

const image = (quality: number): Placeholder => ({ width: 200, height: 100, format: "webp", quality, color: "#fff" });

test("an account that requests a hundred error images gets eight of them; another account's is drawn", async () => {
  const draw = createPlaceholders();
  const flood = Array.from({ length: 100 }, (_, index) => draw("a", image(1 + index)));
  assert.ok(await draw("b", image(1)));
  const drawn = await Promise.all(flood);
  assert.equal(drawn.filter((bytes) => bytes !== undefined).length, 8);
  assert.ok(await draw("a", image(50)), "again once they have been drawn");
});
