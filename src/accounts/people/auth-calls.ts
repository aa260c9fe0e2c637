/** Calls of the sign-in library: what they get of a request, their deadline, and their failures as {@link AppError}. */

import { asUnavailable, type Database } from "../../database.ts";
import { DeadlineExceeded, withDeadline } from "../../deadline.ts";
import { addressHeader, invitationHeader } from "./auth-names.ts";
import { refusals } from "./auth-refusals.ts";

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
