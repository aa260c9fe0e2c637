/** `GET` and `HEAD /v1/screenshots/take`: one request, from its key to its image. */

import cors from "@fastify/cors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { RecordRefusedTarget } from "../../accounts/usage/refused-target.ts";
import type { Database } from "../../database/database.ts";
import type { CaptureCache } from "../../screenshots/take/cache.ts";
import type { Refresher } from "../../screenshots/take/refresh.ts";
import type { TakeScreenshot } from "../../screenshots/take/take.ts";
import type { TakeSchema } from "../../screenshots/take/take-options.ts";
import { createTakeRequest, type TakeRequest } from "../../screenshots/take/take-request.ts";
import { timeoutSignal, withDeadline } from "../../shared/deadline.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import type { Links } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { createFiguresOf } from "../comparisons/compare-to.ts";
import type { LinkBase } from "../input/link-base.ts";
import { parametersOf, type Query, queryOf } from "../input/query.ts";
import { createOptionsReader, fromQuery } from "../input/validation.ts";
import { exposedHeaders } from "../openapi/answer-headers.ts";
import { captureAnswers, captureFailures } from "../openapi/answers.ts";
import { asFailure, reportFailure } from "../openapi/errors.ts";
import { methodsOf, type Operation, operation } from "../openapi/operation.ts";
import { hasBody } from "../server/requests.ts";
import type { Admit } from "./admission.ts";
import { createResponder } from "./answer.ts";
import { sendDryRun } from "./dry-run.ts";
import { createErrorImages, type ReadSent } from "./error-image.ts";

