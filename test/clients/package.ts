/** The TypeScript client as it is published: built, packed and installed. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fetchPackage } from "../../scripts/stack/fetched-package.ts";
import { root } from "../../scripts/stack/folders.ts";
import type { Scope } from "../support/scope.ts";

const run = promisify(execFile);

export interface Installed {
  /** A folder in which `@tintype/client` is installed. */
  folder: string;
  /** The folder of the package. */
  package: string;
  /** The program `tintype`. */
  command: string;
}

/** Removed by `t`. */
export async function installClient(t: Scope): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-package-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  // A copy, because other files of tests build it at the same time.
  const source = join(folder, "source", "clients", "typescript");
  await cp(join(root, "clients/typescript"), source, { recursive: true, filter: (path) => !/[\\/](dist|node_modules)$/.test(path) });
  await symlink(join(root, "node_modules"), join(folder, "source", "node_modules"), "junction");
  for (const project of ["tsconfig.json", "tsconfig.command.json"])
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", project], { cwd: source });
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error("npm was not found; run this through npm");
  const options = ["--ignore-scripts", "--offline", "--no-audit", "--no-fund"];
  const { stdout } = await run(process.execPath, [npm, "pack", ...options, "--pack-destination", folder], { cwd: source });
  const consumer = join(folder, "consumer");
  await run(process.execPath, [npm, "install", ...options, "--prefix", consumer, join(folder, stdout.trim().split("\n").at(-1) ?? "")], {
    cwd: folder,
  });
  return {
    folder: consumer,
    package: join(consumer, "node_modules/@tintype/client"),
    command: join(consumer, "node_modules/.bin/tintype"),
  };
}

/** The program of Node 20: this machine's, or a downloaded one. */
export async function node20(): Promise<string> {
  for (const path of ["/usr/bin/node", "/usr/local/bin/node"]) {
    if (!existsSync(path)) continue;
    const { stdout } = await run(path, ["--version"]).catch(() => ({ stdout: "" }));
    if (stdout.startsWith("v20.")) return path;
  }
  const signal = AbortSignal.timeout(10 * 60_000);
  const folder = await fetchPackage(
    "node20",
    async () => {},
    signal,
    () => {},
    join(root, "test/clients/node20"),
  );
  return join(folder, "node_modules/node/bin/node");
}
