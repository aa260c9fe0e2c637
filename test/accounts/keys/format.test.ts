/** The format of keys. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { generateKey, hashKey, isWellFormedKey, keyHint } from "../../../src/accounts/keys/authenticate.ts";

test("a new key consists of its prefix and 36 base62 characters, and is unique", () => {
  const keys = Array.from({ length: 200 }, () => generateKey("ss"));
  for (const key of keys) assert.match(key, /^ss_[0-9A-Za-z]{36}$/);
  assert.equal(new Set(keys).size, keys.length);
});

test("a new key is well formed, whatever its prefix", () => {
  for (const prefix of ["ss", "a", "tintype_live", "k9_x_y2", "a".repeat(20)])
    assert.equal(isWellFormedKey(generateKey(prefix)), true, prefix);
});

test("an invalid key prefix is rejected", () => {
  for (const prefix of ["", "SS", "9a", "a__b", "a_", "_a", "a-b", "a".repeat(21)])
    assert.throws(() => generateKey(prefix), /prefix/, prefix);
});

test("changing any single character makes a key malformed", () => {
  const key = generateKey("tt_live");
  for (let index = 0; index < key.length; index++) {
    const changed = `${key.slice(0, index)}${key[index] === "x" ? "y" : "x"}${key.slice(index + 1)}`;
    assert.equal(isWellFormedKey(changed), false, `position ${index}`);
  }
});

test("text that is not a key is malformed", () => {
  const key = generateKey("ss");
  const tail = key.slice(3);
  for (const text of [
    "",
    "_",
    "ss_",
    "ss",
    tail,
    `_${tail}`,
    ` ${key}`,
    `${key}\n`,
    `${key}0`,
    key.slice(0, -1),
    key.toUpperCase(),
    `${key}_${key}`,
    "ä".repeat(39),
    "x".repeat(1e6),
  ]) {
    assert.equal(isWellFormedKey(text), false, text.slice(0, 60));
  }
});

test("existing keys stay well formed: the checksum never changes", () => {
  // The CRC-32 of "ss_000000000000000000000000000000" is 320276287, computed independently of this code.
  const body = "ss_000000000000000000000000000000";
  assert.equal(isWellFormedKey(`${body}0LfqUZ`), true);
});

test("the hash is SHA-256 of the whole key", () => {
  const key = generateKey("ss");
  assert.deepEqual(hashKey(key), createHash("sha256").update(key, "utf8").digest());
});

test("the hint shows the prefix and the first and last four characters", () => {
  assert.equal(keyHint("ss_Ab12cdefghijklmnopqrstuvwxyz012345x9Zk"), "ss_Ab12…x9Zk");
  assert.equal(keyHint("tt_live_Ab12cdefghijklmnopqrstuvwxyz012345x9Zk"), "tt_live_Ab12…x9Zk");
});
