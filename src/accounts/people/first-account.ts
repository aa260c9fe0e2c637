/** The sign-up link for the first account of a new installation, an administrator. */

import { hkdfSync } from "node:crypto";
import type { Database } from "../../database/database.ts";
import type { Config } from "../../settings/config.ts";
import { hashToken, invitationLink } from "./invitations.ts";

type Settings = Pick<Config, "AUTH_SECRET" | "SIGN_UP" | "WEB_PUBLIC_URL">;

/**
 * Undefined if an account exists, the link was used, or anyone may sign up. Derived from `AUTH_SECRET`, so that all replicas of an
 * installation print the same link; valid for a week from the latest start. The account gets the highest plan.
 */
export async function firstAccountLink(
  database: Database,
  { AUTH_SECRET, SIGN_UP, WEB_PUBLIC_URL }: Settings,
): Promise<string | undefined> {
  if (SIGN_UP === "open") return undefined;
  const token = Buffer.from(hkdfSync("sha256", AUTH_SECRET, "", "tintype first account", 24)).toString("base64url");
  const { rowCount } = await database.query(
    `insert into invitations (token_hash, is_first, plan_id, expires_at)
     select $1, true, (select id from plans order by rank desc limit 1), now() + interval '7 days'
      where not exists (select 1 from users)
     on conflict (token_hash) do update set expires_at = excluded.expires_at where invitations.used_at is null`,
    [hashToken(token)],
  );
  return rowCount === 1 ? invitationLink(WEB_PUBLIC_URL, token) : undefined;
}
