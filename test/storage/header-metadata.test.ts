/** Arbitrary text in an object's metadata. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { headerMetadata } from "../../src/storage/s3.ts";

test("truncated text still decodes to a prefix of the original, wherever it is cut", () => {
  const title = "日é😀 ".repeat(1000);
  for (let before = 0; before < 40; before += 1) {
    const headers = headerMetadata({ id: "x".repeat(before), title });
    const kept = decodeURI(headers.title ?? "");
    assert.ok(kept.length > 100 && title.startsWith(kept), `${before} characters before`);
    assert.ok(Object.entries(headers).flat().join("").length <= 1_800);
  }
});

test("names and values contain only characters allowed in headers", () => {
  const headers = headerMetadata({ "Tïtle: x\r\n": "a\r\nb: c\0  d\u007f", full: "y".repeat(5_000), after: "no room" });
  assert.deepEqual(Object.keys(headers), ["t-tle--x--", "full"]);
  for (const [name, value] of Object.entries(headers)) assert.match(`${name}${value}`, /^[\x21-\x7e]+$/);
});

test("empty entries are dropped", () => assert.deepEqual(headerMetadata({ empty: "", url: "a" }), { url: "a" }));
