/**
 * `npm test [-- [--rerun-failed] [--coverage] [FILE|FOLDER…] [Node's flags]]`: runs the tests with a temporary PostgreSQL and Redis, and
 * Chromium. `npm run test:long [-- FOLDER…]` runs the long tests, and resumes an earlier run of the same commit unless `--fresh` is set.
 * `--rerun-failed` reruns failed files once, one at a time. `--test-concurrency=N` runs N files concurrently.
 */

import { randomBytes } from "node:crypto";
import pg from "pg";
import { runInTerminal } from "./stack/child.ts";
import { runCommand } from "./stack/command.ts";
import { memoryParent, root, throwAwayFolder } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { progress } from "./stack/progress.ts";
import { chromiumSettings, startStack } from "./stack/stack.ts";
import { builtWeb } from "./stack/web.ts";
import { type Arguments, readArguments } from "./testing/arguments.ts";
import { longestFirst } from "./testing/durations.ts";
import { remainingFiles } from "./testing/long-run.ts";
import { runSuite } from "./testing/suite.ts";

const signal = interruption();
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  const given = readArguments(args);
  const files = given.isLong && !given.isFresh ? remainingFiles(given.files) : given.files;
  if (files.length === 0) {
    console.log("All of these tests have passed on this commit. Run them again with --fresh.");
    return 0;
  }
  const { TEST_DATABASE_URL, TEST_REDIS_URL, CHROMIUM_SANDBOX } = process.env;
  const configuredPath = process.env.TEST_CHROMIUM || process.env.PUPPETEER_EXECUTABLE_PATH || "";
  await using folder = await throwAwayFolder(given.isLong ? undefined : await memoryParent());
  const needsWeb = files.some((file) => /\bweb\b/.test(file));
  const building = needsWeb ? builtWeb(signal, () => progress.say("Building the dashboard ...")) : Promise.resolve("");
  building.catch(() => {}); // it may fail before it is awaited
  await using stack = await startStack(
    {
      postgres: !TEST_DATABASE_URL,
      redis: !TEST_REDIS_URL,
      chromium: { configuredPath, sandbox: CHROMIUM_SANDBOX ? CHROMIUM_SANDBOX !== "false" : "auto" },
      folder: folder.path,
      throwAway: true,
    },
    progress.say,
    signal,
  );
  const databaseUrl = TEST_DATABASE_URL || stack.databaseUrl || "";
  const redisUrl = TEST_REDIS_URL || stack.redisUrl || "";
  await using template = databaseTemplate(databaseUrl);
  const { PUPPETEER_EXECUTABLE_PATH, ...chromium } = chromiumSettings(stack.chromium);
  const { NODE_TEST_CONTEXT, ...base } = process.env; // set if a test starts this command
  const env = {
    ...base,
    ...chromium,
    TEST_CHROMIUM: PUPPETEER_EXECUTABLE_PATH,
    TEST_WEB: process.env.TEST_WEB || (await building),
    TEST_SUITE: given.isLong ? "long" : "default",
    TEST_DATABASE_URL: databaseUrl,
    TEST_REDIS_URL: redisUrl,
    TEST_DATABASE_TEMPLATE: template.name, // created by the first file that needs it
    TEST_SHARED_FOLDER: folder.path,
  };
  // Awaited here, because the stack is stopped when this function returns.
  if (given.isCovered) return await runCovered(given, files, env);
  return await runSuite(
    { ...given, files: given.isLong ? files : longestFirst(files) },
    { env, folder: folder.path, databaseUrl, redisUrl },
    signal,
  );
}

/** Runs the files with Node's own runner, which merges their coverage. */
async function runCovered({ filesAtOnce, flags }: Arguments, files: string[], env: Record<string, string | undefined>): Promise<number> {
  const coverage = ["--experimental-test-coverage", "--test-coverage-include=src/**/*.ts"];
  return await runInTerminal(
    [process.execPath, "--test", `--test-concurrency=${filesAtOnce}`, ...coverage, ...flags, ...files],
    { cwd: root, env },
    signal,
  );
}

/** The template database that tests copy. Disposing of it drops the database, because the server at `url` may be the user's own. */
function databaseTemplate(url: string): AsyncDisposable & { name: string } {
  const name = `tintype_template_${randomBytes(8).toString("hex")}`;
  const remove = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 60_000 });
    client.on("error", () => {}); // the statement rejects
    try {
      await client.connect();
      for (const one of [name, `${name}_unfinished`]) await client.query(`drop database if exists ${one} with (force)`);
    } catch (error) {
      console.log(`The database ${name} was not removed: ${(error as Error).message}`);
    } finally {
      await client.end().catch(() => {});
    }
  };
  return { name, [Symbol.asyncDispose]: remove };
}
