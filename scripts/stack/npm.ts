/** Installs the packages of a lockfile with the npm that started this process. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "./child.ts";
import { root } from "./folders.ts";

/** Node options: during a first start, npm also holds the lock of `boot.cjs`, in case this process is killed first. */
const holdingLock = process.env.TINTYPE_INSTALL_LOCK ? ["--require", join(root, "scripts/hold-lock.cjs")] : [];

/**
 * `npm ci` in `folder`, without install scripts, which no package here needs.
 * @throws {Error} with npm's message.
 */
export async function npmCi(folder: string, options: string[], signal: AbortSignal): Promise<void> {
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error("npm was not found; run this through npm");
  const always = ["--include=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  await runProgram([process.execPath, ...holdingLock, npm, "ci", ...always, ...options], { cwd: folder, timeoutMs: 15 * 60_000, signal });
}

/** The share of a lockfile's packages, from 0 to 1, that are already in `folder` while npm installs them. */
export function installedShare(lockFile: string, isWanted: (entry: { dev?: boolean }) => boolean = () => true): (folder: string) => number {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8")) as { packages: Record<string, { dev?: boolean; optional?: boolean }> };
  const names = Object.keys(packages).filter((name) => name !== "" && !packages[name]?.optional && isWanted(packages[name] ?? {}));
  return (folder) => names.filter((name) => existsSync(join(folder, name, "package.json"))).length / Math.max(1, names.length);
}
