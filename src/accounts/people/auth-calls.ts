/** Calls of the sign-in library: what they get of a request, their deadline, and their failures as {@link AppError}. */

import { asUnavailable, type Database } from "../../database.ts";
import { DeadlineExceeded, withDeadline } from "../../deadline.ts";
import { AppError } from "../../errors.ts";
import { addressHeader, invitationHeader } from "./auth-names.ts";

/** The part of a request that identifies who sent it. */
export interface Visitor {
  cookie: string | undefined;
  userAgent: string | undefined;
  ip: string;
  /** Token of an invitation to sign up. */
  invitation?: string | undefined;
}

/** `setCookie`: headers that the answer must carry. */
export interface Entered {
  userId: string;
  setCookie: string[];
}

const callTimeoutMs = 5_000;
const pingTimeoutMs = 1_000;
/** How long too many wrong codes lock the second step of an account's sign-ins. */
export const lockedSeconds = 15 * 60;

/** Only what the library needs; the address is the connection's, whatever headers the client sent. */
export function headersOf({ cookie, userAgent, ip, invitation }: Visitor): Headers {
  const headers = new Headers({ [addressHeader]: ip });
  if (cookie) headers.set("cookie", cookie);
  if (userAgent) headers.set("user-agent", userAgent.slice(0, 500));
  if (invitation) headers.set(invitationHeader, invitation);
  return headers;
}

/** The answer of a call within 5 s. @throws {AppError} for the library's refusals, and `unavailable`. */
export async function answered<T>(database: Database, call: Promise<T>): Promise<T> {
  try {
    return await withDeadline(call, callTimeoutMs, () => {
      throw new DeadlineExceeded(callTimeoutMs, "the database");
    });
  } catch (error) {
    const refusal = refusals[String((error as { body?: { code?: unknown } }).body?.code)];
    if (refusal) throw refusal();
    const failure = asUnavailable(error);
    // The library may hide that it failed for want of the database.
    if (failure === error) await database.query({ text: "select 1", timeoutMs: pingTimeoutMs });
    throw failure;
  }
}

const parameterRefused = (parameter: string, message: string) => () =>
  new AppError("invalid_parameters", { details: [{ parameter, message }] });

/** By the library's error codes. */
const refusals: Record<string, () => AppError> = {
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: () => new AppError("email_taken"),
  USER_ALREADY_EXISTS: () => new AppError("email_taken"),
  INVALID_EMAIL_OR_PASSWORD: () => new AppError("invalid_credentials"),
  INVALID_EMAIL: parameterRefused("email", "email is not an e-mail address"),
  INVALID_PASSWORD: parameterRefused("current_password", "current_password is wrong"),
  CREDENTIAL_ACCOUNT_NOT_FOUND: () =>
    new AppError("not_possible", { message: "The account has no password: it signs in through an identity provider." }),
  account_disabled: () => new AppError("account_disabled"),
  EMAIL_NOT_VERIFIED: () => new AppError("email_not_verified"),
  EMAIL_ALREADY_VERIFIED: () => new AppError("not_possible", { message: "The e-mail address is confirmed already." }),
  INVALID_TOKEN: () => new AppError("link_invalid"),
  TOKEN_EXPIRED: () => new AppError("link_invalid"),
  USER_NOT_FOUND: () => new AppError("link_invalid"),
  INVALID_CODE: parameterRefused("code", "code is wrong"),
  INVALID_BACKUP_CODE: parameterRefused("code", "code is wrong, or was used"),
  ACCOUNT_TEMPORARILY_LOCKED: () =>
    new AppError("rate_limited", { message: "Too many wrong codes; try again in 15 minutes.", retryAfterSeconds: lockedSeconds }),
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: () => new AppError("sign_in_expired"),
  INVALID_TWO_FACTOR_COOKIE: () => new AppError("sign_in_expired"),
  CHALLENGE_NOT_FOUND: () => new AppError("sign_in_expired"),
  TOTP_ALREADY_ENABLED: () => new AppError("not_possible", { message: "The account has an authenticator app: remove it first." }),
  TOTP_NOT_ENABLED: () => new AppError("not_possible", { message: "The account has no authenticator app: set one up first." }),
  TWO_FACTOR_NOT_ENABLED: () => new AppError("not_possible", { message: "The account has no authenticator app: set one up first." }),
  PASSKEY_NOT_FOUND: () => new AppError("invalid_credentials", { message: "This passkey is not known here." }),
  AUTHENTICATION_FAILED: () => new AppError("invalid_credentials", { message: "The passkey could not be verified." }),
  USER_NOT_VERIFIED: () =>
    new AppError("invalid_credentials", { message: "The passkey needs a device that is unlocked by a PIN, finger or face." }),
  FAILED_TO_VERIFY_REGISTRATION: () => new AppError("not_possible", { message: "The passkey could not be verified." }),
  UNAUTHORIZED: () => new AppError("not_signed_in"),
};
