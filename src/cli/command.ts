/** Command-line plumbing: the type of a command, the options of all commands, and output. */

import type { parseArgs } from "node:util";
import type { Database } from "../database/database.ts";
import type { Config } from "../settings/config.ts";

/** An invalid command line; the message is followed by the usage text. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The options of all commands, for `parseArgs`. */
export const options = {
  name: { type: "string" },
  plan: { type: "string" },
  "rate-limit": { type: "string" },
  quota: { type: "string" },
  domain: { type: "string", multiple: true },
  target: { type: "string", multiple: true },
  "allow-missing-origin": { type: "boolean" },
  "require-signature": { type: "boolean" },
  expires: { type: "string" },
  "password-stdin": { type: "boolean" },
  revoke: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export type CommandOptions = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>["values"];

export interface CliCommand {
  /** Names of the arguments; brackets mark optional arguments. Default: none. */
  positionals?: string[];
  /** Default: none. */
  options?: (keyof CommandOptions)[];
  /**
   * Runs against an up-to-date schema.
   * @param readSettings reads any additional settings that the command needs; throws `ConfigError` if one is missing or invalid.
   */
  run(database: Database, positionals: string[], given: CommandOptions, readSettings: ReadSettings): Promise<void>;
}

type ReadSettings = <Name extends keyof Config & string>(...names: Name[]) => Promise<Pick<Config, Name>>;

/** Writes a line for the operator to standard error; standard output is reserved for the result. */
export const say = (text: string) => process.stderr.write(`${text}\n`);
export const print = (text: string) => process.stdout.write(`${text}\n`);

/** Parses the value of `--expires`. @throws {UsageError} unless it is a valid time in the future. */
export function futureTimeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  // A time without a UTC offset would be interpreted in the server's time zone.
  if (!/^\d{4}-\d\d-\d\d(T.+(Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(time.getTime())) {
    throw new UsageError(
      "--expires must be a date, such as 2030-01-31, or a date and time with a UTC offset, such as 2030-01-31T12:00:00Z.",
    );
  }
  if (time <= new Date()) throw new UsageError("--expires must be in the future.");
  return time;
}
