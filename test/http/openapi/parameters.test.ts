/** Every parameter in every notation that people and generated clients use; derived from the registry, so that new options are covered. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
import type { OptionGroup } from "../../../src/capture/option-group.ts";
import { createQuery } from "../../../src/http/input/request-target.ts";
import { createOptionsReader, parameterSchemas } from "../../../src/http/input/validation.ts";
import { exampleOf } from "../../../src/http/openapi/openapi.ts";
import { createTakeSchema, takeGroups as registry } from "../../../src/screenshots/take/take-options.ts";
import { describeSchema } from "../../../src/shared/describe-schema.ts";
import { AppError, type ParameterProblem } from "../../../src/shared/errors.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** Different from every default setting, so that a hard-coded number elsewhere shows. */
const limits = {
  widthMax: 3333,
  heightMax: 2222,
  fullPageHeightMax: 11_111,
  widthDefault: 1111,
  heightDefault: 777,
  qualityDefault: 66,
  timeoutMaxSeconds: 25,
  pageLoadTimeoutMs: 30_000,
};
const schema = createTakeSchema(limits);
const parametersOf = (text: string) => createQuery(text).parameters;
const read = createOptionsReader(schema, ["api_key"]);
const schemas = parameterSchemas(schema);
const groups: readonly Pick<OptionGroup, "conflicts">[] = registry as never;
/** Parameters of single requests; `url` is in each of these requests. */
const parameters = Object.entries(schemas).filter(([name, { isForCaptures }]) => name !== "url" && !isForCaptures);

type Sent = [name: string, value: string][];

