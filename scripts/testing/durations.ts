/** How long test files took in earlier runs of this checkout, so that the longest begin first. */

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { root } from "../stack/folders.ts";
import type { FileResult } from "./run-file.ts";

type Durations = Record<string, number>;

const path = join(root, ".local", "test-durations.json");
/** A long file usually takes long: used for files without a record. */
const msPerByte = 0.5;

export function longestFirst(files: string[]): string[] {
  const known = readDurations();
  const estimate = new Map(files.map((file) => [file, known[file] ?? statSync(resolve(root, file)).size * msPerByte]));
  return files.toSorted((a, b) => (estimate.get(b) ?? 0) - (estimate.get(a) ?? 0));
}

/** Neither files outside of the checkout are recorded, nor files that timed out. */
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
    return {}; // there was no run yet
  }
}
