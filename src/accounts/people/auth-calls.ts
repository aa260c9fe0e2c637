/**
 * Helpers for calling the sign-in library: they load it, choose the headers it receives, set a deadline, and convert its failures to
 * `AppError`s.
 */

import { asUnavailable, type Database } from "../../database/database.ts";
import { DeadlineExceeded, withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import { loadInTurns } from "../../shared/turns.ts";
import { addressHeader, invitationHeader } from "./auth-names.ts";
import { refusals } from "./auth-refusals.ts";
import type { Client } from "./hash-turns.ts";

/** The parts of a request that identify the client. */
export interface Visitor extends Client {
  cookie: string | undefined;
  userAgent: string | undefined;
  /** Token of an invitation to sign up. */
  invitation?: string | undefined;
}

/** `setCookie`: values for the response's `Set-Cookie` headers. */
export interface NewSession {
  userId: string;
  setCookie: string[];
}

const callTimeoutMs = 5_000;
const pingTimeoutMs = 1_000;

/**
 * Loads the library on first use: a service that only takes screenshots doesn't need it. In parts that take a tenth of a second or less,
 * since captures and other requests wait for each.
 */
export function loadAuth(): Promise<typeof import("./auth.ts")> {
  return loadInTurns(
    () => import("./auth.ts"),
    () => import("better-auth/crypto"),
    () => import("better-auth/cookies"),
    () => import("better-auth/db"),
    () => import("better-auth/oauth2"),
    () => import("better-auth/social-providers"),
    () => import("better-auth/minimal"),
    () => import("better-auth/db/migration"),
    () => import("better-auth"),
    () => import("@simplewebauthn/server/helpers"),
    () => import("@better-auth/passkey"),
  );
}

/** Only the headers that the library needs. The header for the IP address is always ours, whatever the client sent. */
export function authHeaders({ cookie, userAgent, ip, invitation }: Visitor): Headers {
  const headers = new Headers({ [addressHeader]: ip });
  if (cookie) headers.set("cookie", cookie);
  if (userAgent) headers.set("user-agent", userAgent.slice(0, 500));
  if (invitation) headers.set(invitationHeader, invitation);
  return headers;
}

/**
 * Awaits a call for up to 5 s. @throws {AppError} one of `refusals` if the library refuses; `unavailable`. @throws other errors unchanged.
 */
export async function readResponse<T>(database: Database, call: Promise<T>): Promise<T> {
  try {
    return await withDeadline(call, callTimeoutMs, () => {
      throw new DeadlineExceeded(callTimeoutMs, "the database");
    });
  } catch (error) {
    const refusal = refusals[codeOf(error)];
    if (refusal) throw refusal();
    const failure = asUnavailable(error);
    // The library may hide that the database was the cause.
    if (failure === error) await database.query({ text: "select 1", timeoutMs: pingTimeoutMs });
    // The connection was lost, and another one works again: this error has no other cause that a request could have.
    if (codeOf(error) === "FAILED_TO_GET_SESSION") throw new AppError("unavailable", { retryAfterSeconds: 5, cause: error });
    throw failure;
  }
}

const codeOf = (error: unknown) => String((error as { body?: { code?: unknown } }).body?.code);

// The library signs the cookies for all sign-in steps with one key, whatever their names, and fails when given a value from another step.
// These checks refuse such values first.

/**
 * The library's identifier for the sign-in that is waiting for a code. The signature isn't checked here. @throws {AppError}
 * `sign_in_expired`.
 */
export function codeStepOf({ cookie = "" }: Visitor): string {
  const step = /(?:^|;\s*)(?:__Secure-)?tintype\.two_factor=(2fa-[\w-]+)\./.exec(cookie)?.[1];
  if (step === undefined) throw new AppError("sign_in_expired");
  return step;
}

/** @throws {AppError} `sign_in_expired` if the passkey challenge's cookie holds a value that belongs to a sign-in waiting for a code. */
export function assertPasskeyStep({ cookie = "" }: Visitor): void {
  if (/better-auth-passkey=2fa-/.test(cookie)) throw new AppError("sign_in_expired");
}
