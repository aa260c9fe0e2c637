/** `GET` and `HEAD /v1/screenshots/take`: one request, from its key to its image. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { timeoutSignal, untilAborted, withDeadline } from "../../deadline.ts";
import { AppError, ClientGone } from "../../errors.ts";
import type { Links } from "../../images/link.ts";
import type { Metrics } from "../../metrics.ts";
import type { CaptureCache } from "../../screenshots/cache.ts";
import type { Screenshot } from "../../screenshots/capture-and-store.ts";
import type { TakeScreenshot } from "../../screenshots/take.ts";
import type { TakeSchema } from "../../screenshots/take-options.ts";
import { createTakeRequest, type TakeRequest } from "../../screenshots/take-request.ts";
import type { LinkBase } from "../link-base.ts";
import { methodsOf, type Operation, operation } from "../operation.ts";
import { parametersOf, type Query, queryOf } from "../query.ts";
import { createOptionsReader } from "../validation.ts";
import type { Admit } from "./admission.ts";
import { type Answer, isUnchanged, sendAnswer } from "./answer.ts";
import { sendDryRun } from "./dry-run.ts";

/** Its query is the options' schema, which depends on the settings; admission and the options' parser read it. */
export const takeScreenshotOperation = operation({
  id: "takeScreenshot",
  tag: "Screenshots",
  method: "GET",
  head: true,
  path: "/v1/screenshots/take",
  summary: "Take a screenshot",
  description:
    "Unknown parameters are ignored and listed in `X-Warnings`. Parameters with an empty value count as absent. `HEAD` captures and stores in the same way and returns the headers only, for example to warm the cache.",
  access: "public",
  readsOwnQuery: true,
  answer: z.file(),
});

export interface TakeRouteParts {
  admit: Admit;
  /** Parameters that are not options, such as the key: neither parsed nor remembered. */
  otherParameters: string[];
  takeSchema: TakeSchema;
  takeScreenshot: TakeScreenshot;
  cache: CaptureCache;
  links: Links;
  linkBase: LinkBase;
  metrics: Metrics;
}

/** A capture that used all of its time still gets this long to be stored. */
const storingGraceMs = 2_000;

/** Serves the take operation, or the playground's. */
export function takeRoute(app: FastifyInstance, parts: TakeRouteParts, at: Operation = takeScreenshotOperation): void {
  const { admit, otherParameters, takeSchema, takeScreenshot, cache, links, linkBase, metrics } = parts;
  const parseTakeRequest = createTakeRequestParser(takeSchema, otherParameters);

  const handle = async (http: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now();
    const { caller, request, hit } = await admit(http, reply, async (admitted) => {
      const parsed = parseTakeRequest(admitted.userId, queryOf(http));
      return { caller: admitted, request: parsed, hit: await takeScreenshot.find(admitted, parsed) };
    });
    const { options, warnings } = request;
    // A shared cache would serve the image to any site, whatever the key's domains are.
    const isPrivate = request.isPrivate || caller.allowedDomains.length > 0;
    const answer: Omit<Answer, "screenshot"> = { options, warnings, isPrivate, started, links, linkBase };
    const sendsImage = options.response_type === "image" && http.method !== "HEAD";
    if (hit && !options.dry_run) {
      const needed = sendsImage && !isUnchanged(http, hit.etag);
      const body = needed ? (cache.inMemory(hit) ?? (await cache.open(hit, disconnection(reply)))) : null;
      if (body !== undefined) {
        metrics.cacheLookups.inc({ result: "hit" });
        return await sendAnswer(http, reply, { ...answer, screenshot: { ...hit, cache: "HIT", body } });
      }
    }

    const disconnected = disconnection(reply);
    const deadlineAt = started + options.timeout * 1000;
    const leftMs = () => Math.ceil(deadlineAt - performance.now());
    const deadline = timeoutSignal(Math.max(0, leftMs()), () => new AppError("target_timeout"));
    if (options.dry_run) {
      await takeScreenshot.vet(request, { disconnected, deadline, deadlineAt });
      return await sendDryRun(reply, { options: request.recordedOptions, warnings, cached: options.is_cached, hit });
    }
    const screenshot = await takeScreenshot.take(caller, request, { disconnected, deadline, deadlineAt });
    if (options.is_cached) metrics.cacheLookups.inc({ result: screenshot.coalesced ? "coalesced" : "miss" });
    // An answer without the image links to the stored one, or says that it is stored.
    const objectKey = sendsImage ? undefined : await whenStored(screenshot, disconnected, leftMs());
    return await sendAnswer(http, reply, {
      ...answer,
      screenshot: {
        ...screenshot,
        objectKey,
        cache: screenshot.coalesced ? "COALESCED" : "MISS",
        body: sendsImage ? screenshot.image : null,
      },
    });
  };
  app.route({ method: methodsOf(at), url: at.path, exposeHeadRoute: false, handler: handle });
}

const rememberedBytesMax = 16 * 1024 * 1024;
/** Longer queries are rare, and parsed each time. */
const rememberedLengthMax = 16 * 1024;

/**
 * Parses a take request's query. Remembers the results of an account's repeated queries, by account, so that no account depends on how
 * another one's query was parsed. @throws {AppError} `invalid_parameters`, `invalid_url`; failures are not remembered.
 */
export function createTakeRequestParser(schema: TakeSchema, otherParameters: string[]) {
  const readOptions = createOptionsReader(schema, otherParameters);
  // An upper bound of an entry: the options, and lists of single characters if the query is all commas.
  const sizeCalculation = (_request: TakeRequest, text: string) => 4096 + 16 * text.length;
  const remembered = new LRUCache<string, TakeRequest>({ maxSize: rememberedBytesMax, sizeCalculation });

  return (account: string, query: Pick<Query, "pairs">): TakeRequest => {
    const pairs = query.pairs.filter(({ name }) => !otherParameters.includes(name));
    // Exactly what is parsed below, so that an entry cannot belong to another query.
    const text = `${account} ${pairs.map((pair) => pair.text).join("&")}`;
    const before = remembered.get(text);
    if (before) return before;
    const { options, warnings } = readOptions(parametersOf(pairs));
    const request = createTakeRequest(schema, options, warnings);
    if (text.length <= rememberedLengthMax) remembered.set(text, request);
    return request;
  };
}

/** The image's object key; `null` if it could not be stored, or if the answer is due before that is known. */
async function whenStored({ stored }: Screenshot, disconnected: AbortSignal, leftMs: number): Promise<string | null> {
  return await withDeadline(untilAborted(stored, disconnected), Math.max(leftMs, storingGraceMs), () => null);
}

/** Aborts with `ClientGone` when the connection closes before the answer is sent. */
function disconnection(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const onClose = () => {
    if (!reply.raw.writableFinished) controller.abort(new ClientGone());
  };
  if (reply.raw.closed) onClose();
  else reply.raw.once("close", onClose);
  return controller.signal;
}
