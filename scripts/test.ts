/** `npm test [-- [--coverage] [FILE…] [node's flags]]`: the tests, against a PostgreSQL, a Redis and a Chromium of their own. */

import { globSync } from "node:fs";
import { runInTerminal } from "./stack/child.ts";
import { runCommand } from "./stack/command.ts";
import { root, throwAwayFolder } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { namedTests } from "./stack/named-tests.ts";
import { chromiumSettings, startStack } from "./stack/stack.ts";
import { builtWeb } from "./stack/web.ts";

const signal = interruption();
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  const files = args.filter((arg) => !arg.startsWith("-"));
  const flags = args.filter((arg) => arg.startsWith("-") && arg !== "--coverage");
  const coverage = args.includes("--coverage") ? ["--experimental-test-coverage", "--test-coverage-include=src/**/*.ts"] : [];
  const chosen = files.length > 0 ? namedTests(files) : globSync("test/**/*.test.ts", { cwd: root }).sort();
  if (chosen.length === 0) throw new Error("There are no tests: nothing matches test/**/*.test.ts.");
  const { TEST_DATABASE_URL, TEST_REDIS_URL, CHROMIUM_SANDBOX } = process.env;
  const configuredPath = process.env.TEST_CHROMIUM || process.env.PUPPETEER_EXECUTABLE_PATH || "";
  await using folder = await throwAwayFolder();
  const needsWeb = chosen.some((file) => /\bweb\b/.test(file));
  const building = needsWeb ? builtWeb(signal, () => console.log("Building the web front end ...")) : Promise.resolve("");
  building.catch(() => {}); // also when it fails before it is awaited
  await using stack = await startStack(
    {
      postgres: !TEST_DATABASE_URL,
      redis: !TEST_REDIS_URL,
      chromium: { configuredPath, sandbox: CHROMIUM_SANDBOX ? CHROMIUM_SANDBOX !== "false" : "auto" },
      folder: folder.path,
      throwAway: true,
    },
    (words) => console.log(words),
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
  };
  // Awaited here, because the parts are stopped on the way out.
  return await runInTerminal(
    [process.execPath, "--test", "--test-timeout=120000", ...coverage, ...flags, ...chosen],
    { cwd: root, env },
    signal,
  );
}
