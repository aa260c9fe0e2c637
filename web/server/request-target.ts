/** Validates request targets (RFC 9112, 3.2) by the same rules as the API; this package imports nothing from the API. */

import type { IncomingMessage } from "node:http";

/** Scheme and authority; a user name is not allowed (RFC 9110, 4.2.4). */
const absoluteStart = /^https?:\/\/((?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?)(?=[/?]|$)/i;
/** `.` and `..` path segments in any encoding: with them, a request could leave the API's base path. */
const dotSegment = /^[^?]*(?:\/|\\|%2f|%5c)(?:\.|%2e){1,2}(?:\/|\\|%2f|%5c|\?|$)/i;
/** Whether the router rejects the target before it matches routes. */
const unroutable = "/%";

/** For Fastify's `rewriteUrl`, which runs before routing: everything after it sees a path with an optional query. */
export function rewriteTarget({ url: target = "", headers }: IncomingMessage): string {
  if (problemOf(target) !== undefined) return unroutable;
  const [start = "", host] = absoluteStart.exec(target) ?? [];
  if (host === undefined) return target;
  if (headers.host !== undefined) headers.host = host; // RFC 9112, 3.2.2
  const rest = target.slice(start.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Why the router rejected `target`. */
export function targetRefusal(target: string): string {
  return problemOf(target) ?? "The path of the request target is too long, or not percent-encoded UTF-8.";
}

function problemOf(target: string): string | undefined {
  if (target.includes("#")) return 'The request target contains a "#": write it as %23 if it is part of a value.';
  if (dotSegment.test(target)) return 'The path of the request target has a "." or ".." segment.';
  if (target.startsWith("/") || absoluteStart.test(target)) return undefined;
  return "The request target must be a path, such as /v1/screenshots/take.";
}
