/**
 * Cookies of sign-ins in progress. The library signs them all with one key, whatever their name, and fails on a value from another step, so
 * they are checked before it sees them.
 */

import { AppError } from "../../shared/errors.ts";
import type { Visitor } from "./auth-calls.ts";

/**
 * The library's identifier for the sign-in that is waiting for a code. The signature isn't checked here. @throws {AppError}
 * `sign_in_expired`.
 */
export function codeStepOf({ cookie = "" }: Visitor): string {
  const step = /(?:^|;\s*)(?:__Secure-)?tintype\.two_factor=(2fa-[\w-]+)\./.exec(cookie)?.[1];
  if (step === undefined) throw new AppError("sign_in_expired");
  return step;
}

/** @throws {AppError} `sign_in_expired` if the cookie for a passkey challenge has the value of a sign-in that is waiting for a code. */
export function assertPasskeyStep({ cookie = "" }: Visitor): void {
  if (/better-auth-passkey=2fa-/.test(cookie)) throw new AppError("sign_in_expired");
}
