/** A parsed screenshot request, independent of the interface it arrived through. */

import { createHash } from "node:crypto";
import type { RequestedSignIn } from "../../accounts/sessions/requested-sign-in.ts";
import { addressOf, hasNoHost } from "../../capture/options.ts";
import { carriesSecret, identityOf, type TakeOptions, type TakeSchema, withDigests, withMaskedSecrets } from "./take-options.ts";

/** Frozen: concurrent requests with the same text share one. */
export interface TakeRequest {
  options: TakeOptions;
  /** `options.url`, or the address of the caller's own document. */
  target: URL;
  /** Warnings about ignored parameters. */
  warnings: string[];
  /** See {@link identityOf}; with a session, also of its state. */
  identity: Buffer;
  /** `identity` without the session's state. */
  optionsIdentity: Buffer;
  /** `options` for storage and logs: secret values are replaced by "given", documents by hashes. */
  recordedOptions: Record<string, unknown>;
  /**
   * Maximum age in seconds of a stored screenshot that the request accepts. If 0, it doesn't accept any, and its result isn't cached
   * either.
   */
  maxAgeSeconds: number;
  /** Whether the image may show content that only this caller may see. */
  isPrivate: boolean;
  /** Sign-in of the session that the capture performs first. */
  signIn?: RequestedSignIn | undefined;
}

export function createTakeRequest(schema: TakeSchema, options: TakeOptions, warnings: string[]): TakeRequest {
  const short = withDigests(schema, options);
  const identity = identityOf(schema, short);
  return deepFreeze({
    options,
    target: addressOf(options),
    warnings: [...warnings, ...originlessWarnings(options)],
    identity,
    optionsIdentity: identity,
    recordedOptions: withMaskedSecrets(schema, short),
    maxAgeSeconds: maxAgeOf(options),
    isPrivate: options.session !== undefined || carriesSecret(schema, options),
  });
}

/** @param version identifies the state of the request's session. */
export function withVersion(request: TakeRequest, version: string): TakeRequest {
  return { ...request, identity: createHash("sha256").update(request.optionsIdentity).update(version).digest() };
}

/**
 * The session may have been signed in again, or replaced, since the request's identity was determined.
 * @param capture.sessionVersion of the state with which the page was loaded.
 */
export function identityAsTaken(request: TakeRequest, { sessionVersion }: { sessionVersion?: string | undefined }): Buffer {
  return (sessionVersion === undefined ? request : withVersion(request, sessionVersion)).identity;
}

/** Warnings for options that need an origin, if the document has none. */
function originlessWarnings(options: TakeOptions): string[] {
  if (!hasNoHost(options)) return [];
  const unused = (["headers", "authorization", "cookies"] as const).filter((name) => options[name] !== undefined);
  return unused.map((name) => `${name} has no effect without base_url`);
}

function maxAgeOf({ is_cached, cache_ttl, stale_while_revalidate = 0, stale_if_error = 0 }: TakeOptions): number {
  return Math.max(is_cached ? cache_ttl : 0, stale_while_revalidate, stale_if_error);
}

/** Skips buffers, which cannot be frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
