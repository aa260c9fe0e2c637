#!/usr/bin/env node
/** The `tintype` command: screenshots, batches, watches, sessions and destinations with a service. */

import { TintypeError } from "../errors.ts";
import { runBatch } from "./batch.ts";
import { runDestination } from "./destination.ts";
import { nearest } from "./nearest.ts";
import { exitCodes, exitsUsage, print, say, UsageError } from "./say.ts";
import { sharedUsage } from "./service.ts";
import { runSession } from "./session.ts";
import { runTake } from "./take.ts";
import { runWatch } from "./watch.ts";

const usage = `Usage: tintype COMMAND

  take URL -o FILE                  one screenshot
  batch FILE --out=FOLDER           the pages of a list, a sitemap or a site
  watch add URL | list | runs ID | remove ID
                                    pages that are captured on a schedule
  session add FILE | list | sign-in NAME | remove NAME
                                    sign-ins for pages that need one
  destination add FILE | list | test NAME | remove NAME
                                    buckets to which screenshots are copied

Each has its own --help.

${sharedUsage}
${exitsUsage}`;

const commands: Record<string, (args: string[], env: NodeJS.ProcessEnv) => Promise<number>> = {
  take: runTake,
  batch: runBatch,
  watch: runWatch,
  session: runSession,
  destination: runDestination,
};

async function main([name = "--help", ...args]: string[]): Promise<number> {
  if (name === "--help" || name === "-h" || name === "help") {
    print(usage.trimEnd());
    return exitCodes.done;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return await command(args, process.env);
  const near = nearest(name, Object.keys(commands));
  throw new UsageError(`There is no command ${name}${near ? ` (did you mean ${near}?)` : ""}.`);
}

/** Handles an error: prints its message to standard error, and returns its exit code. */
function fail(error: unknown): number {
  const { message, stack } = error as Error;
  if (error instanceof UsageError) {
    const command = Object.hasOwn(commands, process.argv[2] ?? "") ? ` ${process.argv[2]}` : "";
    say(`${message} See tintype${command} --help.`);
    return exitCodes.usage;
  }
  if (error instanceof TintypeError) {
    say(message);
    return isOfPage(error) ? exitCodes.failed : exitCodes.refused;
  }
  say((error as { code?: string }).code === undefined ? (stack ?? message) : message);
  return exitCodes.failed;
}

/** Whether the page can't be captured, as opposed to a problem with the request or the service. */
function isOfPage({ status, code }: TintypeError): boolean {
  return status === 400 && code !== "invalid_parameters" && code !== "invalid_url";
}

process.stderr.on("error", () => {}); // its reader has exited, but the result is still wanted
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit(exitCodes.unread);
  say(`The result can't be written: ${message}.`);
  process.exit(exitCodes.failed);
});
process.exitCode = await main(process.argv.slice(2)).catch(fail);
