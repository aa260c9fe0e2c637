/** Conflicts between the outputs of one request. */

import { isSliceName } from "../../screenshots/captures/keep-slices.ts";
import type { OutputRequest } from "../../screenshots/captures/taken-outputs.ts";
import { AppError, type ParameterProblem, problemsFoundMax } from "../../shared/errors.ts";
import { isMotionFormat } from "../../shared/formats.ts";

/** Parsed outputs by position; undefined for invalid ones. */
type Requests = (OutputRequest["request"] | undefined)[];

/** A recording must be the only output: it changes the page permanently, and is charged by its length. */
export function sharedRecordings(requests: Requests): ParameterProblem[] {
  if (requests.length === 1) return [];
  return requests.flatMap((request, index) => {
    if (!isMotionFormat(request?.options.format)) return [];
    const message = `outputs[${index}].format can't be ${request.options.format} here, because a recording must be the only output of its request`;
    return [{ parameter: `outputs[${index}].format`, message, allowed: "an image or document format" }];
  });
}

/** Reports identical outputs, which would be captured and stored twice. */
export function repeatedOutputs(requests: Requests): ParameterProblem[] {
  const first = new Map<string, number>();
  return requests.flatMap((request, index) => {
    if (!request) return [];
    const text = `${request.identity.toString("hex")} ${request.options.compare_to}`;
    const before = first.get(text);
    if (before === undefined) first.set(text, index);
    const parameter = `outputs[${index}]`;
    return before === undefined
      ? []
      : [
          {
            parameter,
            message: `${parameter} has the same options as outputs[${before}]`,
            allowed: "outputs that differ in more than their name",
          },
        ];
  });
}

/** An output's slice names must not collide with other outputs' names. */
export function sliceNameProblems(requests: Requests, names: string[]): ParameterProblem[] {
  const cut = names.flatMap((name, index) => (requests[index]?.options.slice_height ? [{ name, index }] : []));
  return cut.flatMap(({ name, index }) =>
    names.flatMap((other, position) => {
      if (!isSliceName(other, name)) return [];
      const parameter = `outputs[${position}].name`;
      return [
        { parameter, message: `${parameter} is the same as the name of a slice of outputs[${index}]: ${other}`, allowed: "another name" },
      ];
    }),
  );
}

/** Removes duplicates and truncates the list. @throws {AppError} if there is any problem. */
export function refuse(problems: ParameterProblem[], code: AppError["code"] = "invalid_parameters"): void {
  const details = [...new Map(problems.map((problem) => [problem.message, problem])).values()].slice(0, problemsFoundMax);
  if (details.length > 0) throw new AppError(code, { details });
}
