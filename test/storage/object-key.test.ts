/** Object keys of stored images. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { contentTypes, extensions, type Format, formats } from "../../src/shared/formats.ts";
import { contentTypeOf, isImageId, objectKey } from "../../src/storage/link.ts";

const keys: [id: string, format: Format, key: string][] = [
  ["017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "jpeg", "screenshots/2022/02/22/017f22e2-79b0-7cc3-98c4-dc0c0c07398f.jpg"], // RFC 9562, A.6
  ["018cc251-f3ff-7000-8000-000000000000", "png", "screenshots/2023/12/31/018cc251-f3ff-7000-8000-000000000000.png"], // 23:59:59.999
  ["018cc251-f400-7000-bfff-ffffffffffff", "webp", "screenshots/2024/01/01/018cc251-f400-7000-bfff-ffffffffffff.webp"], // 1 ms later
  ["018cc251-f400-7000-bfff-ffffffffffff", "avif", "screenshots/2024/01/01/018cc251-f400-7000-bfff-ffffffffffff.avif"],
  ["00000000-0000-7000-8000-000000000000", "png", "screenshots/1970/01/01/00000000-0000-7000-8000-000000000000.png"],
];

for (const [id, format, key] of keys) {
  test(`${key}: the date comes from the id's timestamp, in UTC`, () => assert.equal(objectKey(id, format), key));
}

const strangers = [
  "",
  "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
  "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", // version 4
  "017f22e2-79b0-7cc3-18c4-dc0c0c07398f", // another variant
  "017f22e279b07cc398c4dc0c0c07398f",
  "017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n",
  "../../../etc/passwd",
  "017f22e2-79b0-7cc3-98c4-dc0c0c07398f/../x",
];

for (const id of strangers) {
  test(`${JSON.stringify(id)} is rejected as an id`, () => {
    assert.equal(isImageId(id), false);
    assert.throws(() => objectKey(id, "png"), TypeError);
  });
}

test("a key's content type is that of its format", () => {
  for (const format of formats) assert.equal(contentTypeOf(`x.${extensions[format]}`), contentTypes[format]);
});
