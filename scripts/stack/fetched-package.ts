/** Downloads programs that the machine lacks as npm packages, with separate lockfiles. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./child.ts";
import { root, toolsFolder } from "./folders.ts";

/**
 * The folder with the installed packages of `source`'s lockfile, processed by `prepare`; created if missing.
 * It is created atomically, so an interrupted download starts again and concurrent ones don't interfere.
 * @param prepare gets the folder under a temporary name; it throws if the packages are unusable.
 * @param announce is called before a download.
 * @throws {Error} with npm's or `prepare`'s message.
 */
export async function fetchPackage(
  name: string,
  prepare: (folder: string) => Promise<void>,
  signal: AbortSignal,
  announce: () => void,
  source = join(root, "scripts", name),
): Promise<string> {
  const lock = await readFile(join(source, "package-lock.json"));
  const folder = join(toolsFolder, `${name}-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  announce();
  const temporary = `${folder}.${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true, mode: 0o755 });
  try {
    for (const file of ["package.json", "package-lock.json"]) await copyFile(join(source, file), join(temporary, file));
    await npmCi(temporary, signal);
    await prepare(temporary);
    await rename(temporary, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

async function npmCi(folder: string, signal: AbortSignal): Promise<void> {
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error("npm was not found; run this through npm");
  const args = [
    "ci",
    "--include=dev",
    "--include=optional",
    "--ignore-scripts",
    "--legacy-peer-deps", // otherwise npm also installs peer dependencies
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--loglevel=error",
  ];
  await runProgram([process.execPath, npm, ...args], { cwd: folder, timeoutMs: 15 * 60_000, signal });
}
