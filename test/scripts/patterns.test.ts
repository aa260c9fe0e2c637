/** `npm run check` finds regular expressions that take more than linear time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { superLinear } from "../../scripts/patterns/linear.ts";
import { problemsIn } from "../../scripts/patterns.ts";

test("patterns that take quadratic or exponential time are found", () => {
  const slow: RegExp[] = [
    /[A-Za-z0-9]+_[A-Za-z0-9]{30,}/g, // is retried at each letter
    /(\d+(?:\.\d+)?) ?([a-z]+)/g,
    /x+$/,
    /\s+$/,
    /-([x-]+)$/i,
    /%.*$/,
    /(^|\.)a\.[a-z.]+$/, // the same after a prefix that is read again
    /a(.*c)?/g, // read to the end for each match
    /(?=.*x)/,
    /^\s*a?\s*$/, // two loops for the same spaces
    /^(\w+\s?)*$/,
    /^(a|a)*$/,
    /^(a*)*$/,
    /^(?:(?:ab)*|(?:aba)*b)*$/,
    /^(?:a|b|ab)*c/,
    /(?:a(?=a*c)?)*/,
    /a(?:a*c)?/gy,
    /^.*a.*b$/s,
    /\u00e4+\W+\u00fc$/iu,
  ];
  for (const { source, flags } of slow) assert.match(superLinear(source, flags) ?? "", /quadratic|exponential/, source);
});

test("patterns that take linear time are not reported", () => {
  const quick: RegExp[] = [
    /^\s+$/,
    /\w+/g,
    /_[A-Za-z0-9]{30}/,
    /(\d+(?:\.\d+)?) ?([a-z]+)/gy,
    /(?<!\.)\.+$/,
    /^(?:[^"\\]|\\.)*$/s,
    /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/,
    /\bChrom(?:e|ium)\/(\d+)[\d.]*/,
    /^https?:\/\/((?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?)(?=[/?]|$)/i,
    /[#.][\w-]+|:first-child/g,
    /^(?:a?)*$/,
    /<[^<>]*>/g,
    /"[^"]*"/g,
  ];
  for (const { source, flags } of quick) assert.equal(superLinear(source, flags), undefined, source);
});

test("patterns that can't be checked are problems", () => {
  for (const { source, flags } of [/(a+)\1/, /(?<=a.*)b/]) assert.match(superLinear(source, flags) ?? "", /which/, source);
});

test("patterns are found as literals and as constants, and every listed exception must be needed", () => {
  const text = `const word = "[a-z]+";
const list = ["a", "b"] as const;
const one = /x+$/;
const two = new RegExp(\`\${word}$\`);
const three = new RegExp(\`^(\${list.join("|")})*$\`, "i");
const four = new RegExp(given);
const five = new RegExp(\`^\${two.source}\`);
function of(other: string) { return new RegExp(\`^\${one.source}\${other}\`); }
`;
  const files = [{ path: "src/a.ts", text }];
  const lines = (problems: string[]) => problems.map((problem) => Number(problem.split(":")[1]));
  assert.deepEqual(lines(problemsIn(files, [])), [3, 4, 6, 8]);
  const exception = { file: "src/a.ts", pattern: "/x+$/", reason: "it is short" };
  assert.deepEqual(lines(problemsIn(files, [exception])), [4, 6, 8]);
  const [last] = problemsIn(files, [exception, { ...exception, pattern: "/y" }]).slice(-1);
  assert.equal(last, "scripts/patterns.ts: no exception is needed for /y in src/a.ts");
});
