/** Runs the command line the way an operator does, with only the settings of a database. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { DatabaseSettings } from "../../src/database/database.ts";

const script = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));

export interface CliOutcome {
  code: number;
  /** Standard output. */
  out: string;
  /** Standard error. */
  words: string;
}

/** @param extra settings in addition to the database's. */
export function cliOn(settings: DatabaseSettings, extra: Record<string, string> = {}): (...args: string[]) => Promise<CliOutcome> {
  const { NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}),
    DATABASE_HOST: settings.host,
    DATABASE_PORT: String(settings.port),
    DATABASE_NAME: settings.database,
    DATABASE_USER: settings.user,
    DATABASE_PASSWORD: settings.password || "none",
    ...extra,
  };
  return (...args) =>
    new Promise((resolve) => {
      execFile(process.execPath, [script, ...args], { env, timeout: 60_000 }, (error, out, words) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, out, words }),
      );
    });
}
