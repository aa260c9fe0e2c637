/** Lets the command line use the running local service's database. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { settings } from "../../src/settings/config.ts";
import { runInTerminal } from "./child.ts";
import { localFolder, root } from "./folders.ts";
import { ownerOf } from "./single-run.ts";
import type { Environment } from "./whole.ts";

const names = Object.keys(settings.shape);
const fileIn = (folder: string) => join(folder, "cli-settings.json");

/** The lock file of a local service in `folder`. */
export const claimFileIn = (folder: string) => join(folder, "run.pid");

/** Writes the command line's settings to `folder`, readable by this user only; disposing of it removes the file. */
export async function shareWithCli(folder: string, env: Environment): Promise<AsyncDisposable> {
  const file = fileIn(folder);
  const shared = Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  await rm(file, { force: true }); // one left behind by a killed run could have different permissions
  await writeFile(file, JSON.stringify(shared), { mode: 0o600 });
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/** Runs the command line in this terminal, with the running service's settings, which `--help` doesn't need. */
export async function runCli(args: string[], signal: AbortSignal): Promise<number> {
  const needsService = args.length > 0 && !args.some((arg) => arg === "--help" || arg === "-h");
  const env = { ...process.env, ...(needsService ? await settingsForCli(localFolder) : {}) };
  return await runInTerminal([process.execPath, join(root, "src/cli.ts"), ...args], { cwd: root, env, stdin: true }, signal);
}

/** @throws {Error} if no local service is running in `folder`, or it isn't ready. */
export async function settingsForCli(folder: string): Promise<Environment> {
  if (ownerOf(claimFileIn(folder)) === undefined)
    throw new Error("No local service is running here: start one with `npm run local` in another terminal, and wait until it is ready.");
  try {
    return JSON.parse(await readFile(fileIn(folder), "utf8")) as Environment;
  } catch (error) {
    throw new Error("The local service is still starting: try again when it is ready.", { cause: error });
  }
}
