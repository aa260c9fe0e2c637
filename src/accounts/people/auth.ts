/** Configures the sign-in library: e-mail and password, sessions, and an external identity provider if there is one. */

import { APIError, type BetterAuthOptions, betterAuth } from "better-auth";
import { type GenericOAuthConfig, genericOAuth } from "better-auth/plugins/generic-oauth";
import type pg from "pg";
import type { BaseLogger } from "pino";
import { AppError } from "../../errors.ts";
import { addressHeader, authPath, authTables, invitationHeader, signInPage } from "./auth-names.ts";
import { passwordLength } from "./passwords.ts";
import type { SignUpPolicy } from "./sign-up.ts";

export interface AuthSettings {
  pool: pg.Pool;
  /** `AUTH_SECRET`. */
  secret: string;
  /** `WEB_PUBLIC_URL`. */
  publicUrl: string;
  log: BaseLogger;
  signUp: Pick<SignUpPolicy, "admit">;
}

/** The library's name for the sign-up with a password. */
const passwordSignUp = "/sign-up/email";
const sessionSeconds = 7 * 24 * 3600;
const renewAfterSeconds = 3600;

export type Auth = ReturnType<typeof createAuth>;

/** Makes no connection, unless `provider` is given: then it fetches the provider's discovery document at once. */
export function createAuth(settings: AuthSettings, provider?: GenericOAuthConfig) {
  return betterAuth({ ...authOptions(settings), plugins: provider ? [genericOAuth({ config: [provider] })] : [] });
}

/**
 * Only our own routes call the library. They check the origin, limit attempts and validate input, so its own handling of these is off or
 * never reached. The provider's callback is the only endpoint of the library that is served.
 */
export function authOptions({ pool, secret, publicUrl, log, signUp }: AuthSettings) {
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
    // No cookie cache, so that an ended session is over at the next request.
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
      // The default, X-Forwarded-For, can be forged by the client.
      ipAddress: { ipAddressHeaders: [addressHeader] },
      useSecureCookies: publicUrl.startsWith("https:"),
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    databaseHooks: {
      user: {
        create: {
          before: async ({ email, emailVerified }, context) => {
            const isTrusted = emailVerified || context?.path === passwordSignUp;
            const invitation = context?.headers?.get(invitationHeader) ?? undefined;
            return { data: { invitationId: await signUp.admit({ email, isTrusted, invitation }).catch(throwForLibrary) } };
          },
        },
      },
      // Nothing here needs the provider's tokens after the sign-in, so none are stored.
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
      // To the library a caller's mistake is an error. Real errors are also thrown, and logged where they are caught.
      log: (_level, message, ...values) => log.info({ err: values.find((value) => value instanceof Error) }, `sign-in: ${message}`),
    },
  } as const satisfies BetterAuthOptions;
}

/** Refusals in the form whose code the library passes on. */
function throwForLibrary(error: unknown): never {
  if (error instanceof AppError && error.status === 403) throw new APIError("FORBIDDEN", { code: error.code, message: error.message });
  throw error;
}
