/** Reads the body of a request with several outputs. */

import type { z } from "zod";
import type { OutputRequest } from "../../screenshots/captures/taken-outputs.ts";
import { type TakeSchema, withPresets } from "../../screenshots/take/take-options.ts";
import { AppError, type ParameterProblem, problemsFoundMax } from "../../shared/errors.ts";
import { otherFormats } from "../../shared/formats.ts";
import { suggestionFor } from "../compat/product-names.ts";
import type { Members } from "../input/json-body.ts";
import { renamed, unknownProblem } from "../input/problems.ts";
import { createMembersReader } from "../input/validation.ts";
import { refuse, repeatedOutputs, sharedRecordings, sliceNameProblems } from "./output-problems.ts";

export const outputsMax = 20;
export const responseTypes = ["json", "zip"] as const;
export type ResponseType = (typeof responseTypes)[number];

export interface CapturesRequest {
  outputs: OutputRequest[];
  responseType: ResponseType;
  isAsync: boolean;
  /** Not validated yet. */
  webhookUrl: string | undefined;
}

const forAll = "applies to all outputs: send it beside outputs, not within one";

/** Output names are also file names in a zip. */
export const outputName = /^[\w-][\w.-]{0,63}$/;

/** Where an option is allowed. `output`: beside `outputs` and within each output; `shared`: only beside `outputs`; `none`: nowhere. */
export function scopeOf(schema: TakeSchema, name: string): "output" | "shared" | "none" {
  const { output } = (schema.shape as Record<string, z.ZodType>)[name]?.meta() ?? {};
  return output === "shared" || output === "none" ? output : "output";
}

/**
 * Returns a generator function that yields before each further output, since each may take milliseconds. It throws an `AppError`
 * `invalid_parameters` or `invalid_url`; its details name the output: `outputs[2].width`.
 */
export function createCapturesReader(schema: TakeSchema, maySendAsync: boolean): (members: Members) => Generator<void, CapturesRequest> {
  const read = createMembersReader(schema, [], true);
  const ofAll = ["response_type", "api_key", ...(maySendAsync ? ["async", "webhook_url"] : [])];
  const { misplaced, placedIn } = createPlaces(schema, ofAll);

  function readOutput(shared: Members, own: Members, index: number): OutputRequest["request"] {
    const { name: _, ...given } = own;
    try {
      return read(comparable(overridden(shared, given), given));
    } catch (error) {
      if (!(error instanceof AppError) || !error.details) throw error;
      throw new AppError(error.code, { details: error.details.map((problem) => placed(problem, index, shared, given)) });
    }
  }

  return function* (members) {
    const shared = Object.fromEntries(Object.entries(members).filter(([name]) => name !== "outputs" && !ofAll.includes(name)));
    const problems = misplaced(shared, "");
    const delivery = readDelivery(maySendAsync ? members : { response_type: members.response_type }, problems);
    const owns = outputsOf(members.outputs, problems);
    const names = namesOf(owns, problems);
    problems.push(...owns.flatMap((own, index) => misplaced(own, `outputs[${index}].`)));
    const isMisplaced = problems.length > 0;
    const codes = new Set<AppError["code"]>();
    // Without outputs, the shared options are validated on their own.
    const requests: (OutputRequest["request"] | undefined)[] = [];
    for (const [index, own] of (owns.length > 0 ? owns : [{}]).entries()) {
      if (index > 0) yield;
      try {
        requests.push(readOutput(placedIn(shared, ""), placedIn(own, "outputs[]."), index));
      } catch (error) {
        if (!(error instanceof AppError) || !error.details) throw error;
        codes.add(error.code);
        problems.push(...error.details);
        requests.push(undefined);
      }
    }
    if ((shared.compare_to ?? null) !== null && owns.length > 0 && requests.every((one) => one && one.options.compare_to === undefined))
      problems.push({ parameter: "compare_to", message: "compare_to requires an output that is an image" });
    refuse([...problems, ...sliceNameProblems(requests, names)], codes.size === 1 && !isMisplaced ? [...codes][0] : undefined);
    refuse([...repeatedOutputs(requests), ...sharedRecordings(requests)]);
    return { outputs: requests.flatMap((request, index) => (request ? [{ name: names[index] ?? "", request }] : [])), ...delivery };
  };
}

/**
 * Decides which members are allowed beside `outputs` (empty prefix) or within an output.
 * @param ofAll members that are allowed beside `outputs` but aren't options.
 */
