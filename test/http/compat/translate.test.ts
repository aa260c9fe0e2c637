/** Translation of other products' requests, whatever they contain. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Adapter, AdapterRoute } from "../../../src/http/compat/adapter.ts";
import { adapters } from "../../../src/http/compat/adapters.ts";
import { globsOf, toSeconds } from "../../../src/http/compat/conversions.ts";
import { flatten, mergeParameters, readWithProblems, tableOf, translate } from "../../../src/http/compat/translate.ts";
import { createTakeSchema } from "../../../src/screenshots/take/take-options.ts";
import { AppError, problemsFoundMax } from "../../../src/shared/errors.ts";
import { assertLinear } from "../../support/linear.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { limits } from "../limits.ts";

const all: Adapter[] = await Promise.all(Object.values(adapters).map((load) => load()));
/** @throws {AppError} for unsupported parameters as well. */
function translated(adapter: Adapter, route: AdapterRoute, parameters: Record<string, unknown>) {
  const { members, problems } = translate(adapter, route, parameters);
  return readWithProblems(problems, () => ({ members }));
}

const options = new Set(Object.keys(createTakeSchema(limits).shape));

test("translate: any value of a known parameter becomes valid options, or a 400 that names it", () => {
  for (const adapter of all)
    for (const route of adapter.routes) {
      const table = tableOf(adapter, route);
      const name = fc.constantFrom(...Object.keys(table), "constructor", "__proto__", "headers.toString", "nonsense");
      const value = fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constant({ toString: 0 }),
        fc.constantFrom(
          "constructor",
          "true",
          "1s",
          '[{"name":"constructor"}]',
          "[null]",
          '{"a":{"toString":0}}',
          '[{"name":{"toString":0}}]',
        ),
      );
      fc.assert(
        fc.property(fc.dictionary(name, value, { maxKeys: 6 }), (sent) => {
          try {
            const { members } = translated(adapter, route, flatten(sent as Record<string, unknown>, table));
            for (const option of Object.keys(members)) assert.ok(options.has(option), option);
          } catch (error) {
            assert.ok(error instanceof AppError, `${adapter.title}: ${error}`);
            assert.equal(error.code, "invalid_parameters");
            assert.ok(
              (error.details ?? []).every(({ parameter, message }) => message.startsWith(parameter)),
              error.message,
            );
          }
        }),
        { numRuns: 40 },
      );
    }
});

test("translate: each table entry lists existing options", () => {
  for (const adapter of all)
    for (const route of adapter.routes)
      for (const [name, { ours }] of Object.entries(tableOf(adapter, route)))
        for (const option of ours) assert.ok(options.has(option), `${adapter.title} ${name}: ${option}`);
});

test("translate: regular expressions become patterns that match the same URLs, or are rejected", () => {
  const cases: [string, string[] | undefined][] = [
    ["^.*\\.(css)", ["*://*.css*"]],
    ["/^.*\\.(css)", ["*://*.css*"]],
    ["\\.png$", ["*://*.png"]],
    ["https://example\\.com/ads/.*", ["*https://example.com/ads/*"]],
    ["^https://example\\.com/", ["https://example.com/*"]],
    ["(google|bing)\\.com/track", ["*google.com/track*", "*bing.com/track*"]],
    ["a/b|c/d", ["*a/b*", "*c/d*"]],
    ["ads?\\.js", undefined],
    ["[a-z]+/x", undefined],
    ["a{2}/", undefined],
    ["((a|b)c)/", undefined],
    ["a.b/", undefined],
    ["^http", undefined],
    [`(${"a|".repeat(30)}b)/`, undefined],
  ];
  for (const [expression, globs] of cases) assert.deepEqual(globsOf(expression), globs, expression);
});

test("translate: repeated parameters and malformed flags cause a 400", async () => {
  const table = (await adapters.browserless()).table;
  const places = [{ timeout: "9000" }, { viewport: { width: 300 }, "viewport.width": 400 }];
  assert.throws(() => mergeParameters(places, table), /viewport\.width is sent more than once/);
  assert.throws(() => mergeParameters([{ url: "a" }, {}, { url: "b" }], table), /url is sent more than once/);
  for (const [adapter, sent, message] of [
    [await adapters.screenshotone(), { dark_mode: ["true", "false"] }, /dark_mode must be true or false/],
    [await adapters.microlink(), { adblock: "maybe" }, /adblock must be true or false/],
    [await adapters.mshots(), { requeue: "2" }, /requeue must be true or false/],
    [await adapters.browserless(), { "waitForSelector.hidden": true }, /it requires waitForSelector\.selector/],
  ] as const)
    assert.throws(() => translated(adapter, adapter.routes[0] as AdapterRoute, sent), message);
});

test("translate: a request with more than 500 parameters is rejected before they are compared with the table", async () => {
  const { table } = await adapters.browserless();
  const sent = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, 1]));
  assert.equal(Object.keys(mergeParameters([sent(499), { url: "a" }], table)).length, 500);
  for (const places of [[sent(501)], [sent(499), { viewport: sent(2) }]])
    assert.throws(() => mergeParameters(places, table), /more than 500 parameters/);
});

test("translate: a timeout of 0 means no timeout, so the maximum applies", async () => {
  const adapter = await adapters.browserless();
  const { members } = translated(adapter, adapter.routes[0] as AdapterRoute, { url: "https://example.com/", "gotoOptions.timeout": 0 });
  assert.equal(members.timeout, 90);
});

