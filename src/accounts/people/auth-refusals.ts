/** Maps the sign-in library's error codes to our errors. */

import { AppError, wrongParameter } from "../../shared/errors.ts";

/** How long an account's second sign-in step is locked after too many wrong codes. */
export const lockedSeconds = 15 * 60;

const noApp = () => new AppError("not_possible", { message: "The account has no authenticator app: set one up first." });

/** Keyed by the library's error codes. */
export const refusals: Record<string, () => AppError> = {
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: () => new AppError("email_taken"),
  USER_ALREADY_EXISTS: () => new AppError("email_taken"),
  INVALID_EMAIL_OR_PASSWORD: () => new AppError("invalid_credentials"),
  INVALID_EMAIL: () => wrongParameter("email", "is not an e-mail address"),
  INVALID_PASSWORD: () => wrongParameter("current_password", "is wrong"),
  CREDENTIAL_ACCOUNT_NOT_FOUND: () =>
    new AppError("not_possible", { message: "The account has no password: you sign in through an identity provider." }),
  account_disabled: () => new AppError("account_disabled"),
  EMAIL_NOT_VERIFIED: () => new AppError("email_not_verified"),
  EMAIL_ALREADY_VERIFIED: () => new AppError("not_possible", { message: "The e-mail address is already confirmed." }),
  INVALID_TOKEN: () => new AppError("link_invalid"),
  TOKEN_EXPIRED: () => new AppError("link_invalid"),
  USER_NOT_FOUND: () => new AppError("link_invalid"),
  INVALID_CODE: () => wrongParameter("code", "is wrong"),
  INVALID_BACKUP_CODE: () => wrongParameter("code", "is wrong, or has already been used"),
  ACCOUNT_TEMPORARILY_LOCKED: () =>
    new AppError("rate_limited", { message: "Too many wrong codes; try again in 15 minutes.", retryAfterSeconds: lockedSeconds }),
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: () => new AppError("sign_in_expired"),
  INVALID_TWO_FACTOR_COOKIE: () => new AppError("sign_in_expired"),
  CHALLENGE_NOT_FOUND: () => new AppError("sign_in_expired"),
  TOTP_ALREADY_ENABLED: () => new AppError("not_possible", { message: "The account has an authenticator app: remove it first." }),
  TOTP_NOT_ENABLED: noApp,
  TWO_FACTOR_NOT_ENABLED: noApp,
  PASSKEY_NOT_FOUND: () => new AppError("invalid_credentials", { message: "This passkey is not registered with this service." }),
  AUTHENTICATION_FAILED: () => new AppError("invalid_credentials", { message: "The passkey could not be verified." }),
  USER_NOT_VERIFIED: () =>
    new AppError("invalid_credentials", { message: "The passkey requires a device that is unlocked with a PIN, fingerprint or face." }),
  FAILED_TO_VERIFY_REGISTRATION: () => new AppError("not_possible", { message: "The passkey could not be verified." }),
  UNAUTHORIZED: () => new AppError("not_signed_in"),
};
