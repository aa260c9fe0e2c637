/** A parsed request for a screenshot, independent of the interface it arrived through. */

import { carriesSecret, identityOf, type TakeOptions, type TakeSchema, withoutSecrets } from "./take-options.ts";

/** Frozen: concurrent requests with the same text share one. */
export interface TakeRequest {
  options: TakeOptions;
  /** `options.url`, parsed. */
  target: URL;
  /** About parameters that were ignored. */
  warnings: string[];
  /** See {@link identityOf}. */
  identity: Buffer;
  /** `options` as they may be stored and logged: without the values of secret ones. */
  recordedOptions: Record<string, unknown>;
  /** The image may show what only this caller may see. */
  isPrivate: boolean;
}

export function createTakeRequest(schema: TakeSchema, options: TakeOptions, warnings: string[]): TakeRequest {
  return deepFreeze({
    options,
    target: new URL(options.url),
    warnings,
    identity: identityOf(schema, options),
    recordedOptions: withoutSecrets(schema, options),
    isPrivate: carriesSecret(schema, options),
  });
}

/** Bytes cannot be frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