test("translate: a regular expression is translated or rejected; long ones are rejected", () => {
  const countsOf = (length: number) => ["a|", "(a|b)", "\\.", ".*", "("].map((text) => globsOf(text.repeat(length))?.length);
  assert.deepEqual(countsOf(800), [undefined, undefined, 1, 1, undefined]);
  assert.deepEqual(countsOf(200_000), [undefined, undefined, undefined, undefined, undefined]);
});

test("translate: many regular expressions are rejected before they are converted", async () => {
  const adapter = await adapters.browserless();
  const one = `(${"a|".repeat(19)}b)${"x".repeat(4_000)}`;
  for (const rejectRequestPattern of [Array(60).fill(one), Array(2).fill(one), Array(101).fill("a/")]) {
    const { result, ms } = await longestTurnAtBest(
      async () => refusalOf(adapter, { url: "https://example.com/", rejectRequestPattern }),
      50,
    );
    assert.match(result.join(), /at most 100 expressions, with 5000 characters in total/);
    assert.ok(ms <= 50, `a turn of ${ms} ms`);
  }
  const { members } = translated(adapter, adapter.routes[0] as AdapterRoute, { url: "https://example.com/", rejectRequestPattern: [one] });
  assert.equal((members.block_requests as string[]).length, 20);
});

test("translate: the texts of a list are limited together, before each is converted", async () => {
  const adapter = await adapters.browserless();
  const cookies = Array(58).fill({ name: "a", value: "b", url: `http://${"@".repeat(60_000)}a/` });
  const { result, ms } = await longestTurnAtBest(async () => refusalOf(adapter, { url: "https://example.com/", cookies }), 20);
  assert.match(result.join(), /^cookies must have at most 262144 characters in all its texts$/);
  assert.ok(ms <= 20, `a turn of ${ms} ms`);
});

/** The messages with which a request is rejected. */
function refusalOf(adapter: Adapter, parameters: Record<string, unknown>): string[] {
  const [route] = adapter.routes as [AdapterRoute];
  try {
    translated(adapter, route, parameters);
    return [];
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.details?.map(({ message }) => message) ?? [];
  }
}

test("translate: strings over 64 KB are rejected before translation, except documents", () => {
  const long = "a".repeat(65_537);
  for (const adapter of all)
    for (const [name, { ours }] of Object.entries(tableOf(adapter, adapter.routes[0] as AdapterRoute))) {
      const isDocument = ours.some((option) => option === "html" || option === "markdown");
      for (const value of [long, [long], [{ value: long }]]) {
        const isRefused = refusalOf(adapter, { [name]: value }).some((one) =>
          one.endsWith("must have at most 65536 characters, but has 65537"),
        );
        assert.equal(isRefused, !isDocument, `${adapter.title} ${name}`);
      }
    }
});

test("translate: JSON in a form field has the same limits as a body", () => {
  const gotenberg = all.find(({ title }) => title === "Gotenberg") as Adapter;
  for (const text of ["[".repeat(60_000), `[${"{},".repeat(15_000)}{}]`, `${"[".repeat(7)}${"]".repeat(7)}`])
    for (const name of ["cookies", "extraHttpHeaders", "emulatedMediaFeatures", "failOnHttpStatusCodes"])
      assert.deepEqual(refusalOf(gotenberg, { [name]: text }), [`${name} is not supported here: it has too many values or levels`]);
});

test("translate: a length keeps its unit, however many decimals it has", () => {
  const gotenberg = all.find(({ title }) => title === "Gotenberg") as Adapter;
  const route = gotenberg.routes.find(({ path }) => path === "/forms/chromium/convert/url") as AdapterRoute;
  const long = `0.${"25".padEnd(43, "0")}`;
  const { members } = translated(gotenberg, route, { url: "https://example.com/", paperWidth: `${long}mm`, marginTop: `${long}cm` });
  assert.deepEqual([members.pdf_width, members.pdf_margin], ["0.25mm", "0.25cm,0.39in,0.39in,0.39in"]);
  for (const before of ["", "1."]) assertLinear((text) => refusalOf(gotenberg, { marginTop: text }), "1", { before, after: "x" });
});

test("translate: long dotted names and many unknown names are rejected in linear time", () => {
  const [adapter] = all as [Adapter];
  assertLinear((text) => refusalOf(adapter, { [text]: "1" }), "a.");
  const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`name${index}`, "1"]));
  assert.equal(refusalOf(adapter, unknown).length, problemsFoundMax);
  assertLinear((text) => refusalOf(adapter, Object.fromEntries(text.split(",").map((name, index) => [name + index, "1"]))), "name,");
});

test("translate: durations become seconds; anything else is left to our own validation", () => {
  const cases: [unknown, unknown][] = [
    ["500ms", 0.5],
    ["2s", 2],
    ["1m30s", 90],
    ["1.5h", 5400],
    [1500, 1.5],
    ["1500", 1.5],
    ["1d", 86_400],
    ["3secs", 3],
    ["3 seconds", 3],
    ["1minute", 60],
    ["2hours", 7200],
    ["3sec s", "3sec s"],
    ["soon", "soon"],
    ["1 fortnight", "1 fortnight"],
    ["1constructor", "1constructor"],
    [".5s", 0.5],
    ["1.s", 1],
    ["250000us", 0.25],
    ["0", 0],
    ["-1s", "-1s"],
  ];
  for (const [text, value] of cases) assert.deepEqual(toSeconds(text), value, String(text));
});
