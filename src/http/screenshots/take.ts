/** `GET` and `HEAD /v1/screenshots/take`: the way of one request, from key to picture. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/authenticate.ts";
import { targetAllowed } from "../../accounts/keys/domains.ts";
import { type createOptionsSchema, withoutSecrets } from "../../capture/options.ts";
import { timeoutSignal, untilAborted, withDeadline } from "../../deadline.ts";
import { AppError, ClientGone } from "../../errors.ts";
import type { Links } from "../../images/link.ts";
import type { Metrics } from "../../metrics.ts";
import type { CaptureCache } from "../../screenshots/cache.ts";
import type { InFlight } from "../../screenshots/single-flight.ts";
import type { Fresh } from "../../screenshots/take-fresh.ts";
import type { TakeOnce } from "../../screenshots/take-once.ts";
import { queryOf } from "../query.ts";
import type { Admit } from "./admission.ts";
import { type Answer, isUnchanged, sendAnswer } from "./answer.ts";
import { sendDryRun } from "./dry-run.ts";
import type { ReadAsked } from "./take-request.ts";

export interface TakeParts {
  admit: Admit;
  readAsked: ReadAsked;
  optionsSchema: ReturnType<typeof createOptionsSchema>;
  /** Refuses a target that may not be reached, before anything is spent on it. The egress wall is the boundary; this gives early, clear words. */
  vetTarget: (url: URL, signal: AbortSignal) => Promise<void>;
  cache: CaptureCache;
  inFlight: InFlight<Fresh & { elsewhere: boolean }>;
  takeOnce: TakeOnce;
  links: Links;
  metrics: Metrics;
}

/** A capture that used its time up still gets this long to be stored. */
const storedGraceMs = 2_000;

/** `at` is where the playground differs: it changes something, so that it is no GET, and `admit` asks for a session. */
export function takeRoute(
  app: FastifyInstance,
  parts: TakeParts,
  at: { method: string[]; url: string } = { method: ["GET", "HEAD"], url: "/v1/screenshots/take" },
): void {
  const { admit, readAsked, optionsSchema, vetTarget, cache, inFlight, takeOnce, links, metrics } = parts;

  const look = async (request: FastifyRequest, key: Caller) => {
    const asked = readAsked(key.userId, queryOf(request));
    assertTargetAllowed(key, asked.target);
    const found = asked.options.is_cached ? await cache.find(key.userId, asked.identity, asked.options.cache_ttl) : undefined;
    // The account's other keys may go further.
    const hit =
      found && (key.allowedTargets.length === 0 || targetAllowed(key.allowedTargets, new URL(found.finalUrl))) ? found : undefined;
    return { key, asked, hit };
  };

  const take = async (request: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now();
    const { key, asked, hit } = await admit(request, reply, (caller) => look(request, caller));
    const { options, warnings, identity } = asked;
    // A shared cache knows neither a secret nor which page asks: it would hand the picture to all.
    const isPrivate = asked.isPrivate || key.allowedDomains.length > 0;
    const answer: Omit<Answer, "picture"> = { options, warnings, isPrivate, started, links };
    const sendsPicture = options.response_type === "image" && request.method !== "HEAD";
    if (hit && !options.dry_run) {
      const needed = sendsPicture && !isUnchanged(request, hit.etag);
      const body = needed ? (cache.inMemory(hit) ?? (await cache.open(hit, clientGone(reply)))) : null;
      if (body !== undefined) {
        metrics.cacheLookups.inc({ result: "hit" });
        return await sendAnswer(request, reply, { ...answer, picture: { ...hit, cache: "HIT", body } });
      }
    }

    const gone = clientGone(reply);
    const leftMs = Math.max(0, Math.ceil(options.timeout * 1000 - (performance.now() - started)));
    const deadline = timeoutSignal(leftMs, () => new AppError("target_timeout"));
    if (options.dry_run) {
      await vetTarget(asked.target, AbortSignal.any([gone, deadline]));
      return await sendDryRun(reply, { options: withoutSecrets(optionsSchema, options), warnings, cached: options.is_cached, hit });
    }
    // Callers of one flight share its deadline and where it may go, so a different one is a different flight.
    const flight = [key.userId, identity.toString("hex"), options.timeout, options.is_cached, ...key.allowedTargets].join(" ");
    const { value, joined } = await inFlight.join(flight, gone, (abandoned) => {
      const signal = AbortSignal.any([abandoned, deadline]);
      return takeOnce({ key, options, identity, signal, vetted: vetTarget(asked.target, signal) });
    });
    const coalesced = joined || value.elsewhere;
    metrics.cacheLookups.inc({ result: coalesced ? "coalesced" : "miss" });
    // Whoever asked for a description or no body at all wants the picture to be in the storage when the answer comes.
    const storingMs = options.timeout * 1000 - (performance.now() - started);
    const objectKey = sendsPicture ? undefined : await whenStored(value, gone, storingMs);
    return await sendAnswer(request, reply, {
      ...answer,
      picture: { ...value, objectKey, cache: coalesced ? "COALESCED" : "MISS", body: sendsPicture ? value.image : null },
    });
  };
  app.route({ ...at, exposeHeadRoute: false, handler: take });
}

function assertTargetAllowed(key: Caller, url: URL): void {
  if (!targetAllowed(key.allowedTargets, url)) throw new AppError("target_not_allowed");
}

/** Where the picture is kept; `null`, as when it could not be stored, for an answer that is due before that is known. */
async function whenStored({ stored }: Fresh, gone: AbortSignal, leftMs: number): Promise<string | null> {
  return await withDeadline(untilAborted(stored, gone), Math.max(Math.ceil(leftMs), storedGraceMs), () => null);
}

function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const look = () => {
    if (!reply.raw.writableFinished) controller.abort(new ClientGone());
  };
  if (reply.raw.closed) look();
  else reply.raw.once("close", look);
  return controller.signal;
}
