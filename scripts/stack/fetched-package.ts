/** Downloads programs that the machine lacks as npm packages, with separate lockfiles. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { isRunning, root, toolsFolder } from "./folders.ts";
import { npmCi } from "./npm.ts";

/**
 * The folder with the installed packages of `source`'s lockfile, processed by `prepare`; created if missing.
 * It is created atomically, so an interrupted download starts again and concurrent ones don't interfere. Removes leftovers of killed ones.
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
  const folder = await fetchedFolder(name, source);
  if (existsSync(folder)) return folder;
  announce();
  const temporary = temporaryOf(folder);
  await Promise.all((await leftoversOf(folder)).map((leftover) => rm(leftover, { recursive: true, force: true })));
  await mkdir(temporary, { recursive: true, mode: 0o755 });
  try {
    for (const file of ["package.json", "package-lock.json"]) await copyFile(join(source, file), join(temporary, file));
    await npmCi(temporary, ["--include=dev", "--legacy-peer-deps"], signal); // otherwise npm also installs peer dependencies
    await prepare(temporary);
    await rename(temporary, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Where `fetchPackage` puts the packages of `source`'s lockfile. */
export async function fetchedFolder(name: string, source = join(root, "scripts", name)): Promise<string> {
  const lock = await readFile(join(source, "package-lock.json"), "utf8");
  return join(toolsFolder, `${name}-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
}

/** Where the packages are until they are complete. */
export const temporaryOf = (folder: string) => `${folder}.${process.pid}`;

/** Temporary folders of processes that are no longer running, and of this one. */
async function leftoversOf(folder: string): Promise<string[]> {
  const start = `${basename(folder)}.`;
  const names = await readdir(toolsFolder).catch(() => []);
  const isLeftover = (pid: number) => pid === process.pid || (Number.isInteger(pid) && !isRunning(pid));
  return names
    .filter((name) => name.startsWith(start) && isLeftover(Number(name.slice(start.length))))
    .map((name) => join(toolsFolder, name));
}

/** Whether the packages have been downloaded completely. */
export async function isFetched(name: string, source?: string): Promise<boolean> {
  return existsSync(await fetchedFolder(name, source));
}
