/** What a request asks for, understood: once for the same words, however often they come. */

import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { type CaptureOptions, captureIdentity, type createOptionsSchema, isPrivate } from "../capture/options.ts";
import { queryOf } from "./errors.ts";
import type { RawQuery } from "./query.ts";
import { createOptionsReader } from "./validation.ts";

/** Shared by all requests of the same words, so that nothing of it can be changed. */
export interface Asked {
  options: CaptureOptions;
  /** `options.url`, read. */
  target: URL;
  /** Of parameters that were ignored. */
  warnings: string[];
  /** By which the same picture is found again. */
  identity: Buffer;
  isPrivate: boolean;
}

export type ReadAsked = (request: Pick<FastifyRequest, "url" | "query">) => Asked;

const rememberedBytesMax = 16 * 1024 * 1024;
/** Longer queries are rare, and read anew each time. */
const textLengthMax = 16 * 1024;

/**
 * `known`: parameters of the request that aren't capture options.
 * @throws {AppError} `invalid_parameters`, `invalid_url`; what is wrong is not remembered.
 */
export function createAskedReader(schema: ReturnType<typeof createOptionsSchema>, known: string[]): ReadAsked {
  const readOptions = createOptionsReader(schema, known);
  const remembered = new LRUCache<string, Asked>({ maxSize: rememberedBytesMax, sizeCalculation: (_asked, text) => bytesOf(text) });

  return (request) => {
    const text = withoutKey(queryOf(request));
    const before = remembered.get(text);
    if (before) return before;
    const { options, warnings } = readOptions(request.query as RawQuery);
    const target = new URL(options.url);
    const asked = { options, target, warnings, identity: captureIdentity(schema, options), isPrivate: isPrivate(schema, options) };
    if (text.length <= textLengthMax) remembered.set(text, freeze(asked));
    return asked;
  };
}

/** The key says who asks, not what for: it is not remembered, and accounts that ask for the same share what was understood. */
function withoutKey(query: string): string {
  return query.replace(/(^|&)api_key=[^&]*/g, "");
}

/** What one request did to it, another would get. Bytes can't be frozen. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

/** No less than what an entry takes: the options, and lists of single characters where all is commas. */
function bytesOf(text: string): number {
  return 4096 + 16 * text.length;
}
