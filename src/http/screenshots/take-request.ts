/** Turns a query into capture options; remembers them for an account's repeated queries. */

import { LRUCache } from "lru-cache";
import { type CaptureOptions, captureIdentity, type createOptionsSchema, isPrivate } from "../../capture/options.ts";
import { parametersOf, type Query } from "../query.ts";
import { createOptionsReader } from "../validation.ts";

/** Shared by all requests of an account with the same query, so it is frozen. */
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

/** Remembers by account, so that no account depends on how another one's query was read. */
export type ReadAsked = (account: string, query: Pick<Query, "pairs">) => Asked;

const rememberedBytesMax = 16 * 1024 * 1024;
/** Longer queries are rare, and read anew each time. */
const textLengthMax = 16 * 1024;

/**
 * `known`: parameters of the request that aren't capture options, such as the key; they are neither parsed nor remembered.
 * @throws {AppError} `invalid_parameters`, `invalid_url`; what is wrong is not remembered.
 */
export function createAskedReader(schema: ReturnType<typeof createOptionsSchema>, known: string[]): ReadAsked {
  const readOptions = createOptionsReader(schema, known);
  const remembered = new LRUCache<string, Asked>({ maxSize: rememberedBytesMax, sizeCalculation: (_asked, text) => bytesOf(text) });

  return (account, query) => {
    const pairs = query.pairs.filter(({ name }) => !known.includes(name));
    // Exactly what is parsed below, so that an entry can't belong to another query.
    const text = `${account} ${pairs.map((pair) => pair.text).join("&")}`;
    const before = remembered.get(text);
    if (before) return before;
    const { options, warnings } = readOptions(parametersOf(pairs));
    const target = new URL(options.url);
    const asked = { options, target, warnings, identity: captureIdentity(schema, options), isPrivate: isPrivate(schema, options) };
    if (text.length <= textLengthMax) remembered.set(text, freeze(asked));
    return asked;
  };
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
