/** Reads the body of a batch request: captures and shared options. */

import type { BatchEntry } from "../../screenshots/queued/batch-entries.ts";
import { namesOfBatch } from "../../screenshots/queued/batch-names.ts";
import type { TakeSchema } from "../../screenshots/take/take-options.ts";
import { AppError, type ParameterProblem, problemsFoundMax } from "../../shared/errors.ts";
import { createCapturesReader, outputName, overridden } from "../captures/input.ts";
import { refuse } from "../captures/output-problems.ts";
import type { Members } from "../input/json-body.ts";
import { didYouMean, renamed } from "../input/problems.ts";

export const capturesMax = 1_000;
/** Maximum number of outputs across all captures. */
const batchOutputsMax = 5_000;
/** Maximum total size of what is stored: a document with each capture, other options with each output. */
const optionBytesMax = 16 * 1024 * 1024;

export interface BatchRequest {
  captures: BatchEntry[];
  /** As sent, not validated yet. */
  webhookUrl: string | undefined;
}

const members = ["shared", "captures", "sitemap_url", "limit", "crawl", "webhook_url", "api_key"];
const ofRequest = ["response_type", "async", "webhook_url", "api_key"];

/**
 * Returns a generator function that reads a body and yields before each capture and output; `pages` is the number of captures that a crawl
 * may make from the body's only entry.
 * @throws {AppError} `invalid_parameters`, whose details name the capture: `captures[17].width`.
 */
export function createBatchReader(schema: TakeSchema): (given: Members, pages?: number) => Generator<void, BatchRequest> {
  const read = createCapturesReader(schema, false);

  return function* (given, pages) {
    const problems = unknownMembers(given, Object.keys(schema.shape));
    const { webhook_url: webhookUrl = null } = given;
    if (webhookUrl !== null && typeof webhookUrl !== "string")
      problems.push({ parameter: "webhook_url", message: "webhook_url must be a string", allowed: "a URL" });
    const shared = objectOf(given.shared ?? {}, "shared", problems);
    const owns = capturesOf(given.captures, problems);
    const names = owns.map((own, index) => nameOf(own, index, problems));
    problems.push(...repeatedNames(names), ...misplaced(shared, "shared."), ...tooLarge(shared, owns, pages));
    problems.push(...tooManyOutputs(shared, owns, pages));
    refuse(problems);
    const captures: BatchEntry["outputs"][] = [];
    const messages = new Set<string>();
    for (const [index, own] of owns.entries()) {
      yield;
      if (messages.size >= problemsFoundMax) break;
      try {
        captures.push((yield* read(membersOf(shared, own))).outputs);
      } catch (error) {
        if (!(error instanceof AppError) || !error.details) throw error;
        for (const detail of error.details) {
          const problem = placed(detail, index, shared, own);
          if (!messages.has(problem.message)) problems.push(problem);
          messages.add(problem.message);
        }
      }
    }
    refuse(problems);
    const unique = namesOfBatch(
      names,
      captures.flatMap(([first]) => first?.request.target ?? []),
    );
    return {
      captures: captures.map((outputs, index) => ({ name: unique[index] ?? "", outputs })),
      webhookUrl: typeof webhookUrl === "string" ? webhookUrl : undefined,
    };
  };
}

/** The equivalent body of `POST /v1/captures` for one capture in the batch. */
function membersOf(shared: Members, own: Members): Members {
  const { name: _, ...given } = own;
  const all = overridden(shared, given);
  return Object.hasOwn(all, "outputs") ? all : { ...all, outputs: [{ name: "screenshot" }] };
}

function outputCountOf(shared: Members, own: Members): number {
  const { outputs } = Object.hasOwn(own, "outputs") ? own : shared;
  return Array.isArray(outputs) ? outputs.length : 1;
}

/** Runs before outputs are validated. */
function tooManyOutputs(shared: Members, owns: Members[], pages = 1): ParameterProblem[] {
  const count = pages * owns.reduce((sum, own) => sum + outputCountOf(shared, own), 0);
  if (count <= batchOutputsMax) return [];
  return [
    { parameter: "captures", message: `captures have ${count} outputs in total`, allowed: `at most ${batchOutputsMax} outputs in total` },
  ];
}

