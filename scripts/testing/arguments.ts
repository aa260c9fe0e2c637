/** Parses the arguments of the test commands. */

import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { root } from "../stack/folders.ts";
import { namedTests } from "./named-tests.ts";

export interface Arguments {
  files: string[];
  isLong: boolean;
  isFresh: boolean;
  isCovered: boolean;
  isRerun: boolean;
  filesAtOnce: number;
  /** Upper limit while cores are idle. */
  filesAtOnceMax: number;
  /** Flags for Node. */
  flags: string[];
}

/** Test files spend two thirds of their time waiting, so four of them keep a core busy. */
const maxFactor = 4;
const ourFlags = ["--long", "--fresh", "--coverage", "--rerun-failed"];

/** @throws {Error} for a name that doesn't match any test. */
export function readArguments(args: string[]): Arguments {
  const names = args.filter((arg) => !arg.startsWith("-"));
  const isLong = args.includes("--long");
  const concurrency = args.findLast((arg) => /^--test-concurrency=\d+$/.test(arg))?.split("=")[1];
  const files = names.length > 0 ? namedTests(names, isLong) : suiteFiles(isLong);
  const filesAtOnce = Number(concurrency ?? (isLong ? 1 : defaultFilesAtOnce()));
  if (files.length === 0) throw new Error("There are no tests: nothing matches test/**/*.test.ts.");
  return {
    files,
    isLong,
    isFresh: args.includes("--fresh"),
    isCovered: args.includes("--coverage"),
    isRerun: args.includes("--rerun-failed"),
    filesAtOnce,
    filesAtOnceMax: concurrency === undefined && !isLong ? filesAtOnce * maxFactor : filesAtOnce,
    flags: args.filter((arg) => arg.startsWith("-") && !ourFlags.includes(arg) && !arg.startsWith("--test-concurrency")),
  };
}

function suiteFiles(isLong: boolean): string[] {
  return globSync("test/**/*.test.ts", { cwd: root })
    .filter((file) => file.endsWith(".long.test.ts") === isLong)
    .sort();
}

/** One per core, because each file runs a service and its browsers, and needs up to 1 GB. */
function defaultFilesAtOnce(): number {
  return Math.min(Math.max(availableParallelism(), 2), 8);
}
