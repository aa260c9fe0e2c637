/** Starts the parts that the service needs. */

import { join } from "node:path";
import { prepareBlocklists } from "./blocklists.ts";
import { type LocalChromium, localChromium } from "./chromium.ts";
import { startPostgres } from "./postgres.ts";
import { progress } from "./progress.ts";
import { startRedis } from "./redis.ts";

export interface StackOptions {
  /** Whether to start the two servers; false where there is one already. */
  postgres: boolean;
  redis: boolean;
  chromium: { configuredPath: string; sandbox: "auto" | boolean };
  /** Where the data lies. */
  folder: string;
  /** Nothing of the data is wanted later. */
  throwAway: boolean;
}

export interface Stack extends AsyncDisposable {
  /** Of the server that was started; undefined where none was to be. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  chromium: LocalChromium;
}

/**
 * Starts what is asked for and finds a Chromium and the filter lists, everything at the same time. Whoever called disposes of it, which stops what was started here.
 * @throws {Error} of the first part that cannot be had, after the others were stopped.
 */
export async function startStack(options: StackOptions, say: (words: string) => void, signal: AbortSignal): Promise<Stack> {
  const { folder, throwAway } = options;
  const parts = new AsyncDisposableStack();
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const start = async <Part extends { url: string; stop(): Promise<void> }>(
    wanted: boolean,
    make: () => Promise<Part>,
  ): Promise<string | undefined> => {
    if (!wanted) return undefined;
    const part = await make();
    parts.defer(() => part.stop());
    return part.url;
  };
  const starting = [
    progress.track(
      "PostgreSQL",
      start(options.postgres, () => startPostgres({ folder, throwAway }, say, either)),
    ),
    progress.track(
      "Redis",
      start(options.redis, () => startRedis({ folder: throwAway ? undefined : join(folder, "redis") }, say, either)),
    ),
    progress.track("Chromium", localChromium(options.chromium, say, either)),
    progress
      .track("filter lists", prepareBlocklists(say, either))
      .catch((error: Error) => say(`Ads, trackers, cookie banners and chats can't be blocked: ${error.message}`)),
  ] as const;
  try {
    const [databaseUrl, redisUrl, chromium] = await Promise.all(starting);
    return { databaseUrl, redisUrl, chromium, [Symbol.asyncDispose]: () => parts.disposeAsync() };
  } catch (error) {
    failed.abort();
    await Promise.allSettled(starting);
    await parts.disposeAsync();
    throw error;
  }
}

/** Settings of the service, or of a test, for these parts. */
export function chromiumSettings({ executablePath, sandbox, env }: LocalChromium): Record<string, string> {
  return { PUPPETEER_EXECUTABLE_PATH: executablePath, CHROMIUM_SANDBOX: String(sandbox), ...env };
}