function placed(problem: ParameterProblem, index: number, shared: Members, own: Members): ParameterProblem {
  const name = problem.parameter.split(/[.[]/, 1)[0] ?? "";
  const scope = !Object.hasOwn(own, name) && Object.hasOwn(shared, name) ? "shared" : `captures[${index}]`;
  return renamed(problem, `${scope}.${problem.parameter}`);
}

function unknownMembers(given: Members, options: string[]): ParameterProblem[] {
  return Object.keys(given)
    .filter((name) => !members.includes(name))
    .slice(0, problemsFoundMax)
    .map((name) => {
      const parameter = name.replace(/[^\w.[\]-]/g, "?").slice(0, 50);
      const not = options.includes(name)
        ? "is an option for captures: send it in shared"
        : `is not a parameter${didYouMean(name, members)}`;
      return { parameter, message: `${parameter} ${not}`, allowed: `one of ${members.join(", ")}` };
    });
}

function capturesOf(list: unknown, problems: ParameterProblem[]): Members[] {
  const allowed = `a list of 1 to ${capturesMax} objects`;
  if (Array.isArray(list) && list.length > 0 && list.length <= capturesMax)
    return list.map((one: unknown, index) => {
      const own = objectOf(one, `captures[${index}]`, problems);
      problems.push(...misplaced(own, `captures[${index}].`));
      return own;
    });
  const not = list === undefined ? "is missing" : `must be ${allowed}${Array.isArray(list) ? `, but has ${list.length}` : ""}`;
  problems.push({ parameter: "captures", message: `captures ${not}`, allowed });
  return [];
}

function objectOf(value: unknown, parameter: string, problems: ParameterProblem[]): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  problems.push({ parameter, message: `${parameter} must be an object`, allowed: "an object with options" });
  return {};
}

function misplaced(given: Members, prefix: string): ParameterProblem[] {
  const own = prefix === "shared." ? [...ofRequest, "name"] : ofRequest;
  return own
    .filter((name) => Object.hasOwn(given, name))
    .map((name) => ({ parameter: prefix + name, message: `${prefix}${name} can't be set here` }));
}

function nameOf({ name = null }: Members, index: number, problems: ParameterProblem[]): string | undefined {
  if (name === null) return undefined;
  if (typeof name === "string" && outputName.test(name)) return name;
  const parameter = `captures[${index}].name`;
  const allowed = "a unique name of 1 to 64 letters, digits, hyphens, underscores or dots, not starting with a dot";
  problems.push({ parameter, message: `${parameter} must be ${allowed}`, allowed });
  return undefined;
}

/** Ignores case, since the names become file names. */
function repeatedNames(names: (string | undefined)[]): ParameterProblem[] {
  const first = new Map<string, number>();
  return names.flatMap((name, index) => {
    if (name === undefined) return [];
    const before = first.get(name.toLowerCase());
    if (before === undefined) first.set(name.toLowerCase(), index);
    const parameter = `captures[${index}].name`;
    return before === undefined
      ? []
      : [{ parameter, message: `${parameter} is the same as captures[${before}].name, ignoring case`, allowed: "another name" }];
  });
}

function tooLarge(shared: Members, owns: Members[], pages = 1): ParameterProblem[] {
  const sizes = [shared, ...owns].map(sizeOf);
  const [common = { document: 0, others: 0 }, ...own] = sizes;
  const total = owns.reduce((sum, one, index) => {
    const { document = 0, others = 0 } = own[index] ?? {};
    return sum + pages * (document || common.document) + pages * outputCountOf(shared, one) * (common.others + others);
  }, 0);
  if (total <= optionBytesMax) return [];
  const allowed = `at most ${optionBytesMax} bytes in total, where shared options count for each output`;
  const message = `the options of all captures take ${total} bytes, but may take ${allowed}`;
  return [{ parameter: common.document + common.others > 0 ? "shared" : "captures", message, allowed }];
}

/** Sizes in bytes. */
function sizeOf({ html, markdown, ...others }: Members): { document: number; others: number } {
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "");
  return { document: bytesOf(html) + bytesOf(markdown), others: bytesOf(others) - "{}".length };
}
