/** The external identity provider: found when it is needed, and looked for again when it was down. */

import type { GenericOAuthConfig } from "better-auth/plugins/generic-oauth";
import { withDeadline } from "../../deadline.ts";
import { AppError } from "../../errors.ts";
import type { Auth, AuthSettings } from "./auth.ts";

export interface IdentityProviderSettings {
  clientId: string;
  /** Empty: a public client, which proves itself with PKCE alone. */
  clientSecret: string;
  issuer: string;
}

export const providerId = "idp";

/** Asking the provider, its redirects and everything included. */
const providerTimeoutMs = 10_000;
const retryAfterSeconds = 5;

/**
 * The library with the provider in it. The library reads the provider's description once, when it is made, and does without when that
 * fails: so it is made anew until the provider has answered.
 * @throws {AppError} `unavailable` while the provider doesn't answer as one.
 */
export function findProvider(auth: AuthSettings, settings: IdentityProviderSettings): () => Promise<Auth> {
  let found: Promise<Auth> | undefined;
  return () => {
    found ??= withProviderDeadline(discover(auth, settings)).catch((error) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

async function discover(settings: AuthSettings, provider: IdentityProviderSettings): Promise<Auth> {
  const { createAuth } = await import("./auth.ts");
  const auth = createAuth(settings, configOf(provider));
  const { socialProviders } = await auth.$context;
  if (!socialProviders.some(({ id }) => id === providerId)) throw unreachable();
  return auth;
}

function configOf({ clientId, clientSecret, issuer }: IdentityProviderSettings): GenericOAuthConfig {
  return {
    providerId,
    clientId,
    ...(clientSecret ? { clientSecret } : { tokenEndpointAuth: { method: "none" } }),
    discoveryUrl: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    requireIdTokenVerification: true,
    pkce: true,
    scopes: ["openid", "email", "profile"],
    mapProfileToUser: ({ name, email }) => ({ name: (typeof name === "string" && name.slice(0, 100)) || String(email).split("@", 1)[0] }),
  };
}

/** The library's own calls have no deadline. @throws {AppError} `unavailable` when `answer` takes too long. */
export async function withProviderDeadline<T>(answer: Promise<T>): Promise<T> {
  return await withDeadline(answer, providerTimeoutMs, () => {
    throw unreachable();
  });
}

function unreachable(): AppError {
  return new AppError("unavailable", { message: "The identity provider can't be reached right now.", retryAfterSeconds });
}

/** What people know the provider by: `Google`, else its host. */
export function providerName(issuer: string): string {
  const { hostname } = new URL(issuer);
  return hostname === "accounts.google.com" ? "Google" : hostname;
}
