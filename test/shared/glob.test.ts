import assert from "node:assert/strict";
import { test } from "node:test";
import { glob } from "../../src/shared/glob.ts";
import { assertLinear } from "../support/linear.ts";

/** A part that almost occurs at each position of a text of the same letters. */
const nearly = (length: number) => `${"a".repeat(length * 0.4)}c${"a".repeat(length * 0.6)}`;

test("long parts are found where short ones are", () => {
  for (const part of ["b", "ab", "aab", "aabaab", "abacabad", "ababab"]) {
    const long = part.repeat(Math.ceil(201 / part.length));
    for (const text of [`${long}`, `aa${long}`, `${long.slice(1)}${long}`, `${long.slice(0, -1)}c${long}d`, `${long}${long}`]) {
      assert.ok(glob(`*${long}*`, text), `${part} in ${text}`);
      assert.equal(glob(`*${long}*${long}*`, text), text === long + long);
      assert.ok(!glob(`*${long}e*`, text));
    }
  }
});

test("the time grows with the pattern and the text, whatever they repeat", () => {
  assertLinear((text) => glob(`/*${nearly(text.length / 2)}*`, `/${text}`), "a");
  assertLinear((text) => glob(`/*${"b".padEnd(text.length / 2, "a")}*`, `/${text}`), "a");
  assertLinear((text) => glob(`/${"*a".repeat(text.length / 2)}*c*`, `/${text}`), "a");
});
