/** The operator's command line: migrations, users, plans and keys. */

import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type pg from "pg";
import { pino } from "pino";
import { AdminError, createApiKey, createUser, findActiveKey, listKeys, revokeKey, setPlan } from "./accounts/admin.ts";
import { resetPassword, setRole } from "./accounts/people.ts";
import { createSignatures } from "./accounts/signature.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { createPool, databaseSettingsOf, isDatabaseAway, migrate } from "./database.ts";
import { ConfigError, readConfig } from "./read-config.ts";

const usage = `Usage: node src/cli.ts COMMAND

  migrate                              bring the database's schema up to date
  user:create EMAIL [--name NAME]
  user:reset-password EMAIL [--password-stdin]
                                       prints a new password, or reads one from
                                       standard input; all sessions end
  user:grant-admin EMAIL [--revoke]
  plan:set EMAIL PLAN [--rate-limit N] [--quota N|unlimited]
                                       limits that aren't given are the plan's;
                                       unlimited is for plans without a quota
  key:create EMAIL [--name NAME] [--domain D]... [--target T]...
             [--allow-missing-origin] [--require-signature]
             [--expires ISO-TIME]      prints the key, this once
  key:secret ID-OR-HINT                prints the secret that signs its requests
  key:list [EMAIL]
  key:revoke ID-OR-HINT                at once and for good

Settings come from the environment, the same as the server's.
`;

/** Something is wrong with the command line itself; the usage text follows the message. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

const options = {
  name: { type: "string" },
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

type Given = ReturnType<typeof parse>["values"];

interface Command {
  /** Names of the arguments; one in brackets may be left out. */
  positionals: string[];
  options: (keyof Given)[];
  run(pool: pg.Pool, positionals: string[], given: Given, config: Config): Promise<void>;
}

const say = (text: string) => process.stderr.write(`${text}\n`);
const print = (text: string) => process.stdout.write(`${text}\n`);
const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));

const commands: Record<string, Command> = {
  migrate: {
    positionals: [],
    options: [],
    async run(_pool, _positionals, _given, config) {
      await migrate(databaseSettingsOf(config), log);
      say("The schema is up to date.");
    },
  },
  "user:create": {
    positionals: ["EMAIL"],
    options: ["name"],
    async run(pool, [email = ""], { name }) {
      const user = await createUser(pool, email, name);
      say(`Made the user ${user.email}.`);
      print(user.id);
    },
  },
  "user:reset-password": {
    positionals: ["EMAIL"],
    options: ["password-stdin"],
    async run(pool, [email = ""], given) {
      const own = given["password-stdin"] ? (await text(process.stdin)).replace(/\r?\n$/, "") : undefined;
      const password = await resetPassword(pool, email, own);
      say(`The password of ${email} is set, and all sessions have ended.`);
      if (own === undefined) print(password);
    },
  },
  "user:grant-admin": {
    positionals: ["EMAIL"],
    options: ["revoke"],
    async run(pool, [email = ""], { revoke }) {
      await setRole(pool, email, revoke ? "user" : "admin");
      say(`${email} is ${revoke ? "no administrator any more" : "an administrator"}.`);
    },
  },
  "plan:set": {
    positionals: ["EMAIL", "PLAN"],
    options: ["rate-limit", "quota"],
    async run(pool, [email = "", planId = ""], given) {
      const quota = given.quota === "unlimited" ? "unlimited" : integerOf("quota", given.quota, 0);
      await setPlan(pool, email, { planId, rateLimit: integerOf("rate-limit", given["rate-limit"], 1), quota });
      say(`${email} is on the plan ${planId}.`);
    },
  },
  "key:create": {
    positionals: ["EMAIL"],
    options: ["name", "domain", "target", "allow-missing-origin", "require-signature", "expires"],
    async run(pool, [email = ""], given, config) {
      const key = await createApiKey(pool, email, {
        prefix: config.DEFAULT_API_KEY_PREFIX,
        name: given.name,
        domains: given.domain,
        targets: given.target,
        allowMissingOrigin: given["allow-missing-origin"],
        requireSignature: given["require-signature"],
        expiresAt: timeOf(given.expires),
      });
      say(`A key for ${email}; it can't be shown again:`);
      print(key);
    },
  },
  "key:secret": {
    positionals: ["ID-OR-HINT"],
    options: [],
    async run(pool, [which = ""], _given, config) {
      const { id, hint } = await findActiveKey(pool, which);
      say(`Signs requests with the key ${hint}:`);
      print(createSignatures(config.AUTH_SECRET, systemClock).secretOf(id));
    },
  },
  "key:list": {
    positionals: ["[EMAIL]"],
    options: [],
    async run(pool, [email]) {
      const keys = await listKeys(pool, email);
      print(["ID", "HINT", "USER", "NAME", "STATE", "LAST USED", "DOMAINS", "TARGETS"].join("\t"));
      for (const key of keys) {
        const used = key.lastUsedAt?.toISOString() ?? "never";
        print(
          [key.id, key.hint, key.email, key.name, key.state, used, key.domains.join(",") || "any", key.targets.join(",") || "any"].join(
            "\t",
          ),
        );
      }
    },
  },
  "key:revoke": {
    positionals: ["ID-OR-HINT"],
    options: [],
    async run(pool, [which = ""]) {
      const { id, hint } = await revokeKey(pool, which);
      say(`Revoked ${hint} (${id}).`);
    },
  },
};

async function main(): Promise<void> {
  const { values, positionals: words } = parse(process.argv.slice(2));
  if (values.help) {
    print(usage);
    return;
  }
  const [name, ...positionals] = words;
  const command = commandOf(name);
  checkShape(command, positionals, values);
  const config = await readConfig(process.env);
  const pool = createPool({ ...databaseSettingsOf(config), connectionsMax: 1 }, log);
  try {
    await command.run(pool, positionals, values, config);
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

function commandOf(name: string | undefined): Command {
  if (name === undefined) throw new UsageError("Which command?");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`There is no command "${name}".`);
  return command;
}

function checkShape(command: Command, positionals: string[], given: Given): void {
  const missing = command.positionals.slice(positionals.length).filter((argument) => !argument.startsWith("["));
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(", ")}.`);
  if (positionals.length > command.positionals.length) throw new UsageError("There are too many arguments.");
  for (const option of Object.keys(given) as (keyof Given)[]) {
    if (!command.options.includes(option)) throw new UsageError(`This command takes no --${option}.`);
  }
}

function integerOf(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= 2_147_483_647)) throw new UsageError(`--${option} is an integer from ${least} to 2147483647.`);
  return number;
}

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  // A time without a zone would be the server's local one.
  if (!/^\d{4}-\d\d-\d\d(T.+(Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(time.getTime())) {
    throw new UsageError("--expires is a date, 2030-01-31, or a time with its zone, 2030-01-31T12:00:00Z.");
  }
  return time;
}

function wordsFor(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usage}`;
  if (error instanceof AdminError || error instanceof ConfigError) return error.message;
  if (isDatabaseAway(error)) return `The database can't be used: ${(error as Error).message || (error as { code?: string }).code}`;
  if ((error as { code?: unknown }).code === "42P01") return "The database has no schema yet: run the command migrate first.";
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await main();
} catch (error) {
  say(wordsFor(error).trimEnd());
  process.exitCode = 1;
}
