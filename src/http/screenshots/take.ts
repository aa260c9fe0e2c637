/**
 * `GET` and `HEAD /v1/screenshots/take`, from authentication to response. screenshots/take/take-screenshot.ts lists the layers below. In
 * code with both names, `http` is the HTTP request and `request` what was parsed from it; in capture/, `request` is a `CaptureRequest`.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { CopyStored } from "../../accounts/destinations/copies.ts";
import type { Destinations } from "../../accounts/destinations/destinations.ts";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { Database } from "../../database/database.ts";
import type { Refresher } from "../../screenshots/take/refresh.ts";
import { createTakeRequest, type TakeRequest, type TakeSchema } from "../../screenshots/take/take-options.ts";
import { timeoutSignal, withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import type { ImageStore } from "../../storage/store.ts";
import { parametersOf, type Query, type QueryPair, queryOf } from "../input/request-target.ts";
import { createOptionsReader, fromQuery } from "../input/validation.ts";
import { captureAnswers, captureFailures } from "../openapi/answers.ts";
import { methodsOf, type Operation, operation } from "../openapi/operation.ts";
import { createOpenLimit } from "../server/client-limits.ts";
import { hasBody } from "../server/requests.ts";
import type { Admission } from "./admission.ts";
import { createResponder, type ResponderParts } from "./answer.ts";
import { sendDryRun } from "./answer-json.ts";
import { createErrorImages, type Exchange, type FailureParts, type ReadSent, recordRefusal, sendInstead } from "./failed-take.ts";

/** The query consists of the options, which depend on the settings. Served by `takeRoute`, not by server/operation-routes.ts. */
export const takeScreenshotOperation = operation({
  id: "takeScreenshot",
  tag: "Screenshots",
  method: "GET",
  head: true,
  path: "/v1/screenshots/take",
  summary: "Take a screenshot",
  description:
    "Unknown parameters are ignored and listed in `X-Warnings`. Parameters with an empty value are treated as absent. `HEAD` captures and stores in the same way but returns only the headers, for example to warm the cache.",
  access: "key",
  readsOwnQuery: true,
  options: "query",
  answer: z.file(),
  responses: () => captureAnswers,
  failures: captureFailures(),
});

/** Reads the options of a route's requests. */
export interface TakeInput {
  /** @throws {AppError} `invalid_parameters`, `invalid_url`. */
  parse(account: string, http: FastifyRequest): TakeRequest | Promise<TakeRequest>;
  sent: ReadSent;
}

export interface TakeRouteParts extends ResponderParts, FailureParts {
  admission: Pick<Admission, "authenticate" | "startRateLimit">;
  input: TakeInput;
  takeSchema: TakeSchema;
  refresher: Refresher;
  destinations: Pick<Destinations, "assertUsable">;
  copyStored: CopyStored;
  /** For comparisons with stored screenshots. */
  database: Database;
  store: ImageStore;
}

/**
 * Maximum number of requests per account and process that may wait for captures. The browser queue doesn't limit them, since
 * identical requests share a capture.
 */
export const takesPerAccountMax = 1_000;
export const countUntilClosed = createOpenLimit(
  takesPerAccountMax,
  (count) => `The account already has ${count} requests waiting for captures: wait until some have ended.`,
);

