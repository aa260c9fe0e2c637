/** Long untrusted texts are parsed in linear time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toSeconds } from "../../../src/http/compat/conversions.ts";
import { createJsonBody } from "../../../src/http/input/json-body.ts";
import { jsonProblem } from "../../../src/http/input/json-error.ts";
import { loggedPathOf } from "../../../src/http/input/request-target.ts";
import { createOptionsReader, parameterSchemas } from "../../../src/http/input/validation.ts";
import { readParameter } from "../../../src/http/input/values.ts";
import { operations } from "../../../src/http/openapi/operations.ts";
import { createTakeSchema } from "../../../src/screenshots/take/take-options.ts";
import { assertLinear } from "../../support/linear.ts";
import { longOnly } from "../../support/long-only.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { limits } from "../limits.ts";

const longTest = longOnly(test);

test("the path of a request is logged in linear time", () => {
  for (const repeated of ["A", "A_", "A/", "_", "/", "%", "."]) assertLinear((text) => loggedPathOf({ url: `/${text}` }), repeated);
});

test("a logged path contains no key, and a long path is cut between segments", () => {
  const key = `tintype_${"A1b2".repeat(9)}`;
  const cases: [string, string][] = [
    ["/v1/screenshots/take?url=a", "/v1/screenshots/take"],
    [`/get/auth/${key}/width/600`, "/get/auth/…/width/600"],
    [`/${key}`, "/…"],
    [`/a-${key}.png%20`, "/a-….png…"],
    ["/v1/x%3Fapi_key=1", "/v1/x…"],
    [`/docs/${"a".repeat(1_000)}`, "/docs/…"],
    [`${"/a".repeat(240)}/${key}`, `${"/a".repeat(240)}/…`],
    ["a".repeat(1_000), "…"],
  ];
  for (const [url, logged] of cases) assert.equal(loggedPathOf({ url }), logged);
});

test("durations are parsed in linear time", () => {
  for (const repeated of ["1", "1a", "1 ", "a", " ", "1.", "."])
    for (const after of ["", "!", "s"]) assertLinear(toSeconds, repeated, { after });
});

test("JSON syntax errors are found in linear time, consistently with the parser", () => {
  const cases: [string, string][] = [
    ["{url: 1}", " at line 1, column 2: a name in double quotes, or } was expected"],
    ['{"a": 1,}', " at line 1, column 9: a name in double quotes was expected"],
    ["{\n  \"a\": 'b'}", " at line 2, column 8: a value was expected"],
    ['{"a" 1}', " at line 1, column 6: a colon was expected"],
    ['{"a": "b\n"}', " at line 1, column 9: a line break or control character in text must be escaped, for example as \\n"],
    ['{"a": "\\d"}', " at line 1, column 8: a backslash in text must be doubled, or begin an escape such as \\n"],
    ['{"a": 1} }', " at line 1, column 10: nothing more was expected"],
    ['{"a": "b', " at line 1, column 7: the text that begins here has no closing quote"],
  ];
  for (const [text, problem] of cases) assert.equal(jsonProblem(text), problem);
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const changed = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom("", ..."{}[],:\"'\\ \n01.-eEtu"));
  fc.assert(
    fc.property(changed, ([json, at, by]) => {
      const text = json.slice(0, at % (json.length + 1)) + by + json.slice((at % (json.length + 1)) + (at % 2));
      assert.equal(jsonProblem(text) === undefined, isJson(text), text);
    }),
    { numRuns: 1_000 },
  );
  for (const repeated of ["[", '"', "1", "1.", "\\", " ", "\n", '{"a":', "[1,"])
    for (const before of ["", '{"a":', "["]) assertLinear(jsonProblem, repeated, { before, after: "!" });
});

/** Texts with a check of their own that starts with the length, or is a pattern. */
const checkedAlone = new Set(["html", "markdown", "styles", "scripts"]);

test("no code reads the text of an option or operation before checking its length", () => {
  const early: string[] = [];
  const seen = new Set<unknown>();
  // biome-ignore lint/suspicious/noExplicitAny: zod's own description of a schema
  const visit = (schema: any, name: string): void => {
    const def = schema?._zod?.def;
    if (!def || seen.has(schema)) return;
    seen.add(schema);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const checks: { check: string; abort?: boolean }[] = def.type === "string" ? (def.checks ?? []).map((one: any) => one._zod.def) : [];
    const own = checks.findIndex(({ check }) => check === "custom");
    // A date's own pattern rejects longer text, in linear time.
    const isDate = def.format === "date" && def.abort === true;
    const isBounded = isDate || checks.slice(0, Math.max(own, 0)).some(({ check, abort }) => check === "max_length" && abort);
    if (own !== -1 && !isBounded && !checkedAlone.has(name)) early.push(name);
    for (const part of [def.innerType, def.element, def.in, def.out, def.keyType, def.valueType, ...(def.options ?? [])]) visit(part, name);
    for (const [member, part] of Object.entries(def.shape ?? {})) visit(part, member);
  };
  visit(createTakeSchema(limits), "");
  for (const { params, query, body } of operations) for (const schema of [params, query, body]) visit(schema, "");
  assert.ok(seen.size > 500);
  assert.deepEqual(early, []);
});

test("no list of an option has more items than its maximum and one, whatever is sent", () => {
  const lists = Object.entries(parameterSchemas(createTakeSchema(limits))).filter(([, { type }]) => type === "array");
  assert.ok(lists.length > 10);
  for (const [name, schema] of lists) {
    const max = schema.maxItems ?? Number.NaN;
    assert.ok(max <= 500, `${name} has no maximum`);
    for (const unit of ["1,", "1\n", " ,1", "[1],"]) {
      const read = readParameter([unit.repeat(65_500 / unit.length)], schema);
      assert.ok(!Array.isArray(read) || read.length <= max + 1, `${name}: ${unit}`);
    }
  }
});

test("a list of thousands of wrong items is refused in a few milliseconds", async () => {
  const read = createOptionsReader(createTakeSchema(limits), []);
  const lists = Object.entries(parameterSchemas(createTakeSchema(limits))).filter(([, { type }]) => type === "array");
  for (const [name] of lists) {
    const refuse = async () => assert.throws(() => read({ url: ["http://a/"], [name]: ["1,".repeat(32_000)] }));
    const { ms } = await longestTurnAtBest(refuse, 20);
    assert.ok(ms < 20, `${name} took ${ms} ms`);
  }
});

longTest("six bodies of 4 MB that arrive together are parsed in separate turns of the event loop", async () => {
  const texts = [" ", "\\u0041", "é", "[],", "1"].map((text) => Buffer.alloc(4_000_000, text).toString());
  for (const body of texts.flatMap((text) => [text, `{"a":"${text}"}`, `{"a":${text}}`])) {
    const bytes = Buffer.from(body);
    const readAll = () => Promise.allSettled(Array.from({ length: 6 }, () => createJsonBody(bytes).read()));
    const { ms } = await longestTurnAtBest(readAll, 60);
    assert.ok(ms < 60, `a turn of the event loop took ${ms} ms for ${body.slice(0, 10)}`);
  }
});