/** The options parsed from a query, or the problems with it. */
function reading(sent: Sent): { options: Record<string, unknown>; warnings: string[]; problems: ParameterProblem[] } {
  try {
    const { options, warnings } = read(parametersOf(`${new URLSearchParams([...pageFor(sent), ...sent, ...companions(sent)])}`));
    return { options, warnings, problems: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { options: {}, warnings: [], problems: error.details ?? [] };
  }
}

/** What to capture: a document sent by the caller takes the place of `url`. */
function pageFor(sent: Sent): Sent {
  const names = new Set(sent.filter(([, value]) => value.trim() !== "").map(([name]) => name));
  if (names.has("html") || names.has("markdown")) return [];
  return names.has("base_url") ? [["html", "a document"]] : [["url", "https://example.com/"]];
}

/** For parameters that can't be sent alone: the smallest value of each parameter that must accompany them. */
function companions(sent: Sent): Sent {
  const set = sent.filter(([, value]) => value.trim() !== "" && value !== "false");
  const session: Sent = set.some(([name]) => name === "session_update") ? [["session", "shop"]] : [];
  const alone = Object.fromEntries([...pageFor(sent), ...set, ...session]);
  const missing = groups.flatMap((group) => group.conflicts?.(alone) ?? []).map(({ parameter }) => parameter);
  const rest: Sent = missing.map((name) => [name, String(schemas[name]?.minimum ?? exampleOf(schemas[name] ?? {}))]);
  return [...session, ...rest];
}

function assertReads(name: string, sent: Sent, value: unknown): void {
  const { options, warnings, problems } = reading(sent);
  assert.deepEqual(problems, [], `${JSON.stringify(sent)}`);
  assert.deepEqual(warnings, [], `${JSON.stringify(sent)}`);
  assert.deepEqual(options[name], value, `${JSON.stringify(sent)}`);
}

function assertRefused(name: string, sent: Sent, words?: RegExp): void {
  const problem = reading(sent).problems.find(({ parameter }) => parameter === name);
  assert.ok(problem, `${JSON.stringify(sent).slice(0, 200)} passes`);
  assert.ok(problem.message.startsWith(name), problem.message);
  if (words) assert.match(problem.message, words);
}

/** As part of a query: objects as JSON. */
function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function one(name: string, value: unknown): Sent {
  return [[name, String(value)]];
}

/** One value in every notation, with the value that `read` should return. */
function formsOf(name: string, schema: Schema): [sent: Sent, value: unknown][] {
  if (schema.type === "boolean")
    return [
      ...["true", "TRUE", "True", "1", "yes", "YES", "on", " true "].map((text): [Sent, unknown] => [one(name, text), true]),
      ...["false", "FALSE", "0", "no", "No", "off"].map((text): [Sent, unknown] => [one(name, text), false]),
    ];
  if (schema.enum)
    return schema.enum.flatMap((word): [Sent, unknown][] => {
      const text = String(word);
      return [text, text.toUpperCase(), text.toLowerCase(), ` ${text}`, text.replaceAll("-", "_")].map((form) => [one(name, form), word]);
    });
  if (schema.type === "integer" || schema.type === "number") {
    const value = Number(exampleOf(schema) ?? schema.minimum);
    const texts = [
      String(value),
      ` ${value} `,
      `+${value}`,
      value.toFixed(2).replace(/\.?0+$/, (zeros) => (zeros.startsWith(".") ? ".0" : zeros)),
    ];
    return texts.map((text) => [one(name, text), value]);
  }
  if (schema.type === "array") return listForms(name, schema);
  return [[one(name, exampleOf(schema)), exampleOf(schema)]];
}

function listForms(name: string, schema: Schema): [sent: Sent, value: unknown][] {
  const [item] = [exampleOf(schema)].flat() as [unknown];
  const other = (schema.items as Schema).enum?.at(-1) ?? item;
  const values = typeof item === "object" ? [item, other] : [String(item), String(other)];
  const both = values.map(textOf);
  const forms: Sent[] = [
    both.map((value) => [name, value]),
    both.map((value) => [`${name}[]`, value]),
    both.map((value, index) => [`${name}[${index}]`, value]),
    one(name, JSON.stringify(values)),
    ...(schema.reading === "lines"
      ? [one(name, both.join("\n")), one(name, both.join("\r\n")), one(name, `${both.join("\n\n")}\n`)]
      : [one(name, both.join(",")), one(name, both.join(", ")), ...(typeof item === "object" ? [] : [one(name, `${both.join(",")},`)])]),
  ];
  return forms.map((sent) => [sent, values]);
}

for (const [name, parameter] of parameters) {
  test("ids are described as UUIDs, not by a pattern", () => {
    assert.equal(describeSchema(schemas.compare_to as Schema), "a UUID");
  });

  test(`${name}: every accepted notation gives the same value`, () => {
    for (const [sent, value] of formsOf(name, parameter)) assertReads(name, sent, value);
  });

  test(`${name}: empty, blank and absent all mean the default, and so does sending it`, () => {
    for (const sent of [[], one(name, ""), one(name, "  "), one(`${name}[]`, ""), one(name, "").concat(one(name, ""))] as Sent[])
      assertReads(name, sent, parameter.default);
    if (parameter.default === undefined) return;
    const list = Array.isArray(parameter.default);
    assertReads(
      name,
      list ? (parameter.default as unknown[]).map((item) => [name, String(item)]) : one(name, parameter.default),
      parameter.default,
    );
  });

  test(`${name}: has a description, a valid example and a description of valid values`, () => {
    const example = exampleOf(parameter);
    assert.ok(example !== undefined, "there is no example");
    assert.equal(parameter.type === "array", Array.isArray(example));
    assert.match(String(parameter.description), /^[A-Z`].*\.$/s);
    assert.ok(describeSchema(parameter).length > 0);
    assertReads(
      name,
      [example].flat().map((value) => [name, textOf(value)]),
      example,
    );
  });

  const { minimum, maximum, maxLength, maxItems, charactersMax } = parameter;
  if (minimum !== undefined && maximum !== undefined)
    test(`${name}: accepts values from ${minimum} to ${maximum} only`, () => {
      const step = parameter.type === "integer" ? 1 : 0.001;
      for (const inside of [minimum, maximum, minimum + step, maximum - step])
        assert.deepEqual(reading(one(name, inside)).problems, [], String(inside));
      for (const outside of [minimum - step, maximum + step]) {
        assertRefused(name, one(name, outside), new RegExp(`from ${minimum} to ${maximum}`));
        assert.ok(!reading(one(name, outside)).options[name]);
      }
      for (const text of ["NaN", "Infinity", "12px", "1,5", "true", "null"]) assertRefused(name, one(name, text));
      if (parameter.type === "integer") assertRefused(name, one(name, minimum + 0.5));
    });

  if (parameter.enum || parameter.type === "boolean")
    test(`${name}: the error for an unknown value lists the valid ones`, () => {
      assertRefused(name, one(name, "maybe-not"));
      const problem = reading(one(name, "maybe-not")).problems[0];
      assert.equal(problem?.allowed, describeSchema(parameter));
    });

  if (maxLength !== undefined)
    test(`${name}: at most ${maxLength} characters`, () => {
      const tooLong = new RegExp(`at most ${maxLength} characters`);
      assertRefused(name, one(name, "x".repeat(maxLength + 1)), tooLong);
      assert.deepEqual(
        reading(one(name, "x".repeat(maxLength))).problems.filter(({ message }) => tooLong.test(message)),
        [],
      );
    });

  if (maxItems !== undefined && !(parameter.items as Schema).enum)
    test(`${name}: at most ${maxItems} items`, () => {
      const [item] = [exampleOf(parameter)].flat();
      assertRefused(
        name,
        Array.from({ length: maxItems + 1 }, () => [name, textOf(item)]),
      );
      assertReads(
        name,
        Array.from({ length: maxItems }, () => [name, textOf(item)]),
        Array(maxItems).fill(typeof item === "object" ? item : String(item)),
      );
    });

  if (charactersMax !== undefined)
    test(`${name}: at most ${charactersMax} characters in total`, () => {
      const [item] = [exampleOf(parameter)].flat();
      const exact = String(item).padEnd(Number(charactersMax), "x");
      assertReads(name, one(name, exact), [exact]);
      assertRefused(name, one(name, `${exact}x`), new RegExp(`more than ${charactersMax} characters`));
    });

  if (parameter.type !== "array")
    test(`${name}: a repeated value counts once, two different ones are rejected`, () => {
      const [first] = formsOf(name, parameter) as [[Sent, unknown]];
      assertReads(name, [...first[0], ...first[0]], first[1]);
      assertRefused(name, [...first[0], [name, "something else"]], /was given 2 different values/);
    });
}

test("url: absolute, http or https, at most 2048 characters", () => {
  const problems = (url: string) => {
    try {
      read(parametersOf(`${new URLSearchParams({ url })}`));
      return [];
    } catch (error) {
      return (error as AppError).details ?? [];
    }
  };
  const ofLength = (length: number) => "https://example.com/".padEnd(length, "a");
  assert.deepEqual(problems(ofLength(2048)), []);
  assert.match(problems(ofLength(2049))[0]?.message ?? "", /^url must have at most 2048 characters, but has 2049$/);
  assert.match(problems("//example.com/")[0]?.message ?? "", /^url is not/);
});

test("sending every default explicitly, and every other parameter empty, causes no warnings", () => {
  const sent = parameters.flatMap(
    ([name, { default: value }]): Sent => (Array.isArray(value) ? value.map((item) => [name, String(item)]) : one(name, value ?? "")),
  );
  const { options, warnings, problems } = reading(sent);
  assert.deepEqual([problems, warnings], [[], []]);
  assert.deepEqual(options, reading([]).options);
});
