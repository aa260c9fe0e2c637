/**
 * `npm test [-- [--coverage] [--rerun-failed] [FILE…] [Node's flags]]`: runs the tests with a temporary PostgreSQL and Redis, and Chromium.
 * `npm run test:long`: runs the long tests. `--rerun-failed` runs files that fail once more, alone.
 */

import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runInTerminal } from "./stack/child.ts";
import { runCommand } from "./stack/command.ts";
import { root, throwAwayFolder } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { namedTests } from "./stack/named-tests.ts";
import { chromiumSettings, startStack } from "./stack/stack.ts";
import { builtWeb } from "./stack/web.ts";

const coverageFlags = ["--experimental-test-coverage", "--test-coverage-include=src/**/*.ts"];
/** So many that fail are no accident of timing. */
const rerunMax = 10;
const signal = interruption();
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  const [isLong, isCovered] = [args.includes("--long"), args.includes("--coverage")];
  const files = args.filter((arg) => !arg.startsWith("-"));
  const flags = args.filter((arg) => arg.startsWith("-") && !["--coverage", "--long", "--rerun-failed"].includes(arg));
  const chosen = files.length > 0 ? namedTests(files) : testFiles(isLong);
  if (chosen.length === 0) throw new Error("There are no tests: nothing matches test/**/*.test.ts.");
  const { TEST_DATABASE_URL, TEST_REDIS_URL, CHROMIUM_SANDBOX } = process.env;
  const configuredPath = process.env.TEST_CHROMIUM || process.env.PUPPETEER_EXECUTABLE_PATH || "";
  await using folder = await throwAwayFolder();
  const needsWeb = chosen.some((file) => /\bweb\b/.test(file));
  const building = needsWeb ? builtWeb(signal, () => console.log("Building the dashboard ...")) : Promise.resolve("");
  building.catch(() => {}); // it may fail before it is awaited
  await using stack = await startStack(
    {
      postgres: !TEST_DATABASE_URL,
      redis: !TEST_REDIS_URL,
      chromium: { configuredPath, sandbox: CHROMIUM_SANDBOX ? CHROMIUM_SANDBOX !== "false" : "auto" },
      folder: folder.path,
      throwAway: true,
    },
    (message) => console.log(message),
    signal,
  );
  const { PUPPETEER_EXECUTABLE_PATH, ...chromium } = chromiumSettings(stack.chromium);
  const env = {
    ...process.env,
    ...chromium,
    TEST_CHROMIUM: PUPPETEER_EXECUTABLE_PATH,
    TEST_WEB: process.env.TEST_WEB || (await building),
    TEST_DATABASE_URL: TEST_DATABASE_URL || stack.databaseUrl,
    TEST_REDIS_URL: TEST_REDIS_URL || stack.redisUrl,
    // Every test file loads the whole service. Not with coverage, which is less precise with cached code.
    ...(isCovered ? {} : { NODE_COMPILE_CACHE: join(folder.path, "compiled") }),
  };
  // The last of two equal flags counts, so the user's come last.
  const ours = [`--test-concurrency=${isLong ? 1 : filesAtOnce()}`, "--test-timeout=120000", ...(isCovered ? coverageFlags : [])];
  const run = (more: string[]) => runInTerminal([process.execPath, "--test", ...ours, ...flags, ...more], { cwd: root, env }, signal);
  // Awaited here, because the stack is stopped when this function returns.
  if (!args.includes("--rerun-failed")) return await run(chosen);
  return await rerunFailed(run, chosen, join(folder.path, "failed-files"));
}

/** Runs `files`, and what failed of them once more, and says so. @param list a path for the list of failed files. */
async function rerunFailed(run: (more: string[]) => Promise<number>, files: string[], list: string): Promise<number> {
  const toList = ["--test-reporter=./scripts/stack/failed-files.ts", `--test-reporter-destination=${list}`];
  const exitCode = await run(["--test-reporter=spec", "--test-reporter-destination=stdout", ...toList, ...files]);
  const failed = exitCode === 0 ? [] : [...new Set(readFileSync(list, "utf8").split("\n").filter(Boolean))];
  if (failed.length === 0 || failed.length > rerunMax || signal.aborted) return exitCode;
  const names = failed.join(", ");
  console.log(`Failed: ${names}. Running again what failed, one file at a time ...`);
  const secondExitCode = await run(["--test-concurrency=1", ...failed]);
  console.log(`${secondExitCode === 0 ? "Failed beside other files, passed alone" : "Failed, and not all of it passed alone"}: ${names}.`);
  return secondExitCode;
}

/** Files of the default suite, or of the long one, `*.long.test.ts`. */
function testFiles(isLong: boolean): string[] {
  return globSync("test/**/*.test.ts", { cwd: root })
    .filter((file) => file.endsWith(".long.test.ts") === isLong)
    .sort();
}

/** Concurrent test files: one more than there are cores, because tests mostly wait. Each needs up to 1 GB. */
function filesAtOnce(): number {
  return Math.min(Math.max(availableParallelism() + 1, 3), 8);
}
