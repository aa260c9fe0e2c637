/** The operator's commands. */

import { text } from "node:stream/consumers";
import { normalizeDomainEntries } from "../accounts/keys/domains.ts";
import { findUnrevokedKey, listAllKeys } from "../accounts/keys/keys-of-any-user.ts";
import { createSignatures } from "../accounts/keys/restrictions.ts";
import { createKey, revokeKey } from "../accounts/keys/store.ts";
import { createInvitation, invitationLink, listInvitations, revokeInvitation } from "../accounts/people/invitations.ts";
import { createResetLink } from "../accounts/people/mailed-links.ts";
import { resetPassword } from "../accounts/people/passwords.ts";
import { resetSecondFactor } from "../accounts/people/second-factor.ts";
import { assertAddress, confirmAddress, createUser, findUser, setRole } from "../accounts/people/users.ts";
import { planOf, setPlan, setPlanIn } from "../accounts/usage/plans.ts";
import type { Database } from "../database/database.ts";
import { systemClock } from "../shared/clock.ts";
import { AppError } from "../shared/errors.ts";
import { type CliCommand, futureTimeOf, print, say, UsageError } from "./command.ts";

/** Days for which an invitation is valid by default. */
const defaultDays = 7;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Keyed by the command's name. */
export const commands: Record<string, CliCommand> = {
  invite: {
    positionals: ["[EMAIL]"],
    options: ["plan", "expires"],
    async run(database, [email], { plan: planId, expires }, readSettings) {
      const { SIGN_UP, WEB_PUBLIC_URL } = await readSettings("SIGN_UP", "WEB_PUBLIC_URL");
      if (SIGN_UP === "closed")
        throw new AppError("not_possible", {
          message: "Invitations aren't accepted while SIGN_UP is set to closed; use user:create instead.",
        });
      if (email !== undefined) assertAddress(email);
      const expiresAt = futureTimeOf(expires) ?? new Date(Date.now() + defaultDays * 86_400_000);
      const { invitation, token } = await createInvitation(database, { email, planId, expiresAt });
      say(`Invitation ${invitation.id} for ${email ?? "anyone who has the link"}; works once, until ${expiresAt.toISOString()}:`);
      print(invitationLink(WEB_PUBLIC_URL, token));
    },
  },
  "invite:list": {
    async run(database) {
      print(["ID", "FOR", "PLAN", "STATE", "USED BY", "EXPIRES"].join("\t"));
      for (const { id, email, planId, state, usedBy, expiresAt } of await listInvitations(database))
        print([id, email ?? "anyone", planId ?? "free", state, usedBy ?? "-", expiresAt.toISOString()].join("\t"));
    },
  },
  "invite:revoke": {
    positionals: ["ID"],
    async run(database, [id = ""]) {
      if (!uuidPattern.test(id)) throw new AppError("not_found", { message: "There is no such invitation; invite:list shows the ids." });
      await revokeInvitation(database, id);
      say(`Revoked the invitation ${id}.`);
    },
  },
  migrate: {
    async run() {
      say("The schema is up to date."); // cli.ts applies migrations before each of these commands
    },
  },
  "user:create": {
    positionals: ["EMAIL"],
    options: ["name", "plan"],
    async run(database, [email = ""], { name, plan }) {
      const user = await database.transaction(async (queries) => {
        const created = await createUser(queries, email, name);
        if (plan !== undefined) await setPlanIn(queries, created.id, { planId: plan });
        return created;
      });
      say(`Created ${user.email} on the plan ${await planAndLimits(database, user.id)}`);
      if (plan === undefined) say("To change the plan, run plan:set.");
      print(user.id);
    },
  },
  "user:reset-password": {
    positionals: ["EMAIL"],
    options: ["password-stdin"],
    async run(database, [email = ""], given) {
      const chosen = given["password-stdin"] ? (await text(process.stdin)).replace(/\r?\n$/, "") : undefined;
      const password = await resetPassword(database, email, chosen);
      say(`The password for ${email} has been reset, and all sessions have ended.`);
      if (chosen === undefined) print(password);
    },
  },
  "user:reset-link": {
    positionals: ["EMAIL"],
    async run(database, [email = ""], _given, readSettings) {
      const { WEB_PUBLIC_URL } = await readSettings("WEB_PUBLIC_URL");
      const link = await createResetLink(database, email, WEB_PUBLIC_URL);
      say(`Link for ${email} to choose a new password; works once, for an hour:`);
      print(link);
    },
  },
  "user:reset-second-factor": {
    positionals: ["EMAIL"],
    async run(database, [email = ""]) {
      await resetSecondFactor(database, email);
      say(`Removed the authenticator app, recovery codes and passkeys of ${email}; all sessions have ended.`);
    },
  },
  "user:confirm": {
    positionals: ["EMAIL"],
    async run(database, [email = ""]) {
      await confirmAddress(database, email);
      say(`The address ${email} is now confirmed.`);
    },
  },
  "user:grant-admin": {
    positionals: ["EMAIL"],
    options: ["revoke"],
    async run(database, [email = ""], { revoke }) {
      await setRole(database, email, revoke ? "user" : "admin");
      say(`${email} is ${revoke ? "no longer an administrator" : "an administrator"}.`);
    },
  },
  "plan:set": {
    positionals: ["EMAIL", "PLAN"],
    options: ["rate-limit", "quota"],
    async run(database, [email = "", planId = ""], given) {
      const quota = given.quota === "unlimited" ? "unlimited" : integerOf("quota", given.quota, 0, ", or `unlimited`");
      const user = await findUser(database, email);
      await setPlan(database, user.id, { planId, rateLimit: integerOf("rate-limit", given["rate-limit"], 1), quota });
      say(`${user.email} is on the plan ${await planAndLimits(database, user.id)}`);
    },
  },
  "key:create": {
    positionals: ["EMAIL"],
    options: ["name", "domain", "target", "allow-missing-origin", "require-signature", "expires"],
    async run(database, [email = ""], given, readSettings) {
      const { DEFAULT_API_KEY_PREFIX: prefix } = await readSettings("DEFAULT_API_KEY_PREFIX");
      const { id } = await findUser(database, email);
      const { secret } = await createKey(database, id, prefix, {
        name: nameOf(given.name),
        allowedDomains: normalizeDomainEntries(given.domain ?? []),
        allowedTargets: normalizeDomainEntries(given.target ?? []),
        allowMissingOrigin: given["allow-missing-origin"] ?? false,
        requireSignature: given["require-signature"] ?? false,
        enabled: true,
        expiresAt: futureTimeOf(given.expires) ?? null,
      });
      say(`API key for ${email}; it can't be shown again:`);
      print(secret);
    },
  },
  "key:secret": {
    positionals: ["ID-OR-HINT"],
    async run(database, [which = ""], _given, readSettings) {
      const { AUTH_SECRET: secret } = await readSettings("AUTH_SECRET");
      const { id, hint } = await findUnrevokedKey(database, which);
      say(`Signing secret of the key ${hint}:`);
      print(createSignatures(secret, systemClock).secretOf(id));
    },
  },
  "key:list": {
    positionals: ["[EMAIL]"],
    async run(database, [email]) {
      const user = email === undefined ? undefined : await findUser(database, email);
      const keys = await listAllKeys(database, user?.id);
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
    async run(database, [which = ""]) {
      const { id, userId, hint } = await findUnrevokedKey(database, which);
      await revokeKey(database, userId, id);
      say(`Revoked ${hint} (${id}).`);
    },
  },
};

/** For example, `free: 10 requests a minute, 100 screenshots a month.` */
async function planAndLimits(database: Database, userId: string): Promise<string> {
  const { id, rateLimit, monthlyQuota } = await planOf(database, userId);
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const requests = rateLimit === null ? "the service's default rate limit" : `${counted(rateLimit, "request")} a minute`;
  const screenshots = monthlyQuota === null ? "unlimited screenshots" : `${counted(monthlyQuota, "screenshot")} a month`;
  return `${id}: ${requests}, ${screenshots}.`;
}

/** @param orElse end of the error message that names other valid values. */
function integerOf(option: string, text: string | undefined, least: number, orElse = ""): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= 2_147_483_647))
    throw new UsageError(`--${option} must be an integer from ${least} to 2147483647${orElse}.`);
  return number;
}

function nameOf(text: string | undefined): string {
  const name = text?.trim() || "API key";
  if (name.length > 100) throw new UsageError("A key's name must have at most 100 characters.");
  return name;
}
