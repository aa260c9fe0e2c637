/** The TypeScript client as it is published: built, packed and installed. */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { fetchPackage } from "../../scripts/stack/fetched-package.ts";
import { localFolder, root } from "../../scripts/stack/folders.ts";
import { currentVersion } from "../../scripts/versions.ts";
import type { Scope } from "../support/scope.ts";

const run = promisify(execFile);

export interface Installed {
  /** A folder in which `@tintype/client` is installed. */
  folder: string;
  /** The package's folder. */
  package: string;
  /** The `tintype` program. */
  command: string;
  /** The packed package, as `npm publish` would send it. */
  tarball: string;
}

/** A private copy for the caller. `t` removes it when the test ends. */
export async function installClient(t: Scope): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-package-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const consumer = join(folder, "consumer");
  await cp(await installedOnce(), consumer, { recursive: true, verbatimSymlinks: true });
  return {
    folder: consumer,
    package: join(consumer, "node_modules/@tintype/client"),
    command: join(consumer, "node_modules/.bin/tintype"),
    tarball: join(consumer, `tintype-client-${currentVersion(root)}.tgz`),
  };
}

/** A folder with the client built from these sources, shared by all test files: building and installing it takes longer than most tests. */
async function installedOnce(): Promise<string> {
  const sources = join(root, "clients/typescript");
  const all = join(localFolder, "tested-client");
  const installed = join(all, await hashOf(sources));
  if (existsSync(installed)) return installed;
  await mkdir(all, { recursive: true });
  const work = await mkdtemp(join(all, "work-"));
  try {
    await rename(await buildAndInstall(sources, work), installed);
  } catch (error) {
    if (!existsSync(installed)) throw error; // another file was first
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return installed;
}

const isSource = (path: string) => !/(^|[\\/])(dist|node_modules)([\\/]|$)/.test(path);

async function hashOf(sources: string): Promise<string> {
  const hash = createHash("sha256").update(await readFile(join(root, "package-lock.json")));
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => relative(sources, join(entry.parentPath, entry.name)));
  for (const file of files.filter(isSource).sort()) hash.update(`${file}\0`).update(await readFile(join(sources, file)));
  return hash.digest("hex").slice(0, 16);
}

/** @returns the folder inside `folder` in which it is installed. */
async function buildAndInstall(sources: string, folder: string): Promise<string> {
  const source = join(folder, "source", "clients", "typescript");
  await cp(sources, source, { recursive: true, filter: (path) => isSource(relative(sources, path)) });
  await symlink(join(root, "node_modules"), join(folder, "source", "node_modules"), "junction");
  for (const project of ["tsconfig.json", "tsconfig.command.json"])
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", project], { cwd: source });
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error("npm was not found; run this through npm");
  const options = ["--ignore-scripts", "--offline", "--no-audit", "--no-fund"];
  const consumer = join(folder, "consumer");
  await mkdir(consumer);
  await writeFile(join(consumer, "package.json"), "{}"); // otherwise npm installs into the nearest parent folder that has one
  const { stdout } = await run(process.execPath, [npm, "pack", ...options, "--pack-destination", consumer], { cwd: source });
  await run(process.execPath, [npm, "install", ...options, `./${stdout.trim().split("\n").at(-1)}`], { cwd: consumer });
  return consumer;
}

/** The Node 20 executable: this machine's, or a downloaded one. */
export async function node20(): Promise<string> {
  for (const path of ["/usr/bin/node", "/usr/local/bin/node"]) {
    if (!existsSync(path)) continue;
    const { stdout } = await run(path, ["--version"]).catch(() => ({ stdout: "" }));
    if (stdout.startsWith("v20.")) return path;
  }
  return join(await fetched("node20"), `node-linux-${process.arch}`, "bin/node");
}

export interface Runtimes {
  node22: string;
  node24: string;
  deno: string;
  bun: string;
  /** The runtime of Cloudflare Workers. */
  workerd: string;
}

/** Downloaded programs that run the client. @throws {Error} on systems other than Linux with glibc. */
export async function runtimes(): Promise<Runtimes> {
  const folder = await fetched("runtimes");
  const { arch } = process;
  const program = (path: string) => join(folder, path);
  return {
    node22: program(`node22-linux-${arch}/bin/node`),
    node24: program(`node24-linux-${arch}/bin/node`),
    deno: program(`@deno/linux-${arch}-glibc/deno`),
    bun: program(`@oven/bun-linux-${arch === "arm64" ? "aarch64" : arch}/bin/bun`),
    workerd: program(`@cloudflare/workerd-linux-${arch === "x64" ? "64" : arch}/bin/workerd`),
  };
}

async function fetched(name: "node20" | "runtimes"): Promise<string> {
  const signal = AbortSignal.timeout(10 * 60_000);
  const source = join(root, "test/clients", name);
  const folder = await fetchPackage(
    name,
    async () => {},
    signal,
    () => {},
    source,
  );
  return join(folder, "node_modules");
}
