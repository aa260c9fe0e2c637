/** Starts what the service depends on. */

import { join } from "node:path";
import { prepareBlocklists } from "./blocklists.ts";
import { type LocalChromium, localChromium } from "./chromium.ts";
import { startPostgres } from "./postgres.ts";
import { progress } from "./progress.ts";
import { startRedis } from "./redis.ts";
import { stopAll } from "./together.ts";

export interface StackOptions {
  /** Whether to start PostgreSQL; false if one is provided. */
  postgres: boolean;
  redis: boolean;
  chromium: { configuredPath: string; sandbox: "auto" | boolean };
  /** Folder for the data. */
  folder: string;
  /** Whether the data can be discarded afterwards. */
  throwAway: boolean;
}

export interface Stack extends AsyncDisposable {
  /** URL of the started server; undefined if none was requested. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  chromium: LocalChromium;
}

/**
 * Starts the requested servers, and finds a Chromium and the filter lists, all concurrently. Disposing of it stops the servers.
 * @throws the error of the first part that fails, after the others have been stopped.
 */
export async function startStack(options: StackOptions, print: (message: string) => void, signal: AbortSignal): Promise<Stack> {
  const { folder, throwAway } = options;
  const parts: AsyncDisposable[] = [];
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const start = async <Part extends { url: string; stop(): Promise<void> }>(
    wanted: boolean,
    make: () => Promise<Part>,
  ): Promise<string | undefined> => {
    if (!wanted) return undefined;
    const part = await make();
    parts.push({ [Symbol.asyncDispose]: () => part.stop() });
    return part.url;
  };
  const starting = [
    progress.track(
      "PostgreSQL",
      start(options.postgres, () => startPostgres({ folder, throwAway }, print, either)),
    ),
    progress.track(
      "Redis",
      start(options.redis, () => startRedis({ folder: throwAway ? undefined : join(folder, "redis") }, print, either)),
    ),
    progress.track("Chromium", localChromium(options.chromium, print, either)),
    progress
      .track("filter lists", prepareBlocklists(print, either))
      .catch((error: Error) => print(`Ads, trackers, cookie banners and chats can't be blocked: ${error.message}`)),
  ] as const;
  try {
    const [databaseUrl, redisUrl, chromium] = await Promise.all(starting);
    return { databaseUrl, redisUrl, chromium, [Symbol.asyncDispose]: () => stopAll(parts) };
  } catch (error) {
    failed.abort();
    await Promise.allSettled(starting);
    await stopAll(parts);
    throw error;
  }
}

/** Settings that make the service or a test use this Chromium. */
export function chromiumSettings({ executablePath, sandbox, env }: LocalChromium): Record<string, string> {
  return { PUPPETEER_EXECUTABLE_PATH: executablePath, CHROMIUM_SANDBOX: String(sandbox), ...env };
}