function createPlaces(schema: TakeSchema, ofAll: string[]) {
  const options = Object.keys(schema.shape);
  const knownAt = (prefix: string) => [
    ...(prefix === "" ? ["outputs", ...ofAll] : ["name"]),
    ...options.filter((name) => scopeOf(schema, name) === "output" || (prefix === "" && scopeOf(schema, name) === "shared")),
  ];
  const placedIn = (given: Members, prefix: string): Members => {
    const known = new Set(knownAt(prefix));
    return Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name)));
  };

  /** Reports members that are unknown or in the wrong place. */
  function misplaced(given: Members, prefix: string): ParameterProblem[] {
    const known = knownAt(prefix);
    return Object.keys(given)
      .filter((name) => !known.includes(name))
      .slice(0, problemsFoundMax)
      .map((name) => {
        const parameter = `${prefix}${name.replace(/[^\w.[\]-]/g, "?").slice(0, 50)}`;
        const allowed = `one of ${known.join(", ")}`;
        if (prefix !== "" && ofAll.includes(name)) return { parameter, message: `${parameter} ${forAll}`, allowed };
        if (!options.includes(name)) return unknownProblem(parameter, suggestionFor(name, known), known);
        const reason = scopeOf(schema, name) === "shared" ? forAll : "is not available with several outputs";
        return { parameter, message: `${parameter} ${reason}`, allowed };
      });
  }

  return { misplaced, placedIn };
}

/** Merges `own` over the shared options. Options implied by `own`, for example by its device, also override shared ones. */
export function overridden(shared: Members, own: Members): Members {
  const implied = Object.keys(withPresets(own, {}));
  return { ...Object.fromEntries(Object.entries(shared).filter(([name]) => !implied.includes(name))), ...own };
}

/** Drops a shared `compare_to` for outputs that can't be compared. */
function comparable(all: Members, own: Members): Members {
  const isImage = !otherFormats.some((one) => one === all.format);
  if (isImage || (own.compare_to ?? null) !== null) return all;
  const { compare_to: _, ...others } = all;
  return others;
}

/** Reads the members that say how the outputs are delivered. */
function readDelivery(members: Members, problems: ParameterProblem[]): Omit<CapturesRequest, "outputs"> {
  const { response_type: type = null, async: isAsync = null, webhook_url: webhookUrl = null } = members;
  if (type !== null && !responseTypes.some((one) => one === type))
    problems.push({ parameter: "response_type", message: "response_type must be json or zip", allowed: "json or zip" });
  if (isAsync !== null && typeof isAsync !== "boolean")
    problems.push({ parameter: "async", message: "async must be true or false", allowed: "true or false" });
  if (webhookUrl !== null && typeof webhookUrl !== "string")
    problems.push({ parameter: "webhook_url", message: "webhook_url must be a string", allowed: "a URL" });
  return {
    responseType: type === "zip" ? "zip" : "json",
    isAsync: isAsync === true,
    webhookUrl: typeof webhookUrl === "string" ? webhookUrl : undefined,
  };
}

/** A problem with a shared option keeps the option's own name, so that it is reported once rather than for every output. */
function placed(problem: ParameterProblem, index: number, shared: Members, own: Members): ParameterProblem {
  const { parameter } = problem;
  const isShared = !Object.hasOwn(own, parameter) && (Object.hasOwn(shared, parameter) || parameter === "url");
  return isShared ? problem : renamed(problem, `outputs[${index}].${parameter}`);
}

function outputsOf(list: unknown, problems: ParameterProblem[]): Members[] {
  const allowed = `a list of 1 to ${outputsMax} objects`;
  if (!Array.isArray(list) || list.length === 0 || list.length > outputsMax) {
    const not = list === undefined ? "is missing" : `must be ${allowed}${Array.isArray(list) ? `, but has ${list.length}` : ""}`;
    problems.push({ parameter: "outputs", message: `outputs ${not}`, allowed });
    return [];
  }
  return list.map((one: unknown, index) => {
    if (typeof one === "object" && one !== null && !Array.isArray(one)) return one as Members;
    problems.push({ parameter: `outputs[${index}]`, message: `outputs[${index}] must be an object`, allowed: "an object with options" });
    return {};
  });
}

function namesOf(owns: Members[], problems: ParameterProblem[]): string[] {
  const allowed = "a unique name of 1 to 64 letters, digits, hyphens, underscores or dots, not starting with a dot";
  const names = owns.map(({ name = null }, index) => (name === null ? `output-${index + 1}` : name));
  // file names may be case-insensitive
  const inLowerCase = names.map((name) => (typeof name === "string" ? name.toLowerCase() : undefined));
  for (const [index, name] of names.entries()) {
    const parameter = `outputs[${index}].name`;
    if (typeof name !== "string" || !outputName.test(name)) {
      problems.push({ parameter, message: `${parameter} must be ${allowed}`, allowed });
      continue;
    }
    const first = inLowerCase.indexOf(name.toLowerCase());
    const same = names[first] === name ? "" : ", ignoring case";
    if (first < index) problems.push({ parameter, message: `${parameter} is the same as outputs[${first}].name${same}: ${name}`, allowed });
  }
  return names.map((name) => (typeof name === "string" ? name : ""));
}