/** Serves the take operation at its own path, in the playground, or for a compatible interface. */
export function takeRoute(
  app: FastifyInstance,
  parts: TakeRouteParts,
  at: Pick<Operation, "method" | "head" | "path"> = takeScreenshotOperation,
): void {
  const { input, takeScreenshot, admission } = parts;
  const prepareErrorImage = createErrorImages(parts.takeSchema, input.sent);

  /** Parses the request and looks for a stored screenshot that it accepts. */
  const lookUp = async (http: FastifyRequest, caller: Caller) => {
    const parsed = await input.parse(caller.userId, http);
    if (parsed.options.destination !== undefined) await parts.destinations.assertUsable(caller, [parsed]);
    const request = parsed.isPlain ? parsed : await takeScreenshot.prepare(caller, parsed);
    return { request, found: await takeScreenshot.find(caller, request) };
  };
  const respond = async (http: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now();
    const caller = await admission.authenticate(http, reply);
    const rateLimit = await admission.startRateLimit(http, reply, caller);
    const { request, found } = await rateLimit.whileCounting(lookUp(http, caller));
    await rateLimit.assertPassed(); // no earlier step has a side effect visible to the caller
    const { compare_to } = request.options;
    const compareShot =
      compare_to === undefined
        ? undefined
        : await (await import("../comparisons/compare-to.ts")).createCompareShot(parts, http, caller, compare_to);
    const responder = createResponder(parts, { http, reply, caller, request, started, compareShot });
    const exchange = { http, caller, request, found, responder };
    if (await sendFound(parts, exchange)) return reply;
    const time = timeOf(request, started);
    if (request.options.dry_run) return await describeOnly(parts, exchange, time, reply);
    try {
      countUntilClosed(caller.userId, reply); // may throw `rate_limited`, which a stored screenshot may replace
      const screenshot = await takeInTime(parts, exchange, time);
      await responder.sendTaken(screenshot, time.leftMs());
    } catch (error) {
      await recordRefusal(parts, exchange, error); // also if a stored screenshot is sent instead
      await sendInstead(parts, exchange, time.leftMs, error);
    }
    return reply;
  };
  const handler = async (http: FastifyRequest, reply: FastifyReply) => {
    try {
      return await respond(http, reply);
    } catch (error) {
      await prepareErrorImage(error as Error, http, reply);
      throw error;
    }
  };
  app.route({ method: methodsOf(at), url: at.path, exposeHeadRoute: false, handler });
}

/** Sends the stored screenshot if the request accepts it. If the screenshot is stale, starts a capture to replace it. */
async function sendFound({ refresher, copyStored }: TakeRouteParts, { caller, request, found, responder }: Exchange): Promise<boolean> {
  if (!found?.freshness || request.options.dry_run) return false;
  if (request.options.destination !== undefined) await copyStored(caller, request.options, found.entry); // before the response: may throw
  const isSent = await responder.sendStored(found.entry, found.freshness === "fresh" ? "HIT" : "STALE");
  if (isSent && found.freshness === "stale") refresher.start(caller, request);
  return isSent;
}

/** The deadline and remaining time of a request. */
function timeOf({ options }: TakeRequest, started: number) {
  const deadlineAt = started + options.timeout * 1000;
  const leftMs = () => Math.max(0, Math.ceil(deadlineAt - performance.now()));
  return { deadlineAt, leftMs, deadline: timeoutSignal(leftMs(), timedOut) };
}

type Time = ReturnType<typeof timeOf>;

const timedOut = () => new AppError("target_timeout");

async function describeOnly({ takeScreenshot }: TakeRouteParts, { request, found, responder }: Exchange, time: Time, reply: FastifyReply) {
  await takeScreenshot.vet(request, { ...time, disconnected: responder.disconnected() });
  const { recordedOptions, warnings, maxAgeSeconds } = request;
  return await sendDryRun(reply, { options: recordedOptions, warnings, cached: maxAgeSeconds > 0, found });
}

async function takeInTime({ takeScreenshot }: TakeRouteParts, { caller, request, responder }: Exchange, time: Time) {
  const taking = takeScreenshot.take(caller, request, { ...time, disconnected: responder.disconnected() });
  return await withDeadline(taking, time.leftMs() + takeScreenshot.endingGraceMs, () => Promise.reject(timedOut()));
}

const rememberedBytesMax = 16 * 1024 * 1024;
/** Maximum length of a cached query in characters; longer queries are rare. */
const rememberedLengthMax = 16 * 1024;

/** Reads options from the query. `otherParameters`, such as the key, are not options, and are neither parsed nor cached. */
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
 * Returns a parser for the queries of take requests. Results are cached per account, so that accounts never share a parsed request. The
 * parser throws an `AppError` `invalid_parameters` or `invalid_url`; failures are not cached.
 */
export function createTakeRequestParser(schema: TakeSchema, otherParameters: string[]) {
  const readOptions = createOptionsReader(schema, otherParameters);
  // Upper bound in bytes; the worst case is a list of single characters.
  const sizeCalculation = (_request: TakeRequest, text: string) => 4096 + 16 * text.length;
  const remembered = new LRUCache<string, TakeRequest>({ maxSize: rememberedBytesMax, sizeCalculation });
  /** The cache key of each query, for the last account that sent it. Kept as long as the query itself. */
  const texts = new WeakMap<readonly QueryPair[], { account: string; text: string }>();
  const optionsOf = (query: Pick<Query, "pairs">) => query.pairs.filter(({ name }) => !otherParameters.includes(name));

  /** The cache key contains exactly the text that is parsed, so different queries never share an entry. */
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
