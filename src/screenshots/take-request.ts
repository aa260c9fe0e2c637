/** A parsed request for a screenshot, independent of the interface it arrived through. */

import { addressOf, hasNoHost } from "../capture/options.ts";
import { carriesSecret, identityOf, type TakeOptions, type TakeSchema, withDigests, withoutSecrets } from "./take-options.ts";

/** Frozen: concurrent requests with the same text share one. */
export interface TakeRequest {
  options: TakeOptions;
  /** `options.url`, or the address of the caller's own document. */
  target: URL;
  /** About parameters that were ignored. */
  warnings: string[];
  /** See {@link identityOf}. */
  identity: Buffer;
  /** `options` as they may be stored and logged: without the values of secret ones, and with hashes of documents. */
  recordedOptions: Record<string, unknown>;
  /** Maximum age in seconds of a stored screenshot that may answer the request in any case; 0: none may, and none is stored for later. */
  maxAgeSeconds: number;
  /** The image may show what only this caller may see. */
  isPrivate: boolean;
}

export function createTakeRequest(schema: TakeSchema, options: TakeOptions, warnings: string[]): TakeRequest {
  const short = withDigests(schema, options);
  return deepFreeze({
    options,
    target: addressOf(options),
    warnings: [...warnings, ...withoutAddress(options)],
    identity: identityOf(schema, short),
    recordedOptions: withoutSecrets(schema, short),
    maxAgeSeconds: maxAgeOf(options),
    isPrivate: carriesSecret(schema, options),
  });
}

/** About options for the origin of a document that has none. */
function withoutAddress(options: TakeOptions): string[] {
  if (!hasNoHost(options)) return [];
  const unused = (["headers", "authorization", "cookies"] as const).filter((name) => options[name] !== undefined);
  return unused.map((name) => `${name} has no effect without base_url`);
}

function maxAgeOf({ is_cached, cache_ttl, stale_while_revalidate = 0, stale_if_error = 0 }: TakeOptions): number {
  return Math.max(is_cached ? cache_ttl : 0, stale_while_revalidate, stale_if_error);
}

/** Bytes cannot be frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
