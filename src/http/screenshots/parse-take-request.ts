/** Parses the query of a take request; remembers the result for an account's repeated queries. */

import { LRUCache } from "lru-cache";
import type { TakeSchema } from "../../screenshots/take-options.ts";
import { createTakeRequest, type TakeRequest } from "../../screenshots/take-request.ts";
import { parametersOf, type Query } from "../query.ts";
import { createOptionsReader } from "../validation.ts";

/**
 * Remembers by account, so that no account depends on how another one's query was parsed.
 * @throws {AppError} `invalid_parameters`, `invalid_url`; failures are not remembered.
 */
export type ParseTakeRequest = (account: string, query: Pick<Query, "pairs">) => TakeRequest;

const rememberedBytesMax = 16 * 1024 * 1024;
/** Longer queries are rare, and parsed each time. */
const textLengthMax = 16 * 1024;

/** `known`: parameters of the request that are not options, such as the key; they are neither parsed nor remembered. */
export function createTakeRequestParser(schema: TakeSchema, known: string[]): ParseTakeRequest {
  const readOptions = createOptionsReader(schema, known);
  const remembered = new LRUCache<string, TakeRequest>({ maxSize: rememberedBytesMax, sizeCalculation: (_request, text) => bytesOf(text) });

  return (account, query) => {
    const pairs = query.pairs.filter(({ name }) => !known.includes(name));
    // Exactly what is parsed below, so that an entry cannot belong to another query.
    const text = `${account} ${pairs.map((pair) => pair.text).join("&")}`;
    const before = remembered.get(text);
    if (before) return before;
    const { options, warnings } = readOptions(parametersOf(pairs));
    const request = createTakeRequest(schema, options, warnings);
    if (text.length <= textLengthMax) remembered.set(text, request);
    return request;
  };
}

/** An upper bound of an entry's size: the options, and lists of single characters if the query is all commas. */
function bytesOf(text: string): number {
  return 4096 + 16 * text.length;
}
