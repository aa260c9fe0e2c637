/** Who a request of the management API comes from: the session in its cookie, and the page that sent it. */

import type { FastifyReply, FastifyRequest } from "fastify";
import type { SignedIn, SignIn, Visitor } from "../../accounts/people/sign-in.ts";
import { AppError } from "../../errors.ts";

export function visitorOf({ headers, ip }: FastifyRequest): Visitor {
  return { cookie: headers.cookie, userAgent: headers["user-agent"], ip };
}

/** A renewed session's cookie is on the answer. @throws {AppError} `not_signed_in`, `unavailable`. */
export async function signedIn(signIn: SignIn, request: FastifyRequest, reply: FastifyReply): Promise<SignedIn> {
  const { setCookie, ...session } = await signIn.whoIs(visitorOf(request));
  sendCookies(reply, setCookie);
  return session;
}

/** `append` would join them to one line, which no browser takes apart. */
export function sendCookies(reply: FastifyReply, cookies: string[]): void {
  for (const cookie of cookies) reply.header("set-cookie", cookie);
}

/**
 * A browser says with every change which page sent it; a page of another site must not change what is ours, also where the cookie comes
 * along. @throws {AppError} `origin_not_allowed`.
 */
export function createOriginCheck(publicUrl: string): (request: FastifyRequest) => void {
  const { origin } = new URL(publicUrl);
  return ({ method, headers }) => {
    if (method === "GET" || method === "HEAD" || headers.origin === origin) return;
    throw new AppError("origin_not_allowed", { message: `Changes are accepted from pages of ${origin} only.` });
  };
}
