/** What a page can make of the page clock's expressions. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { advancedFrom, createClockScript } from "../../src/capture/clock-script.ts";

const script = createClockScript(0);
const handle = /_[0-9a-f]{16}/.exec(script.advance(0, 1, 1))?.[0] ?? "";

/** Evaluates each expression in a page that has defined the clock's global itself. */
async function resultsWith(pageScript: string): Promise<unknown[]> {
  const page = createContext({});
  runInContext(pageScript.replaceAll("HANDLE", handle), page);
  return await Promise.all([script.advance(0, 1, 1), script.startedWorkers, script.holdDate].map((one) => runInContext(one, page)));
}

test("the clock's expressions resolve with a number, a short string or undefined, whatever the page has defined", async () => {
  const all = (value: string) => `var HANDLE = { advance: () => ${value}, startedWorkers: () => ${value}, holdDate: () => ${value} };`;
  const nothing = [undefined, undefined, undefined];
  assert.deepEqual(await resultsWith(""), nothing);
  assert.deepEqual(await resultsWith(all('"null true false 2"')), Array(3).fill("null true false 2"));
  assert.deepEqual(await resultsWith(all("3")), [3, 3, 3]);
  for (const value of [
    "({ next: 5 })",
    "[1, 2]",
    '"x".repeat(1e6)',
    "2n ** 90000n",
    "Symbol('x')",
    "new String('x')",
    "({ then: (resolve) => resolve({ large: 1 }) })",
    "({ then: (resolve) => resolve('x'.repeat(1e6)) })",
    "Promise.reject('x'.repeat(1e6))",
    "{ throw 'x'.repeat(1e6) }",
  ])
    assert.deepEqual(await resultsWith(all(value)), nothing, value);
});

test("a clock's answer is read exactly, and any other is none", () => {
  assert.deepEqual(advancedFrom("null true false 2"), { next: null, ran: true, isLate: false, workers: 2 });
  assert.deepEqual(advancedFrom("16.666666666666668 false true 0"), { next: 16.666666666666668, ran: false, isLate: true, workers: 0 });
  assert.deepEqual(advancedFrom("1e-7 false false -1"), { next: 1e-7, ran: false, isLate: false, workers: -1 });
  for (const other of [
    undefined,
    7,
    {},
    "",
    "NaN true true 0",
    "Infinity true true 0",
    "1e999 true true 0",
    "1 true true 1e9",
    "1 true true 0 ",
    "1 yes true 0",
  ])
    assert.equal(advancedFrom(other), undefined, String(other));
});
