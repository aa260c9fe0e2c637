/** Records durations of test files in this checkout, so that later runs start the longest first. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { root } from "../stack/folders.ts";
import type { FileResult } from "./run-file.ts";
import { dependsOnTime } from "./run-files.ts";

type Durations = Record<string, number>;

const path = join(root, ".local", "test-durations.json");
/** An estimate from the file size, for files that have no record. */
const msPerByte = 0.5;

/** Files that depend on time come first, before any additional files are started. */
export function longestFirst(files: string[]): string[] {
  const known = readDurations();
  const estimate = new Map(files.map((file) => [file, known[file] ?? statSync(resolve(root, file)).size * msPerByte]));
  const sorted = files.toSorted((a, b) => (estimate.get(b) ?? 0) - (estimate.get(a) ?? 0));
  return [...sorted.filter(dependsOnTime), ...sorted.filter((file) => !dependsOnTime(file))];
}

/** Skips files outside the checkout and files that timed out. */
export function recordDurations(results: FileResult[]): void {
  const durations = { ...readDurations() };
  for (const { file, ms, timedOut } of results) if (!timedOut && !isAbsolute(file)) durations[file] = Math.round(ms);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(durations, undefined, 1));
}

function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Durations;
  } catch {
    return {}; // no earlier run
  }
}
