/**
 * `npm test [-- [--coverage] [FILE…] [Node's flags]]`: runs the tests with a temporary PostgreSQL and Redis, and Chromium.
 * `npm run test:long`: runs the long tests.
 */

import { globSync } from "node:fs";
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
const signal = interruption();
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  const [isLong, isCovered] = [args.includes("--long"), args.includes("--coverage")];
  const files = args.filter((arg) => !arg.startsWith("-"));
  const flags = args.filter((arg) => arg.startsWith("-") && arg !== "--coverage" && arg !== "--long");
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
  // Awaited here, because the stack is stopped when this function returns.
  return await runInTerminal([process.execPath, "--test", ...ours, ...flags, ...chosen], { cwd: root, env }, signal);
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
