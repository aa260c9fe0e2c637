/** Builds the dashboard and runs its server as a child process. */

import { createHash } from "node:crypto";
import { existsSync, globSync, statSync } from "node:fs";
import { cp, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./child.ts";
import { fetchPackage } from "./fetched-package.ts";
import { localFolder, root } from "./folders.ts";
import { progress } from "./progress.ts";
import { type RunningServer, startServer } from "./server.ts";

/** The dashboard's sources, with a lockfile of their own. */
export const webSource = join(root, "web");
/** Newer builds may be in use by another process. */
const keptForMs = 24 * 60 * 60_000;

/**
 * The folder of the built dashboard: server, pages, packages. Rebuilt if a file in `web/` has changed; packages are reinstalled only if
 * the lockfile has changed. It is created atomically, so that concurrent builds don't interfere.
 * @param announce called before a build starts.
 */
export async function builtWeb(signal: AbortSignal, announce: () => void): Promise<string> {
  const files = globSync("**/*", { cwd: webSource, exclude: (name) => /^(node_modules|dist)([\\/]|$)/.test(name) })
    .filter((file) => statSync(join(webSource, file)).isFile())
    .sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\0`).update(await readFile(join(webSource, file)));
  const parent = join(localFolder, "web");
  const folder = join(parent, hash.digest("hex").slice(0, 12));
  if (existsSync(folder)) return folder;
  announce();
  await progress.track("the dashboard", build(folder, files, signal));
  await removeOld(parent);
  return folder;
}

async function build(folder: string, files: string[], signal: AbortSignal): Promise<void> {
  const packages = await fetchPackage(
    "web",
    async () => {},
    signal,
    () => {},
    webSource,
  );
  const temporary = `${folder}.${process.pid}`;
  try {
    for (const file of files) await cp(join(webSource, file), join(temporary, file));
    await symlink(join(packages, "node_modules"), join(temporary, "node_modules"), "junction");
    const vite = join(temporary, "node_modules", "vite", "bin", "vite.js");
    await runProgram([process.execPath, vite, "build", "--logLevel", "warn"], { cwd: temporary, timeoutMs: 120_000, signal });
    await rename(temporary, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function removeOld(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const built = await stat(join(parent, name)).catch(() => undefined); // another process may have removed it
    if (built && Date.now() - built.mtimeMs > keptForMs) await rm(join(parent, name), { recursive: true, force: true });
  }
}

export interface RunningWeb extends RunningServer {
  /** `http://localhost:3001` */
  url: string;
}

/**
 * Starts the dashboard's server and waits until it responds.
 * @param env includes `WEB_SERVER_URL` and `WEB_PORT`.
 * @throws {Error} with its last output if it exits first or takes longer than a minute.
 */
export async function startWeb(
  folder: string,
  { env, logFile }: { env: Record<string, string | undefined>; logFile: string },
  signal: AbortSignal,
): Promise<RunningWeb> {
  const command = [process.execPath, join(folder, "server", "main.ts")];
  const readyAt = `http://127.0.0.1:${env.WEB_PORT}/healthz`;
  const server = await startServer({ name: "The dashboard", command, cwd: folder, env, logFile, readyAt, graceMs: 5_000 }, signal);
  return { url: `http://localhost:${env.WEB_PORT}`, ...server };
}
