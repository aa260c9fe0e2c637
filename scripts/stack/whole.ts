/** Runs the whole service on this machine, with everything it depends on. */

import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { progress } from "./progress.ts";
import { type RunningService, startService } from "./service.ts";
import { chromiumSettings, startStack } from "./stack.ts";

export type Environment = Record<string, string | undefined>;

export interface RunningWhole extends AsyncDisposable {
  service: RunningService;
  /** The service's environment. */
  env: Environment;
  logFile: string;
}

/**
 * Starts the dependencies that `env` doesn't provide, and the service. Disposing of it stops everything.
 * @param options.throwAway whether the data in `folder` can be discarded afterwards.
 */
export async function startWhole(
  { folder, throwAway, env: base }: { folder: string; throwAway: boolean; env: Environment },
  signal: AbortSignal,
): Promise<RunningWhole> {
  await using parts = new AsyncDisposableStack();
  const stack = parts.use(
    await startStack(
      {
        postgres: !base.DATABASE_URL && !base.DATABASE_HOST,
        redis: !base.REDIS_URL && !base.REDIS_HOST,
        chromium: {
          configuredPath: base.PUPPETEER_EXECUTABLE_PATH ?? "",
          sandbox: base.CHROMIUM_SANDBOX ? base.CHROMIUM_SANDBOX !== "false" : "auto",
        },
        folder,
        throwAway,
      },
      progress.say,
      signal,
    ),
  );
  const env: Environment = {
    ...storage(folder),
    AUTH_SECRET: base.AUTH_SECRET || (await secretIn(folder)),
    ...base,
    ...(stack.databaseUrl === undefined ? {} : { DATABASE_URL: stack.databaseUrl }),
    ...(stack.redisUrl === undefined ? {} : { REDIS_URL: stack.redisUrl }),
    ...chromiumSettings(stack.chromium),
  };
  const logFile = join(folder, "service.log");
  const service = await progress.track("the service", startService({ env, logFile }, signal));
  parts.defer(() => service.stop());
  const started = parts.move();
  return { service, env, logFile, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** The service's settings from this process's environment; an empty value counts as absent. */
export function settings(): Environment {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
  return { HOST: "127.0.0.1", ...given, NODE_ENV: given.NODE_ENV === "production" ? "production" : "development" };
}

/** Stores images in a folder, which needs no credentials, unless the environment configures storage. */
function storage(folder: string): Environment {
  return {
    STORAGE_URL: pathToFileURL(join(folder, "images")).href,
    STORAGE_BUCKET: "tintype",
    STORAGE_REGION: "auto",
    STORAGE_ACCESS_KEY_ID: "local",
    STORAGE_SECRET_ACCESS_KEY: "local",
  };
}

async function secretIn(folder: string): Promise<string> {
  const file = join(folder, "auth-secret");
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept !== "") return kept;
  const secret = randomBytes(32).toString("hex");
  await mkdir(folder, { recursive: true });
  await writeFile(file, secret, { mode: 0o600 });
  return secret;
}
