/** Configures the sign-in library: e-mail and password, sessions, and an external identity provider where there is one. */

import { APIError, type BetterAuthOptions, betterAuth } from "better-auth";
import { type GenericOAuthConfig, genericOAuth } from "better-auth/plugins/generic-oauth";
import type pg from "pg";
import type { BaseLogger } from "pino";
import { addressHeader, authPath, signInPage } from "./auth-errors.ts";
import { authTables } from "./auth-tables.ts";
import { passwordLength } from "./passwords.ts";

export interface AuthSettings {
  pool: pg.Pool;
  /** `AUTH_SECRET`. */
  secret: string;
  /** `WEB_PUBLIC_URL`. */
  publicUrl: string;
  log: BaseLogger;
}

const sessionSeconds = 7 * 24 * 3600;
const renewAfterSeconds = 3600;

export type Auth = ReturnType<typeof createAuth>;

/** Connects to nothing, unless `provider` is given: then its discovery document is fetched at once. */
export function createAuth(settings: AuthSettings, provider?: GenericOAuthConfig) {
  return betterAuth({ ...authOptions(settings), plugins: provider ? [genericOAuth({ config: [provider] })] : [] });
}

/**
 * The library is called by our own routes only, which check the origin, limit tries and validate: its own handling of these is off or
 * never reached, and of its endpoints nothing is mounted but the provider's way back.
 */
export function authOptions({ pool, secret, publicUrl, log }: AuthSettings) {
  const { origin } = new URL(publicUrl);
  return {
    ...authTables,
    appName: "Tintype",
    secret,
    database: pool,
    baseURL: origin,
    basePath: authPath,
    trustedOrigins: [origin],
    onAPIError: { errorURL: `${origin}${signInPage}` },
    emailAndPassword: { enabled: true, minPasswordLength: passwordLength.min, maxPasswordLength: passwordLength.max },
    // No cache in a cookie: an ended session is ended at the next request.
    session: { ...authTables.session, expiresIn: sessionSeconds, updateAge: renewAfterSeconds },
    account: {
      ...authTables.account,
      updateAccountOnSignIn: false,
      // An address alone proves nothing: both sides must have verified it.
      accountLinking: { enabled: true, requireLocalEmailVerified: true, trustedProviders: [] },
    },
    advanced: {
      cookiePrefix: "tintype",
      database: { generateId: "uuid" },
      // The default, X-Forwarded-For, is whatever a client says.
      ipAddress: { ipAddressHeaders: [addressHeader] },
      useSecureCookies: publicUrl.startsWith("https:"),
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    databaseHooks: {
      // The provider is asked once, at sign-in: nothing of ours ever needs its tokens, so none are kept.
      account: {
        create: {
          before: async () => ({ data: { accessToken: null, refreshToken: null, idToken: null } }),
        },
      },
      session: {
        create: {
          before: async ({ userId }, context) => {
            const user = (await context?.context.internalAdapter.findUserById(userId)) as { disabledAt?: Date | null } | null | undefined;
            if (user?.disabledAt) throw new APIError("FORBIDDEN", { code: "account_disabled", message: "The account is disabled." });
          },
        },
      },
    },
    logger: {
      level: "error",
      // What a caller got wrong is an error to the library; what is one to us is thrown, too, and logged there.
      log: (_level, message, ...more) => log.info({ err: more.find((one) => one instanceof Error) }, `sign-in: ${message}`),
    },
  } as const satisfies BetterAuthOptions;
}
