/** Runs a test suite with its limits, optionally reruns failed files, and prints the results. */

import { join } from "node:path";
import { root } from "../stack/folders.ts";
import type { Arguments } from "./arguments.ts";
import { recordDurations } from "./durations.ts";
import { recordPassed } from "./long-run.ts";
import { fileReport, hasFailed, runReport } from "./report.ts";
import { type RunOptions, type RunResult, runFiles } from "./run-files.ts";
import { checkSharedStack } from "./shared-stack.ts";

interface Surroundings {
  env: Record<string, string | undefined>;
  folder: string;
  databaseUrl: string;
  redisUrl: string;
}

const minute = 60_000;
const always = { leftProcessMs: 10_000, checkEveryMs: 10_000 };
/**
 * `testMs` is eight times the goal of 15 s on two idle cores, and less than `silenceMs`, so that the test is reported rather than the
 * file.
 */
const quick = { testMs: 2 * minute, silenceMs: 2.5 * minute, fileMs: 8 * minute, runMs: 60 * minute, ...always };
const long = { testMs: 10 * minute, silenceMs: 30 * minute, fileMs: 120 * minute, runMs: 360 * minute, ...always };
/** More failures than this are not caused by timing, even on a slow machine. */
const rerunFilesMax = 20;
const rerunMs = 20 * minute;
const verboseFilesMax = 3;

/** @returns the exit code. */
export async function runSuite(
  { files, isLong, isRerun, filesAtOnce, filesAtOnceMax, flags }: Arguments,
  { env, folder, databaseUrl, redisUrl }: Surroundings,
  signal: AbortSignal,
): Promise<number> {
  const { testMs, ...limits } = isLong ? long : quick;
  const isVerbose = files.length <= verboseFilesMax;
  const options: RunOptions = {
    filesAtOnce,
    filesAtOnceMax,
    flags: [`--test-timeout=${testMs}`, ...flags], // the last occurrence of a flag wins
    env: { ...env, NODE_COMPILE_CACHE: join(root, ".local", "compiled-tests") },
    limits,
    folder,
    checkStack: () => checkSharedStack({ databaseUrl, redisUrl, folder }),
    onFile: (result) => {
      console.log(fileReport(result, isVerbose));
      if (isLong && !hasFailed(result)) recordPassed(result.file);
    },
  };
  const first = await runFiles(files, options, signal);
  recordDurations(first.files);
  const failed = first.files.filter(hasFailed).map(({ file }) => file);
  const isWorthIt = isRerun && failed.length > 0 && failed.length <= rerunFilesMax && first.ended === undefined && !signal.aborted;
  const result = isWorthIt ? await runAgain(first, failed, options, signal) : first;
  console.log(runReport(result));
  if (signal.aborted) return 130;
  return result.files.some(hasFailed) || result.notRun.length > 0 ? 1 : 0;
}

/** Reruns failed files one at a time, and reports those that passed the second time. */
async function runAgain(first: RunResult, failed: string[], options: RunOptions, signal: AbortSignal): Promise<RunResult> {
  console.log(`\nFailed: ${failed.join(", ")}. Rerunning failed files one at a time ...`);
  const limits = { ...options.limits, runMs: rerunMs };
  const second = await runFiles(failed, { ...options, filesAtOnce: 1, filesAtOnceMax: 1, limits }, signal);
  const passed = second.files.filter((result) => !hasFailed(result)).map(({ file }) => file);
  const files = first.files.filter(({ file }) => !failed.includes(file));
  const again = new Set(second.files.map(({ file }) => file));
  const notAgain = first.files.filter(({ file }) => failed.includes(file) && !again.has(file));
  if (passed.length > 0) console.log(`\nFailed beside other files, passed alone: ${passed.join(", ")}.`);
  return { ...second, files: [...files, ...notAgain, ...second.files], notRun: first.notRun };
}
