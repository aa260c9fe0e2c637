/** Remembers which long tests have passed on the current commit, so that an interrupted run goes on where it ended. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../stack/folders.ts";

interface Passed {
  commit: string;
  files: string[];
}

const path = join(root, ".local", "long-tests-passed.json");

/** Those of `files` that have not passed on this commit. Uncommitted changes make every file count. */
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
    // there was no run yet
  }
  return { commit, files: [] };
}

/** Empty with uncommitted changes, or without git. */
function currentCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("status", "--porcelain") === "" ? git("rev-parse", "HEAD") : "";
  } catch {
    return "";
  }
}
