/** The commands of the command line: what each takes and does. */

import { text } from "node:stream/consumers";
import type { parseArgs } from "node:util";
import type pg from "pg";
import { choosePlan, createApiKey, createUser, findActiveKey, listKeys, revokeKey, setPlan } from "./accounts/admin.ts";
import { createSignatures } from "./accounts/keys/signature.ts";
import { resetPassword, setRole } from "./accounts/people/people.ts";
import { planOf } from "./accounts/usage/plans.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { inTransaction } from "./database.ts";

/** Something is wrong with the command line itself; the usage text follows the message. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Options of all commands, as `parseArgs` takes them. */
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

export type Given = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>["values"];

export interface Command {
  /** Names of the arguments; one in brackets may be left out. */
  positionals: string[];
  options: (keyof Given)[];
  /**
   * Runs on an up-to-date schema.
   * @param readSettings reads what the command needs beside the database's settings; throws `ConfigError` for a missing one.
   */
  run(pool: pg.Pool, positionals: string[], given: Given, readSettings: ReadSettings): Promise<void>;
}

type ReadSettings = <Name extends keyof Config & string>(...names: Name[]) => Promise<Pick<Config, Name>>;

/** Writes a line for the operator; standard output is for the result alone. */
export const say = (text: string) => process.stderr.write(`${text}\n`);
export const print = (text: string) => process.stdout.write(`${text}\n`);

/** By name. */
export const commands: Record<string, Command> = {
  migrate: {
    positionals: [],
    options: [],
    async run() {
      say("The schema is up to date."); // as before every command
    },
  },
  "user:create": {
    positionals: ["EMAIL"],
    options: ["name", "plan"],
    async run(pool, [email = ""], { name, plan }) {
      const user = await inTransaction(pool, async (client) => {
        const created = await createUser(client, email, name);
        if (plan !== undefined) await choosePlan(client, created.id, { planId: plan });
        return created;
      });
      say(`Created ${user.email} on the plan ${await planAndLimits(pool, user.id)}`);
      if (plan === undefined) say("user:create --plan or plan:set chooses another plan.");
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
      const user = await setPlan(pool, email, { planId, rateLimit: integerOf("rate-limit", given["rate-limit"], 1), quota });
      say(`${user.email} is on the plan ${await planAndLimits(pool, user.id)}`);
    },
  },
  "key:create": {
    positionals: ["EMAIL"],
    options: ["name", "domain", "target", "allow-missing-origin", "require-signature", "expires"],
    async run(pool, [email = ""], given, readSettings) {
      const { DEFAULT_API_KEY_PREFIX: prefix } = await readSettings("DEFAULT_API_KEY_PREFIX");
      const key = await createApiKey(pool, email, {
        prefix,
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
    async run(pool, [which = ""], _given, readSettings) {
      const { AUTH_SECRET: secret } = await readSettings("AUTH_SECRET");
      const { id, hint } = await findActiveKey(pool, which);
      say(`Signs requests with the key ${hint}:`);
      print(createSignatures(secret, systemClock).secretOf(id));
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

/** `free: 10 requests a minute, 100 screenshots a month.` */
async function planAndLimits(pool: pg.Pool, userId: string): Promise<string> {
  const { id, rateLimit, monthlyQuota } = await planOf(pool, userId);
  const requests = rateLimit === null ? "the service's own request limit" : `${rateLimit} requests a minute`;
  const screenshots = monthlyQuota === null ? "screenshots without limit" : `${monthlyQuota} screenshots a month`;
  return `${id}: ${requests}, ${screenshots}.`;
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
