/** Sign-in through an external identity provider. Its discovery document is fetched on first use, and again after a failure. */

import type { GenericOAuthConfig } from "better-auth/plugins/generic-oauth";
import type { Database } from "../../database/database.ts";
import { withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import { once } from "../../shared/once.ts";
import { parseUrl } from "../../shared/urls.ts";
import type { Auth, AuthSettings } from "./auth.ts";
import { authHeaders, loadAuth, readResponse, type Visitor } from "./auth-calls.ts";
import { authPath, signInPage } from "./auth-names.ts";
import { findInvitation } from "./invitations.ts";
import { withLimitedFetch } from "./provider-fetch.ts";

export interface IdentityProviderSettings {
  clientId: string;
  /** Empty for a public client, which relies on PKCE alone. */
  clientSecret: string;
  issuer: string;
}

export interface ProviderSignIn {
  /** Identity providers, as alternatives to e-mail and password. */
  providers: { id: string; name: string }[];
  /**
   * The URL for the browser to open. @throws {AppError} `not_found` if there is no provider; `invitation_invalid`; `unavailable` while the
   * provider or the database is down.
   */
  startWithProvider(visitor: Visitor, returnTo: string): Promise<{ url: string; setCookie: string[] }>;
  /** Handles the provider's callback. Resolves to the URL to redirect to: after a failure, the sign-in page with an `error`. */
  finishWithProvider(visitor: Visitor, query: string): Promise<{ url: string; setCookie: string[] }>;
}

const providerId = "idp";
/** Deadline for fetching the discovery document, and for the requests to the provider during its callback. */
const providerTimeoutMs = 10_000;
const retryAfterSeconds = 5;
const subjectMax = 255; // OpenID Connect Core 1.0, 2
const emailMax = 254;
/** A single address; the host may be a name in an internal network. */
const emailForm = /^[^\s\p{C}@,;:<>"()[\]\\]+@[^\s\p{C}@,;:<>"()[\]\\]+$/u;

/** Holds an invitation while the user signs in at the provider. */
const invitationCookie = "tintype.invitation";
const invitationSeconds = 600;

/** Refusals by the library that the sign-in page explains; all others become `sign_in_failed`. */
const explainedErrors = ["access_denied", "account_not_linked", "account_disabled", "sign_up_refused", "invitation_invalid"];

export function createProviderSignIn(
  database: Database,
  settings: AuthSettings,
  provider: IdentityProviderSettings | undefined,
): ProviderSignIn {
  const page = (path: string) => `${new URL(settings.publicUrl).origin}${path}`;
  const failed = { url: page(`${signInPage}?error=sign_in_failed`), setCookie: [] };
  if (!provider) {
    const startWithProvider = () => Promise.reject(new AppError("not_found"));
    return { providers: [], startWithProvider, finishWithProvider: async () => failed };
  }
  const library = createLibrary(settings, provider);

  return {
    providers: [{ id: providerId, name: providerName(provider.issuer) }],

    async startWithProvider(visitor, returnTo) {
      if (visitor.invitation) await findInvitation(database, visitor.invitation);
      const { api } = await library();
      const body = { provider: providerId, callbackURL: page(returnTo), errorCallbackURL: page(signInPage), disableRedirect: true };
      const { headers, response } = await readResponse(
        database,
        api.signInSocial({ body, headers: authHeaders(visitor), returnHeaders: true }),
      );
      return { url: String(response.url), setCookie: [...headers.getSetCookie(), ...invitationCookies(visitor, settings.publicUrl)] };
    },

    async finishWithProvider(visitor, query) {
      const request = new Request(page(`${authPath}/callback/${providerId}?${query}`), {
        headers: authHeaders({ ...visitor, invitation: invitationFromCookie(visitor) }),
      });
      try {
        const { handler } = await library();
        const answer = await withProviderDeadline(() => handler(request));
        const location = answer.headers.get("location");
        const url = location === null ? null : parseUrl(location, settings.publicUrl);
        const error = url?.pathname === signInPage ? url.searchParams.get("error") : null;
        if (!url || (error && !explainedErrors.includes(error))) return failed;
        // Other text from the library must not end up in our URL.
        return {
          url: error ? page(`${signInPage}?error=${error}`) : url.href,
          setCookie: [...answer.headers.getSetCookie(), ...invitationCookies(visitor, settings.publicUrl)],
        };
      } catch (error) {
        settings.log.warn({ err: error }, "failed to complete a sign-in through the identity provider");
        return failed;
      }
    },
  };
}

function invitationFromCookie({ cookie }: Visitor): string | undefined {
  return /(?:^|;\s*)tintype\.invitation=([\w-]+)/.exec(cookie ?? "")?.[1];
}

/** Sets a cookie for the invitation, or clears an earlier one. */
function invitationCookies(visitor: Visitor, publicUrl: string): string[] {
  const { invitation = "" } = visitor;
  if (invitation === "" && invitationFromCookie(visitor) === undefined) return [];
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  const age = invitation === "" ? 0 : invitationSeconds;
  return [`${invitationCookie}=${encodeURIComponent(invitation)}; Max-Age=${age}; Path=${authPath}; HttpOnly; SameSite=Lax${secure}`];
}

/**
 * Creates the library with the provider configured. The library fetches the discovery document only on creation and ignores a failure, so
 * it is recreated on each use until it has the document.
 * @throws {AppError} `unavailable` while there is no valid discovery document.
 */
const createLibrary = (settings: AuthSettings, provider: IdentityProviderSettings) =>
  once(() => withProviderDeadline(() => discover(settings, provider)));

async function discover(settings: AuthSettings, provider: IdentityProviderSettings): Promise<Auth> {
  const { createAuth } = await loadAuth();
  const auth = createAuth(settings, configOf(provider, settings.log));
  const { socialProviders } = await auth.$context;
  if (!socialProviders.some(({ id }) => id === providerId)) throw unreachable();
  return auth;
}

function configOf({ clientId, clientSecret, issuer }: IdentityProviderSettings, log: AuthSettings["log"]): GenericOAuthConfig {
  return {
    providerId,
    clientId,
    ...(clientSecret ? { clientSecret } : { tokenEndpointAuth: { method: "none" } }),
    discoveryUrl: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    requireIdTokenVerification: true,
    pkce: true,
    scopes: ["openid", "email", "profile"],
    accountSubject: ({ tokens, profile }) => {
      try {
        return subjectOf(tokens.idToken, profile, clientId);
      } catch (error) {
        log.warn({ err: error }, "refused a sign-in through the identity provider");
        throw error;
      }
    },
    mapProfileToUser: ({ name, email, email_verified }) => ({
      name: (typeof name === "string" && name.slice(0, 100)) || String(email).split("@", 1)[0],
      emailVerified: isVerified(email_verified),
      image: undefined, // of any length, and shown nowhere
    }),
  };
}

/**
 * The library verifies an ID token if there is one, and otherwise trusts the UserInfo response. It neither compares the two, nor requires
 * an expiry time or looks at the authorized party; this function does (OpenID Connect Core 1.0, 2, 3.1.3.3, 3.1.3.7 and 5.3.2).
 */
function subjectOf(verifiedIdToken: string | undefined, profile: Record<string, unknown>, clientId: string): string {
  if (!verifiedIdToken) throw new Error("the identity provider's token response has no id_token");
  const { sub, exp, azp } = JSON.parse(Buffer.from(verifiedIdToken.split(".")[1] ?? "", "base64url").toString());
  if (typeof sub !== "string" || sub === "" || sub.length > subjectMax)
    throw new Error("the identity provider's id_token has no valid sub");
  if (typeof exp !== "number") throw new Error("the identity provider's id_token has no exp");
  if (azp !== undefined && azp !== clientId) throw new Error("the identity provider's id_token is for another client");
  if (profile.sub !== sub) throw new Error("the identity provider's UserInfo response is for a different subject than its id_token");
  if (typeof profile.email !== "string" || profile.email.length > emailMax || !emailForm.test(profile.email))
    throw new Error("the identity provider sent no valid e-mail address");
  return sub;
}

/**
 * The claim is a boolean (OpenID Connect Core 1.0, 5.1). Apple and Amazon Cognito's UserInfo endpoint send it as text:
 * https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple,
 * https://docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html. Any other value, including "false", means not verified.
 */
function isVerified(claim: unknown): boolean {
  return claim === true || claim === "true";
}

/** The library's requests to the provider have no deadline of their own. @throws {AppError} `unavailable` if `work` takes too long. */
async function withProviderDeadline<T>(work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  try {
    return await withDeadline(withLimitedFetch(ended.signal, work), providerTimeoutMs, () => {
      throw unreachable();
    });
  } finally {
    ended.abort();
  }
}

function unreachable(): AppError {
  return new AppError("unavailable", { message: "The identity provider is currently unreachable.", retryAfterSeconds });
}

/** The provider's display name: `Google`, or the host for any other provider. */
function providerName(issuer: string): string {
  const { hostname } = new URL(issuer);
  return hostname === "accounts.google.com" ? "Google" : hostname;
}
