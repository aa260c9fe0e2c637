/** Session and origin checks for requests to the management API. */

import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { NewSession, Visitor } from "../../accounts/people/auth-calls.ts";
import type { SignedIn, SignIn } from "../../accounts/people/sign-in.ts";
import { readUser } from "../../accounts/people/users.ts";
import type { Database } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";
import { workFor } from "../server/owners.ts";
import { followDisconnection } from "../server/requests.ts";
import { userAnswer } from "./schemas.ts";

/** The parts of a request that identify the client. @param reply if given, waiting for a turn ends when the client disconnects. */
export function visitorOf({ headers, ip }: FastifyRequest, reply?: FastifyReply): Visitor {
  const visitor = { cookie: headers.cookie && ownCookies(headers.cookie), userAgent: headers["user-agent"], ip };
  return reply ? { ...visitor, disconnected: followDisconnection(reply) } : visitor;
}

const cookiesMax = 20;

const ownPrefix = "tintype.";
const securePrefix = "__Secure-";

/** Only our own: the sign-in library takes milliseconds for thousands of others, and so would splitting them. */
function ownCookies(cookies: string): string {
  const own: string[] = [];
  let at = cookies.indexOf(ownPrefix);
  while (at !== -1 && own.length < cookiesMax) {
    const next = cookies.indexOf(";", at);
    const end = next === -1 ? cookies.length : next;
    const start = cookies.startsWith(securePrefix, at - securePrefix.length) ? at - securePrefix.length : at;
    if (beginsCookie(cookies, start)) own.push(cookies.slice(start, end));
    at = cookies.indexOf(ownPrefix, end);
  }
  return own.join("; ");
}

/** Whether only blanks are between `start` and the end of the previous cookie. */
function beginsCookie(cookies: string, start: number): boolean {
  let before = start - 1;
  while (cookies[before] === " " || cookies[before] === "\t") before -= 1;
  return before === -1 || cookies[before] === ";";
}

const rememberedLength = 500;
/**
 * Accounts of sessions, by cookie, so that looking one up waits with its account's statements, not with those of everybody at its address.
 * Decides nothing else.
 */
const recent = new LRUCache<string, string>({ max: 10_000, ttl: 600_000 });

/**
 * Returns the request's session. If the session was renewed, also sends its new cookie.
 * @param beforeSecondFactor whether users who still have to set up a second factor are accepted.
 * @throws {AppError} `not_signed_in`, `second_factor_required`, `unavailable`.
 */
export async function requireSession(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  beforeSecondFactor = false,
): Promise<SignedIn> {
  const visitor = visitorOf(request);
  const { cookie = "" } = visitor;
  const account = recent.get(cookie);
  if (account) workFor(request, account);
  const { setCookie, ...session } = await signIn.sessionOf(visitor);
  workFor(request, session.userId);
  if (cookie.length <= rememberedLength) recent.set(cookie, session.userId);
  sendCookies(reply, setCookie);
  if (session.lacksSecondFactor && !beforeSecondFactor) throw new AppError("second_factor_required");
  return session;
}

/** Sends a new session's cookies. @returns the response body, with the session's user. */
export async function startSession(database: Database, reply: FastifyReply, { userId, setCookie }: NewSession) {
  sendCookies(reply, setCookie);
  return { user: userAnswer(await readUser(database, userId)) };
}

/** Sends one header per cookie, because browsers can't split a combined header. */
export function sendCookies(reply: FastifyReply, cookies: string[]): void {
  for (const cookie of cookies) reply.header("set-cookie", cookie);
}

/**
 * Returns a check that protects against CSRF: browsers may send the session cookie with requests from other sites, but they also send the
 * `Origin`. `GET` and `HEAD` requests are always accepted. The check throws an `AppError` `origin_not_allowed`.
 * @param publicUrl `WEB_PUBLIC_URL`.
 */
export function createOriginCheck(publicUrl: string): (request: FastifyRequest) => void {
  const { origin } = new URL(publicUrl);
  const accepted = [origin, ...loopbackAliases(new URL(publicUrl))];
  return ({ method, headers }) => {
    if (method === "GET" || method === "HEAD" || accepted.includes(headers.origin ?? "")) return;
    throw new AppError("origin_not_allowed", { message: `Changes are accepted only from pages on ${origin}.` });
  };
}

/** Other loopback names for a local dashboard. Only pages from the user's own machine can have these origins. */
function loopbackAliases({ protocol, hostname, port }: URL): string[] {
  const names = ["localhost", "127.0.0.1", "[::1]"];
  return names.includes(hostname) ? names.map((name) => `${protocol}//${name}${port && `:${port}`}`) : [];
}
