/** The session of a request to the management API, and the page that sent it. */

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Entered, Visitor } from "../../accounts/people/auth-calls.ts";
import type { SignedIn, SignIn } from "../../accounts/people/sign-in.ts";
import { readUser } from "../../accounts/people/users.ts";
import type { Database } from "../../database.ts";
import { AppError } from "../../errors.ts";
import { userAnswer } from "./schemas.ts";

export function visitorOf({ headers, ip }: FastifyRequest): Visitor {
  return { cookie: headers.cookie, userAgent: headers["user-agent"], ip };
}

/**
 * Sets the cookie of a renewed session on the reply.
 * @param beforeSecondFactor whether that is enough for a user who must set up a second factor.
 * @throws {AppError} `not_signed_in`, `second_factor_required`, `unavailable`.
 */
export async function signedIn(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  beforeSecondFactor = false,
): Promise<SignedIn> {
  const { setCookie, ...session } = await signIn.sessionOf(visitorOf(request));
  sendCookies(reply, setCookie);
  if (session.lacksSecondFactor && !beforeSecondFactor) throw new AppError("second_factor_required");
  return session;
}

/** Sends the cookies of a new session; returns its user. */
export async function enter(database: Database, reply: FastifyReply, { userId, setCookie }: Entered) {
  sendCookies(reply, setCookie);
  return { user: userAnswer(await readUser(database, userId)) };
}

/** One header for each cookie: browsers can't split a joined one. */
export function sendCookies(reply: FastifyReply, cookies: string[]): void {
  for (const cookie of cookies) reply.header("set-cookie", cookie);
}

/**
 * Browsers name the origin of the page that sends a change. Pages of other sites must not change anything, although the browser adds the
 * session's cookie. @throws {AppError} `origin_not_allowed`.
 */
export function createOriginCheck(publicUrl: string): (request: FastifyRequest) => void {
  const { origin } = new URL(publicUrl);
  const accepted = [origin, ...loopbackAliases(new URL(publicUrl))];
  return ({ method, headers }) => {
    if (method === "GET" || method === "HEAD" || accepted.includes(headers.origin ?? "")) return;
    throw new AppError("origin_not_allowed", { message: `Changes are accepted from pages of ${origin} only.` });
  };
}

/** Other names of a dashboard on this machine, which people open as well. Only their own pages can have such an origin. */
function loopbackAliases({ protocol, hostname, port }: URL): string[] {
  const names = ["localhost", "127.0.0.1", "[::1]"];
  return names.includes(hostname) ? names.map((name) => `${protocol}//${name}${port && `:${port}`}`) : [];
}
