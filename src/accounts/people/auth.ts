/**
 * Configures the sign-in library: passwords, sessions, e-mailed links, second factors, and an external identity provider if there is one.
 */

import { APIError, type BetterAuthOptions, betterAuth } from "better-auth";
import { type GenericOAuthConfig, genericOAuth } from "better-auth/plugins/generic-oauth";
import type { BaseLogger } from "pino";
import { createDatabase } from "../../database/database.ts";
import type { SharedPool } from "../../database/shared-pool.ts";
import { AppError } from "../../shared/errors.ts";
import type { AccountMail } from "./account-mail.ts";
import { record } from "./audit.ts";
import { addressHeader, authPath, authTables, invitationHeader, signInPage } from "./auth-names.ts";
import { authenticatorApp, passkeys } from "./auth-plugins.ts";
import { endPendingSteps, hashResetIdentifier, linkSeconds, resetPrefix } from "./mailed-links.ts";
import { passwordLength } from "./passwords.ts";
import type { SignUpPolicy } from "./sign-up.ts";

export interface AuthSettings {
  /** Used only by the library and by the hooks in this file. */
  pool: SharedPool;
  /** `AUTH_SECRET`. */
  secret: string;
  /** `WEB_PUBLIC_URL`. */
  publicUrl: string;
  log: BaseLogger;
  signUp: Pick<SignUpPolicy, "admit">;
  /** Undefined if mail is not configured; addresses are then not verified. */
  mail: AccountMail | undefined;
}

/** The library's path for signing up with a password. */
const passwordSignUp = "/sign-up/email";
const sessionSeconds = 7 * 24 * 3600;
const renewAfterSeconds = 3600;

export type Auth = ReturnType<typeof createAuth>;

/** Opens no connection unless there is a `provider`, whose discovery document it fetches immediately. */
export function createAuth(settings: AuthSettings, provider?: GenericOAuthConfig) {
  const options = authOptions(settings);
  return betterAuth({ ...options, plugins: [...options.plugins, ...(provider ? [genericOAuth({ config: [provider] })] : [])] });
}

/**
 * Only our own routes call the library. They check the origin, limit attempts and validate input, so the library's own checks are off or
 * never reached. The provider's callback is the only library endpoint that is served.
 */
export function authOptions(settings: AuthSettings) {
  const { pool, secret, publicUrl, log, signUp } = settings;
  const { origin } = new URL(publicUrl);
  return {
    ...authTables,
    ...addressOptions(settings),
    plugins: [authenticatorApp(), passkeys(origin)],
    appName: "Tintype",
    secret,
    database: pool,
    baseURL: origin,
    basePath: authPath,
    trustedOrigins: [origin],
    onAPIError: { errorURL: `${origin}${signInPage}` },
    // `freshAge: 0` turns off the library's check for a fresh session: sensitive changes ask for the password instead. No cookie cache, so
    // that ending a session takes effect on the next request.
    session: { ...authTables.session, expiresIn: sessionSeconds, updateAge: renewAfterSeconds, freshAge: 0 },
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
            const { invitationId, isAddressKnown } = await signUp.admit({ email, isTrusted, invitation }).catch(throwForLibrary);
            return { data: { invitationId, emailVerified: emailVerified || isAddressKnown } };
          },
          after: ({ id }, context) => recordSignUp({ pool, log }, id, context?.headers?.get(addressHeader) ?? null),
        },
      },
      // The provider's tokens aren't needed after the sign-in, so they aren't stored.
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
    logger: libraryLogger(log),
  } as const satisfies BetterAuthOptions;
}

function libraryLogger(log: BaseLogger) {
  return {
    level: "error",
    // The library logs users' mistakes as errors. Real errors are also thrown, and are logged where they are caught.
    log: (_level, message, ...values) => log.info({ err: values.find((value) => value instanceof Error) }, `sign-in: ${message}`),
  } satisfies BetterAuthOptions["logger"];
}

/** Passwords and address verification. If mail is configured, signing in with a password requires a verified address. */
function addressOptions({ pool, mail }: AuthSettings) {
  return {
    emailAndPassword: {
      enabled: true,
      minPasswordLength: passwordLength.min,
      maxPasswordLength: passwordLength.max,
      requireEmailVerification: mail !== undefined,
      resetPasswordTokenExpiresIn: linkSeconds,
      revokeSessionsOnPasswordReset: true,
      // The link verifies the address: it was e-mailed there, or an operator gave it to the owner.
      onPasswordReset: async ({ user }) => {
        await pool.query("update users set email_verified = true where id = $1", [user.id]);
        await endPendingSteps(pool, user.id);
      },
      ...(mail && {
        sendResetPassword: ({ user, token }) => mail.resetPassword(user, token),
        onExistingUserSignUp: ({ user }) => mail.accountExists(user.email),
      }),
    },
    ...(mail && {
      emailVerification: {
        expiresIn: linkSeconds,
        sendOnSignIn: true,
        sendVerificationEmail: async ({ user, token }) => {
          if (!user.emailVerified) await mail.confirmAddress(user.email, token);
        },
      },
    }),
    verification: {
      ...authTables.verification,
      storeIdentifier: { default: "plain", overrides: { [resetPrefix]: { hash: hashResetIdentifier } } },
    },
  } satisfies BetterAuthOptions;
}

/** Runs after the library's own transaction. A failure is only logged, because the account already exists. */
async function recordSignUp({ pool, log }: Pick<AuthSettings, "pool" | "log">, userId: string, ip: string | null): Promise<void> {
  const database = createDatabase(pool, { via: "dashboard", userId, ip });
  await record(database, { action: "account.created", accountId: userId }).catch((error) =>
    log.error({ err: error, userId }, "failed to record a sign-up in the audit log"),
  );
}

/** Rethrows a refusal as the error type whose code the library preserves. */
function throwForLibrary(error: unknown): never {
  if (error instanceof AppError && error.status === 403) throw new APIError("FORBIDDEN", { code: error.code, message: error.message });
  throw error;
}
