/** Reads the options of `GET` requests, and remembers the latest parsed queries. */

import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { createTakeRequest, type TakeRequest, type TakeSchema } from "../../screenshots/take/take-options.ts";
import { AppError } from "../../shared/errors.ts";
import { parametersOf, type Query, type QueryPair, queryOf } from "../input/request-target.ts";
import { createOptionsReader, fromQuery } from "../input/validation.ts";
import { hasBody } from "../server/requests.ts";
import type { TakeInput } from "./take.ts";

const rememberedBytesMax = 16 * 1024 * 1024;
/** Maximum length of a cached query; longer ones are rare. */
const rememberedLengthMax = 16 * 1024;

/** Reads options from the query. `otherParameters` are not options, such as the key, and neither parsed nor cached. */
export function queryInput(schema: TakeSchema, otherParameters: string[]): TakeInput {
  const parse = createTakeRequestParser(schema, otherParameters);
  return {
    parse: (account, http) => aboutBody(http, () => parse(account, queryOf(http))),
    sent: (http) => fromQuery(queryOf(http).parameters),
  };
}

/** Tells callers of `GET` or `HEAD` that the body was ignored: in a warning, or in the error if there is one. */
export function aboutBody(http: FastifyRequest, parse: () => TakeRequest): TakeRequest {
  if (!hasBody(http)) return parse();
  const ignored = `the body was ignored: options of ${http.method} requests belong in the query; to send a body, use POST`;
  try {
    const request = parse();
    return { ...request, warnings: [...request.warnings, ignored] };
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    throw new AppError(error.code, { details: [...error.details, { parameter: "body", message: ignored, allowed: "no body" }] });
  }
}

/**
 * Parses the query of a take request. Results are cached per account, so that accounts never share a parsed request.
 * @throws {AppError} `invalid_parameters`, `invalid_url`; failures are not cached.
 */
export function createTakeRequestParser(schema: TakeSchema, otherParameters: string[]) {
  const readOptions = createOptionsReader(schema, otherParameters);
  // Upper bound for an entry: the options, and lists of single characters if the query is all commas.
  const sizeCalculation = (_request: TakeRequest, text: string) => 4096 + 16 * text.length;
  const remembered = new LRUCache<string, TakeRequest>({ maxSize: rememberedBytesMax, sizeCalculation });
  /** Of a query and the last account that sent it, for as long as the query itself is remembered. */
  const texts = new WeakMap<readonly QueryPair[], { account: string; text: string }>();
  const optionsOf = (query: Pick<Query, "pairs">) => query.pairs.filter(({ name }) => !otherParameters.includes(name));

  /** The cache key is exactly what is parsed, so that different queries never share an entry. */
  function textOf(account: string, query: Pick<Query, "pairs">): string {
    const before = texts.get(query.pairs);
    if (before?.account === account) return before.text;
    const options = optionsOf(query).map((pair) => pair.text);
    const text = `${account} ${options.join("&")}`;
    texts.set(query.pairs, { account, text });
    return text;
  }

  return (account: string, query: Pick<Query, "pairs">): TakeRequest => {
    const text = textOf(account, query);
    const before = remembered.get(text);
    if (before) return before;
    const { options, warnings } = readOptions(parametersOf(optionsOf(query)));
    const request = createTakeRequest(schema, options, warnings);
    if (text.length <= rememberedLengthMax) remembered.set(text, request);
    return request;
  };
}
