/** Parsed options are reused only for the same query from the same account. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createQuery } from "../../../src/http/input/request-target.ts";
import { createTakeRequestParser } from "../../../src/http/screenshots/take.ts";
import { createTakeSchema } from "../../../src/screenshots/take/take-options.ts";
import { AppError } from "../../../src/shared/errors.ts";
import { longOnly } from "../../support/long-only.ts";
import { limits } from "../limits.ts";

const longTest = longOnly(test);
const schema = createTakeSchema(limits);
const page = "url=https%3A%2F%2Fexample.com%2F";

function reader() {
  const read = createTakeRequestParser(schema, ["api_key"]);
  return (query: string, account = "an account") => read(account, createQuery(query));
}

test("the same query of an account is parsed once, whichever key is sent with it", () => {
  const read = reader();
  const asked = read(`api_key=ss_one&${page}&width=300&nonsense=1`);
  assert.equal(asked.options.width, 300);
  assert.match(asked.warnings.join(), /nonsense/);
  for (const same of [`api_key=ss_one&${page}&width=300&nonsense=1`, `api_key=ss_other&${page}&width=300&nonsense=1`])
    assert.equal(read(same), asked);
});

test("a query parsed for one account is not reused for another", () => {
  const read = reader();
  const asked = read(page);
  const others = read(page, "another account");
  assert.notEqual(others, asked);
  assert.deepEqual(others, asked);
});

test("api_key is part of the cached query if it isn't the key", () => {
  const read = createTakeRequestParser(schema, []);
  const withKey = read("an account", createQuery(`api_key=a&${page}`));
  const without = read("an account", createQuery(`&${page}`));
  assert.deepEqual([withKey.warnings, without.warnings], [["unknown parameter api_key was ignored"], []]);
});

test("different query texts are parsed separately; equivalent ones have the same identity", () => {
  const read = reader();
  const asked = read(`${page}&width=300`);
  const same = read(`width=+300&${page}`);
  assert.notEqual(same, asked);
  assert.deepEqual(same.identity, asked.identity);
  for (const other of [`${page}&width=301`, `${page}&width=300&api_keys=x&full_page=1`, `${page}&width=300&not_api_key=x&height=9`])
    assert.notDeepEqual(read(other).identity, asked.identity, other);
});

test("a request with a secret is private every time", () => {
  const read = reader();
  for (const _ of [1, 2]) assert.equal(read(`${page}&cookies=session%3D1`).isPrivate, true);
  for (const _ of [1, 2]) assert.equal(read(page).isPrivate, false);
});

test("an invalid query is rejected every time", () => {
  const read = reader();
  for (const _ of [1, 2]) assert.throws(() => read(`${page}&width=wide`), AppError);
});

test("a cached result is frozen", () => {
  const { options } = reader()(`${page}&cookies=a%3D1`);
  assert.throws(() => Object.assign(options, { width: 1 }), TypeError);
  assert.throws(() => options.cookies?.push({} as never), TypeError);
});

longTest("the cache is bounded: not all of ten thousand different queries are kept", () => {
  const read = reader();
  const first = read(`${page}&cache_key=first`);
  assert.equal(read(`${page}&cache_key=first`), first);
  for (let index = 0; index < 10_000; index += 1) read(`${page}&cache_key=k${index}`);
  assert.notEqual(read(`${page}&cache_key=first`), first);
});