/** The query consists of the options, which depend on the settings; admission and the options parser read it. */
export const takeScreenshotOperation = operation({
  id: "takeScreenshot",
  tag: "Screenshots",
  method: "GET",
  head: true,
  path: "/v1/screenshots/take",
  summary: "Take a screenshot",
  description:
    "Unknown parameters are ignored and listed in `X-Warnings`. Parameters with an empty value count as absent. `HEAD` captures and stores in the same way but returns only the headers, for example to warm the cache.",
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

export interface TakeRouteParts {
  admit: Admit;
  input: TakeInput;
  takeSchema: TakeSchema;
  takeScreenshot: TakeScreenshot;
  refresher: Refresher;
  recordRefusedTarget: RecordRefusedTarget;
  cache: CaptureCache;
  links: Links;
  linkBase: LinkBase;
  metrics: Metrics;
  /** For comparisons with stored screenshots. */
  database: Database;
  store: ImageStore;
}

/** Time after the deadline to open a stored image instead of returning an error. */
const openingGraceMs = 200;

/** Allows scripts and pages of every origin to use the responses of `app`. */
export async function openToAllOrigins(app: FastifyInstance): Promise<void> {
  await app.register(cors, {
    origin: "*",
    methods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
    exposedHeaders,
    maxAge: 86_400,
    strictPreflight: false,
  });
  app.addHook("onRequest", (_request, reply, done) => {
    reply
      .header("cross-origin-resource-policy", "cross-origin")
      .header("x-robots-tag", "noindex")
      .header("x-content-type-options", "nosniff");
    done();
  });
}

/** Serves the take operation at its own path, for the playground, or for a compatible interface. */
export function takeRoute(
  app: FastifyInstance,
  parts: TakeRouteParts,
  at: Pick<Operation, "method" | "head" | "path"> = takeScreenshotOperation,
): void {
  const { admit, input, takeSchema, takeScreenshot, refresher, recordRefusedTarget, metrics } = parts;
  const prepareErrorImage = createErrorImages(takeSchema, input.sent);

  const respond = async (http: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now();
    const { caller, request, found } = await admit(http, reply, async (admitted) => {
      const parsed = await input.parse(admitted.userId, http);
      return { caller: admitted, request: parsed, found: await takeScreenshot.find(admitted, parsed) };
    });
    const { options } = request;
    const { compare_to: comparedTo } = options;
    const figuresOf = comparedTo === undefined ? undefined : await comparing(parts, http, caller, comparedTo);
    const responder = createResponder(parts, { http, reply, caller, request, started, figuresOf });
    if (found?.use && !options.dry_run) {
      const sent = await responder.sendStored(found.stored, found.use === "fresh" ? "HIT" : "STALE");
      if (sent && found.use === "stale") refresher.start(caller, request);
      if (sent) return reply;
    }

    const deadlineAt = started + options.timeout * 1000;
    const leftMs = () => Math.max(0, Math.ceil(deadlineAt - performance.now()));
    const deadline = timeoutSignal(leftMs(), timedOut);
    const signals = { disconnected: responder.disconnected(), deadline, deadlineAt };
    if (options.dry_run) {
      await takeScreenshot.vet(request, signals);
      const { recordedOptions, warnings, maxAgeSeconds } = request;
      return await sendDryRun(reply, { options: recordedOptions, warnings, cached: maxAgeSeconds > 0, found });
    }
    try {
      const taking = takeScreenshot.take(caller, request, signals);
      const screenshot = await withDeadline(taking, leftMs() + takeScreenshot.endingGraceMs, () => Promise.reject(timedOut()));
      await responder.sendTaken(screenshot, leftMs());
      return reply;
    } catch (error) {
      if (error instanceof AppError && error.isUnrecorded) {
        const { recordedOptions, identity, target } = request;
        const refused = { url: target.href, options: recordedOptions, cacheKey: identity, error: error.code };
        await recordRefusedTarget(caller, refused).catch((failure) => http.log.warn({ err: failure }, "failed to record a refused target"));
      }
      if (!found?.mayReplaceError || !isReplaceable(error)) throw error;
      const failure = asFailure(error);
      const current = await takeScreenshot.find(caller, request).catch(() => undefined); // it may have been deleted during the capture
      if (!current?.mayReplaceError) throw error;
      const sent = await responder.sendStored(current.stored, "STALE", {
        openTimeoutMs: Math.max(leftMs(), openingGraceMs),
        warning: `the capture failed, so this is a stored screenshot: ${failure.code}: ${failure.message}`,
      });
      if (!sent) throw error;
      reportFailure(failure, http, metrics);
      return reply;
    }
  };
  const handler = (http: FastifyRequest, reply: FastifyReply) =>
    respond(http, reply).catch(async (error) => {
      await prepareErrorImage(error, http, reply);
      throw error;
    });
  app.route({ method: methodsOf(at), url: at.path, exposeHeadRoute: false, handler });
}

const timedOut = () => new AppError("target_timeout");

const comparing: typeof createFiguresOf = async (...of) => await (await import("../comparisons/compare-to.ts")).createFiguresOf(...of);

const rememberedBytesMax = 16 * 1024 * 1024;
/** Longer queries are rare and not cached. */
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
 * Parses the query of a take request. Results are cached per account, so that no account gets a request that was parsed for another one.
 * @throws {AppError} `invalid_parameters`, `invalid_url`; failures are not cached.
 */
export function createTakeRequestParser(schema: TakeSchema, otherParameters: string[]) {
  const readOptions = createOptionsReader(schema, otherParameters);
  // Upper bound for an entry: the options, and lists of single characters if the query is all commas.
  const sizeCalculation = (_request: TakeRequest, text: string) => 4096 + 16 * text.length;
  const remembered = new LRUCache<string, TakeRequest>({ maxSize: rememberedBytesMax, sizeCalculation });

  return (account: string, query: Pick<Query, "pairs">): TakeRequest => {
    const pairs = query.pairs.filter(({ name }) => !otherParameters.includes(name));
    // The cache key is exactly what is parsed below, so that different queries never share an entry.
    const text = `${account} ${pairs.map((pair) => pair.text).join("&")}`;
    const before = remembered.get(text);
    if (before) return before;
    const { options, warnings } = readOptions(parametersOf(pairs));
    const request = createTakeRequest(schema, options, warnings);
    if (text.length <= rememberedLengthMax) remembered.set(text, request);
    return request;
  };
}

/** The caller must see these errors: the request itself or its target is refused. */
const irreplaceable = new Set(["invalid_parameters", "invalid_url", "invalid_api_key", "target_not_allowed", "target_blocked"]);

/** Whether a stored screenshot may be returned instead of the error. */
function isReplaceable(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof ClientGone) && !(error instanceof AppError && irreplaceable.has(error.code));
}
