/** The operator's command line: migrations, users, invitations, plans, keys, `doctor` and `mcp`. */

import { parseArgs } from "node:util";
import { pino } from "pino";
import { type CliCommand, type CommandOptions, options, print, say, UsageError } from "./cli/command.ts";
import { commands } from "./cli/commands.ts";
import { createPool } from "./database/create-pool.ts";
import { asUnavailable, createDatabase } from "./database/database.ts";
import { applyMigrations, migrate, PartitionsFailed } from "./database/migrate.ts";
import { databaseSettingNames, databaseSettingsOf } from "./settings/database-settings.ts";
import { ConfigError, readConfig } from "./settings/read-config.ts";
import { AppError } from "./shared/errors.ts";

const usage = `Usage: node src/cli.ts COMMAND

  migrate                              bring the database schema up to date
  user:create EMAIL [--name NAME] [--plan free|pro|enterprise]
                                       the default plan is free
  user:reset-password EMAIL [--password-stdin]
                                       prints a new password, or reads one from
                                       standard input; all sessions end
  user:reset-link EMAIL                prints a link with which the user chooses a
                                       new password; works once, for an hour
  user:reset-second-factor EMAIL       removes the user's authenticator app, recovery
                                       codes and passkeys; all sessions end
  user:confirm EMAIL                   marks the address as confirmed
  user:grant-admin EMAIL [--revoke]
  invite [EMAIL] [--plan PLAN] [--expires ISO-TIME]
                                       prints a link to sign up with, for EMAIL
                                       only or anyone; works once, for 7 days
  invite:list
  invite:revoke ID
  plan:set EMAIL PLAN [--rate-limit N] [--quota N|unlimited]
                                       the options override the plan's limits;
                                       unlimited is for plans without a quota
  key:create EMAIL [--name NAME] [--domain D]... [--target T]...
             [--allow-missing-origin] [--require-signature]
             [--expires ISO-TIME]      prints the key, only once
  key:secret ID-OR-HINT                prints the key's signing secret
  key:list [EMAIL]
  key:revoke ID-OR-HINT                permanent, takes effect immediately
  doctor [URL]                         checks settings, stores, browser, fonts and
                                       network, and says what to do; with URL
                                       also whether that page can be reached
  mcp                                  tools for language models over standard input
                                       and output; TINTYPE_KEY is the key,
                                       TINTYPE_URL the service

Settings are environment variables: DATABASE_URL or its parts, for key:create
also DEFAULT_API_KEY_PREFIX, for key:secret AUTH_SECRET, for invite SIGN_UP and
WEB_PUBLIC_URL, for user:reset-link WEB_PUBLIC_URL. Every command but doctor
and mcp applies migrations first.

Screenshots, batches and watches: clients/typescript has the command tintype.
`;

const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));

async function main(): Promise<void> {
  const [first, ...rest] = process.argv.slice(2);
  if (first === "doctor") {
    process.exitCode = await (await import("./cli/doctor.ts")).runDoctor(rest, process.env);
    return;
  }
  if (first === "mcp") return await (await import("./cli/mcp.ts")).runMcp(process.env);
  const { values, positionals: given } = parse(process.argv.slice(2));
  if (values.help) {
    print(usage);
    return;
  }
  const [name, ...positionals] = given;
  const command = commandOf(name);
  checkShape(command, positionals, values);
  const database = databaseSettingsOf(await readConfig(process.env, databaseSettingNames));
  // A service that starts at the same time also applies the migrations; the migration lock serializes the two.
  await (name === "migrate" ? migrate : applyMigrations)(database, log);
  const pool = createPool({ ...database, connectionsMax: 1 }, log);
  try {
    const operator = createDatabase(pool, { via: "command", userId: null, ip: null });
    await command.run(operator, positionals, values, (...names) => readConfig(process.env, names));
  } finally {
    await pool.end();
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function commandOf(name: string | undefined): CliCommand {
  if (name === undefined) throw new UsageError("Missing command.");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`Unknown command "${name}".`);
  return command;
}

function checkShape({ positionals: names = [], options: known = [] }: CliCommand, positionals: string[], given: CommandOptions): void {
  const missing = names.slice(positionals.length).filter((argument) => !argument.startsWith("["));
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(", ")}.`);
  if (positionals.length > names.length) throw new UsageError("Too many arguments.");
  for (const option of Object.keys(given) as (keyof CommandOptions)[]) {
    if (!known.includes(option)) throw new UsageError(`This command doesn't support --${option}.`);
  }
}

function messageFor(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usage}`;
  if (process.argv[2] === "mcp") return (error as Error).message;
  if (error instanceof ConfigError || error instanceof PartitionsFailed) return error.message;
  const failure = asUnavailable(error);
  if (failure instanceof AppError && failure.code === "unavailable") {
    const { message, code } = failure.cause as Error & { code?: string };
    return `The database is unavailable: ${message || code}`;
  }
  if (failure instanceof AppError) return failure.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await main();
} catch (error) {
  say(messageFor(error).trimEnd());
  process.exitCode = 1;
}
