/** Request headers for queueing: `Prefer` and `Idempotency-Key`. */

import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Idempotency } from "../../screenshots/queued/records.ts";
import { wrongParameter } from "../../shared/errors.ts";
import { bodyOf } from "../screenshots/json-input.ts";

/** Whether `respond-async` is one of the preferences, rather than a parameter or value of another preference (RFC 7240). */
export function prefersAsync(prefer: string | string[] | undefined): boolean {
  const withoutTexts = String(prefer ?? "").replace(/"(?:[^"\\]|\\.)*"?/g, (text) => (text === '""' ? "" : '"'));
  return withoutTexts.split(",").some((preference) => /^\s*respond-async\s*(=\s*)?(;|$)/i.test(preference));
}

const idempotencyKey = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` header. @throws {AppError} `invalid_parameters`. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && idempotencyKey.test(key))) return key;
  const allowed = "1 to 255 visible ASCII characters, such as a UUID";
  throw wrongParameter("Idempotency-Key", `must be ${allowed}`, allowed);
}

/** The `Idempotency-Key` header, with a hash of the request. @throws {AppError} `invalid_parameters`. */
export function idempotencyOf(http: FastifyRequest): Idempotency | undefined {
  const key = idempotencyKeyOf(http);
  if (key === undefined) return undefined;
  const body = bodyOf(http);
  const { api_key: _, ...members } = body.byteLength === 0 ? {} : body.members;
  const isAsync = prefersAsync(http.headers.prefer);
  return {
    key,
    hash: createHash("sha256")
      .update(JSON.stringify([isAsync, members], sorted))
      .digest(),
  };
}

/** A JSON replacer that sorts members, so that their order doesn't affect the hash. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
