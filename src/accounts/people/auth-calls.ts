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

const callTimeoutMs = 5_000;
const pingTimeoutMs = 1_000;

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
  UNAUTHORIZED: () => new AppError("not_signed_in"),
};
