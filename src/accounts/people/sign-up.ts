/** Decides who may sign up. The same policy applies to sign-up with a password and through the identity provider. */

import { hkdfSync } from "node:crypto";
import type { Database } from "../../database/database.ts";
import type { Config } from "../../settings/config.ts";
import { AppError } from "../../shared/errors.ts";
import { findInvitation, hashToken, invitationLink } from "./invitations.ts";

export interface Applicant {
  email: string;
  /** False if the identity provider hasn't verified the address; in that case its domain proves nothing. */
  isTrusted: boolean;
  /** Invitation token. */
  invitation: string | undefined;
}

export interface SignUpPolicy {
  mode: Config["SIGN_UP"];
  /** In lower case. Addresses at these domains don't need an invitation. */
  domains: string[];
  /** @throws {AppError} `sign_up_refused`, `invitation_invalid`. */
  admit(applicant: Applicant): Promise<Admission>;
}

interface Admission {
  /** Invitation that the new account claims; null if none was presented. */
  invitationId: string | null;
  /** True if the address doesn't need to be verified, because the invitation is for this address alone or for the first administrator. */
  isAddressKnown: boolean;
}

export function createSignUpPolicy(database: Database, mode: SignUpPolicy["mode"], domainList: string[]): SignUpPolicy {
  const domains = mode === "invite" ? domainList.map((domain) => domain.replace(/^@/, "").toLowerCase()) : [];
  return {
    mode,
    domains,
    async admit({ email, isTrusted, invitation }) {
      if (invitation !== undefined) {
        const found = await findInvitation(database, invitation);
        if (found.email !== null && found.email !== email.toLowerCase()) throw new AppError("invitation_invalid");
        if (mode === "closed" && !found.isFirst) throw refusal(mode, domains);
        return { invitationId: found.id, isAddressKnown: found.email !== null || found.isFirst };
      }
      const isOfDomain = isTrusted && domains.includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase());
      if (mode !== "open" && !isOfDomain) throw refusal(mode, domains);
      return { invitationId: null, isAddressKnown: false };
    },
  };
}

function refusal(mode: SignUpPolicy["mode"], domains: string[]): AppError {
  if (mode === "closed")
    return new AppError("sign_up_refused", { message: "Sign-up is closed. Ask an administrator of this service to create your account." });
  const addresses = domains.length === 0 ? "" : `, or with an e-mail address at ${domains.join(" or ")}`;
  return new AppError("sign_up_refused", {
    message: `Sign-up is by invitation${addresses}. Ask an administrator of this service for an invitation link.`,
  });
}

type Settings = Pick<Config, "AUTH_SECRET" | "SIGN_UP" | "WEB_PUBLIC_URL">;

/**
 * Returns the link for creating the first account, which gets the highest plan; undefined if an account exists, the link was used, or
 * anyone may sign up. The link is derived from `AUTH_SECRET`, so all replicas print the same link, and is valid for a week after the
 * service last started.
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
