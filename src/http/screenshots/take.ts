/** `GET` and `HEAD /v1/screenshots/take`: one request, from its key to its image. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { timeoutSignal, untilAborted, withDeadline } from "../../deadline.ts";
import { AppError, ClientGone } from "../../errors.ts";
import type { Links } from "../../images/link.ts";
import type { Metrics } from "../../metrics.ts";
import type { CaptureCache } from "../../screenshots/cache.ts";
import type { Screenshot } from "../../screenshots/capture-and-store.ts";
import type { TakeScreenshot } from "../../screenshots/take.ts";
import { type TakeSchema, withoutSecrets } from "../../screenshots/take-options.ts";
import type { LinkBase } from "../link-base.ts";
import { methodsOf, type Operation, operation } from "../operation.ts";
import { queryOf } from "../query.ts";
import type { Admit } from "./admission.ts";
import { type Answer, isUnchanged, sendAnswer } from "./answer.ts";
import { sendDryRun } from "./dry-run.ts";
import type { ParseTakeRequest } from "./parse-take-request.ts";

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
  parseTakeRequest: ParseTakeRequest;
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
  const { admit, parseTakeRequest, takeSchema, takeScreenshot, cache, links, linkBase, metrics } = parts;

  const handle = async (http: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now();
    const { caller, request, hit } = await admit(http, reply, async (admitted) => {
      const parsed = parseTakeRequest(admitted.userId, queryOf(http));
      return { caller: admitted, request: parsed, hit: await takeScreenshot.find(admitted, parsed) };
    });
    const { options, warnings } = request;
    // A shared cache would serve the image to any site, whatever the key's domains are.
    const isPrivate = request.isPrivate || caller.allowedDomains.length > 0;
    const answer: Omit<Answer, "picture"> = { options, warnings, isPrivate, started, links, linkBase };
    const sendsImage = options.response_type === "image" && http.method !== "HEAD";
    if (hit && !options.dry_run) {
      const needed = sendsImage && !isUnchanged(http, hit.etag);
      const body = needed ? (cache.inMemory(hit) ?? (await cache.open(hit, disconnection(reply)))) : null;
      if (body !== undefined) {
        metrics.cacheLookups.inc({ result: "hit" });
        return await sendAnswer(http, reply, { ...answer, picture: { ...hit, cache: "HIT", body } });
      }
    }

    const disconnected = disconnection(reply);
    const deadlineAt = started + options.timeout * 1000;
    const leftMs = () => Math.ceil(deadlineAt - performance.now());
    const deadline = timeoutSignal(Math.max(0, leftMs()), () => new AppError("target_timeout"));
    if (options.dry_run) {
      await takeScreenshot.vet(request, { disconnected, deadline, deadlineAt });
      return await sendDryRun(reply, { options: withoutSecrets(takeSchema, options), warnings, cached: options.is_cached, hit });
    }
    const screenshot = await takeScreenshot.take(caller, request, { disconnected, deadline, deadlineAt });
    if (options.is_cached) metrics.cacheLookups.inc({ result: screenshot.coalesced ? "coalesced" : "miss" });
    // An answer without the image links to the stored one, or says that it is stored.
    const objectKey = sendsImage ? undefined : await whenStored(screenshot, disconnected, leftMs());
    return await sendAnswer(http, reply, {
      ...answer,
      picture: {
        ...screenshot,
        objectKey,
        cache: screenshot.coalesced ? "COALESCED" : "MISS",
        body: sendsImage ? screenshot.image : null,
      },
    });
  };
  app.route({ method: methodsOf(at), url: at.path, exposeHeadRoute: false, handler: handle });
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
