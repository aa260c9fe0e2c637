/** Remembers which long tests have passed on the current commit, so that an interrupted run can resume. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../stack/folders.ts";

interface Passed {
  commit: string;
  files: string[];
}

const path = join(root, ".local", "long-tests-passed.json");

/** The `files` that have not passed on this commit; all of them if there are uncommitted changes. */
export function remainingFiles(files: string[]): string[] {
  const passed = readPassed();
  return files.filter((file) => !passed.files.includes(file));
}

export function recordPassed(file: string): void {
  const { commit, files } = readPassed();
  if (commit === "") return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ commit, files: [...new Set([...files, file])] }));
}

function readPassed(): Passed {
  const commit = currentCommit();
  try {
    const passed = JSON.parse(readFileSync(path, "utf8")) as Passed;
    if (commit !== "" && passed.commit === commit) return passed;
  } catch {
    // no earlier run
  }
  return { commit, files: [] };
}

/** Empty if there are uncommitted changes or git is unavailable. */
function currentCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("status", "--porcelain") === "" ? git("rev-parse", "HEAD") : "";
  } catch {
    return "";
  }
}
