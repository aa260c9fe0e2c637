/** Formats the results of test files. */

import type { FileResult, TestResult } from "./run-file.ts";
import type { RunResult } from "./run-files.ts";

const slowestMax = 20;

/** @param isVerbose whether to list every test, not only failed ones. */
export function fileReport(result: FileResult, isVerbose: boolean): string {
  const { file, ms, tests, problem, output } = result;
  const head = `${hasFailed(result) ? "✖" : "✔"} ${file} (${tests.length} tests, ${seconds(ms)})`;
  const shown = tests.filter(({ outcome }) => isVerbose || outcome === "failed").flatMap(testLines);
  const trouble = problem === undefined ? [] : [`  ✖ ${file} ${problem}`];
  const printed = output !== "" && (hasFailed(result) || isVerbose) ? ["  Its last output:", indent(output)] : [];
  return [head, ...shown, ...trouble, ...printed].join("\n");
}

function testLines({ name, ms, outcome, error }: TestResult): string[] {
  const sign = { passed: "✔", failed: "✖", skipped: "﹣" }[outcome];
  return [`  ${sign} ${name} (${seconds(ms)})`, ...(error === undefined ? [] : [indent(error)])];
}

/** Lists the slowest tests and the failures, with a last line for the counts. */
export function runReport({ files, notRun, ended }: RunResult): string {
  const tests = files.flatMap(({ file, tests }) => tests.map((test) => ({ ...test, file })));
  const slowest = tests.toSorted((a, b) => b.ms - a.ms).slice(0, slowestMax);
  const failed = [
    ...tests.filter(({ outcome }) => outcome === "failed").map(({ file, name }) => `  ✖ ${file}: ${name}`),
    ...files.filter(({ problem }) => problem !== undefined).map(({ file, problem }) => `  ✖ ${file} ${problem}`),
  ];
  const count = (wanted: TestResult["outcome"]) => tests.filter(({ outcome }) => outcome === wanted).length;
  return [
    "\nSlowest tests:",
    ...slowest.map(({ file, name, ms }) => `  ${seconds(ms)} ${file}: ${name}`),
    ...(failed.length > 0 ? ["\nFailed:", ...failed] : []),
    ...(ended === undefined ? [] : [`\nThe run was ended: ${ended}. Not run: ${notRun.length} files.`]),
    `\n${count("passed")} passed, ${failed.length + notRun.length} failed, ${count("skipped")} skipped`,
  ].join("\n");
}

export function hasFailed({ problem, tests }: FileResult): boolean {
  return problem !== undefined || tests.some(({ outcome }) => outcome === "failed");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}
