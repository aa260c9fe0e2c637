/**
 * Runs the whole service in one container, for trying it out and for small sites: the API, the dashboard, PostgreSQL and Redis, with all
 * data in `TINTYPE_DATA`. With `cli …`: runs the command line on the running service.
 */

import { globSync } from "node:fs";
import { access, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./stack/command.ts";
import { localFolder, toolsFolder } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { keyAndPasswordOf } from "./stack/keys.ts";
import { claimFileIn, runCli, shareWithCli } from "./stack/local-cli.ts";
import { claim } from "./stack/single-run.ts";
import { startWeb } from "./stack/web.ts";
import { type Environment, startWhole } from "./stack/whole.ts";

const administrator = { file: "api-key", email: "admin@example.com", plan: ["enterprise"] };
const signal = interruption();
await runCommand(main, signal);

async function main([command, ...args]: string[]): Promise<number> {
  if (command === undefined) return await serve();
  if (command !== "cli") throw new Error("Usage: single.ts [cli COMMAND]");
  return await runCli(args, signal);
}

async function serve(): Promise<number> {
  const since = performance.now();
  console.log(
    [
      "Tintype, as a single container with an embedded PostgreSQL and Redis: for trying it, and for small sites.",
      `All data is in ${localFolder}: without a volume there, it is lost with the container. For more than one machine, or for backups`,
      "without a pause, use the images tintype and tintype-web with stores of their own (docs/operations.md).",
    ].join("\n"),
  );
  await mkdir(toolsFolder, { recursive: true });
  await removeLeftovers();
  await using _claim = await claim(claimFileIn(localFolder));
  const isNew = !(await exists(join(localFolder, administrator.file)));
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
  const { PORT = "3000", WEB_PORT = "3001" } = given;
  const env: Environment = {
    ENABLE_METRICS: "false",
    WEB_PUBLIC_URL: `http://localhost:${WEB_PORT}`,
    TRUST_PROXY: "127.0.0.1",
    LOG_LEVEL: "warn",
    NODE_ENV: "production",
    ...given,
    PORT,
    WEB_PORT,
  };
  await using running = await startWhole({ folder: localFolder, throwAway: false, env }, signal);
  await using _shared = await shareWithCli(localFolder, running.env);
  const { service } = running;
  const context = { folder: localFolder, url: service.url, env: running.env };
  const dashboard = startDashboard({ ...env, WEB_SERVER_URL: service.url });
  const account = keyAndPasswordOf(administrator, context, signal);
  await Promise.allSettled([dashboard, account]); // both concurrently; if one fails, the other is stopped
  await using web = await dashboard;
  const [key, password] = await account;
  console.log(
    [
      `ready after ${((performance.now() - since) / 1000).toFixed(1)} s: http://localhost:${PORT}`,
      ...(isNew
        ? [
            "",
            `  curl --fail-with-body -o screenshot.jpg 'http://localhost:${PORT}/v1/screenshots/take?api_key=${key}&url=https://example.com'`,
            "",
            `  Dashboard: ${env.WEB_PUBLIC_URL}, as ${administrator.email}, an administrator, with the password ${password}`,
          ]
        : []),
      `  The key is in ${join(localFolder, administrator.file)}, the password in demo-password, and the log in service.log beside it.`,
    ].join("\n"),
  );
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  const failure = await Promise.race([service.ended, web.ended, stopped]);
  if (failure !== undefined) console.error(failure);
  return failure === undefined ? 0 : 1;
}

/**
 * Removes the files with process ids that a killed container left behind: in this container these ids belong to other processes, and
 * PostgreSQL would not start. The image's command holds a lock on the folder, so that no other container uses it.
 */
async function removeLeftovers(): Promise<void> {
  for (const file of [claimFileIn(localFolder), ...globSync(join(localFolder, "postgres-*/data/postmaster.pid"))])
    await rm(file, { force: true });
}

/** In the image, the dashboard is already built; elsewhere there is no dashboard without `TINTYPE_WEB`. */
async function startDashboard(env: Environment): Promise<AsyncDisposable & { ended: Promise<string> }> {
  const folder = process.env.TINTYPE_WEB;
  if (!folder) return { [Symbol.asyncDispose]: async () => {}, ended: new Promise(() => {}) };
  const { ended, stop } = await startWeb(folder, { env, logFile: join(localFolder, "web.log") }, signal);
  return { ended, [Symbol.asyncDispose]: stop };
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
