/** Serves the watch operations: `/v1/watches` with an API key, and `/v1/account/watches` with a session. */

import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Destinations } from "../../accounts/destinations/destinations.ts";
import { type Caller, ownerOf, playgroundCaller } from "../../accounts/keys/caller.ts";
import { assertMayCapture, assertNotPublic } from "../../accounts/keys/restrictions.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { Database } from "../../database/database.ts";
import type { Idempotency } from "../../screenshots/queued/records.ts";
import type { Proxies } from "../../screenshots/take/proxies.ts";
import type { ProxyOptions, TakeSchema } from "../../screenshots/take/take-options.ts";
import type { Config } from "../../settings/config.ts";
import { existing } from "../../shared/errors.ts";
import { parseUrl } from "../../shared/urls.ts";
import type { Links } from "../../storage/link.ts";
import type { FeedLinks } from "../../watches/feed-links.ts";
import { listMuted } from "../../watches/muted.ts";
import { findRun, listRuns, recentRuns } from "../../watches/run-records.ts";
import { listWatches, readWatch, type Watch } from "../../watches/watch-records.ts";
import type { SubmittedWatch, Watches } from "../../watches/watches.ts";
import { pageOf } from "../account/schemas.ts";
import { idempotencyOf } from "../captures/idempotency.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import type { LinkBase } from "../input/link-base.ts";
import type { Operation } from "../openapi/operation.ts";
import type { Routes } from "../server/operation-routes.ts";
import { runAnswer, watchAnswer } from "./answer.ts";
import { createWatchReader, mutedRegionOf } from "./input.ts";
import { dashboardWatchOperations, type WatchOperations, watchOperations } from "./operations.ts";
import type { WatchBody } from "./schemas.ts";

export interface WatchParts {
  config: Pick<Config, "WATCH_INTERVAL_MIN_SECONDS">;
  database: Database;
  takeSchema: TakeSchema;
  pageSessions: Pick<PageSessions, "assertUsable">;
  proxies: Pick<Proxies, "assertUsable">;
  destinations: Pick<Destinations, "assertUsable">;
  watches: Watches;
  links: Links;
  feedLinks: FeedLinks;
  linkBase: LinkBase;
  assertWebhookUrl: (text: string, signal: AbortSignal) => Promise<string>;
}

/** What the routes add to each operation's own input. */
interface Called {
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
  /** From the `Idempotency-Key` header; undefined without one, and in the dashboard. */
  idempotency: Idempotency | undefined;
}

type HandlerOf<O> =
  O extends Operation<infer P, infer Q, infer B, infer A>
    ? (input: { params: z.output<P>; query: z.output<Q>; body: z.output<B> } & Called) => Promise<z.input<A>>
    : never;

type WatchHandlers = { [Name in keyof WatchOperations]: HandlerOf<WatchOperations[Name]> };

const vetTimeoutMs = 10_000;

function createWatchHandlers(parts: WatchParts): WatchHandlers {
  const { database, watches, takeSchema, config, assertWebhookUrl } = parts;
  const readWatchBody = createWatchReader(takeSchema, config.WATCH_INTERVAL_MIN_SECONDS);
  const vetted = async (url: string | null | undefined) =>
    typeof url === "string" ? await assertWebhookUrl(url, AbortSignal.timeout(vetTimeoutMs)) : url;
  const { many, one, linksFor } = createDescriptions(parts);
  return {
    async create({ caller, body, request, reply, idempotency }) {
      const submitted = readWatchBody(body, await vetted(body.webhook_url));
      assertAllowed(parts, caller, submitted);
      await assertNamed(parts, caller, body, submitted.url);
      const id = await watches.create(caller, submitted, idempotency);
      reply.header("location", `${request.routeOptions.url}/${id}`);
      return await one(request, caller, id);
    },
    async list({ caller, query: { limit, before, state }, request }) {
      const { watches, next } = await listWatches(database, ownerOf(caller), { limit, before, state });
      return { watches: await many(request, watches), next_cursor: next };
    },
    read: ({ caller, params, request }) => one(request, caller, params.id),
    async change({ caller, params: { id }, body, request }) {
      const webhookUrl = await vetted(body.webhook_url);
      await assertNamed(parts, caller, body, (await readWatch(database, ownerOf(caller), id)).url);
      await watches.change(caller, id, (watch, given) => {
        const submitted = readWatchBody(body, webhookUrl, { watch, given });
        assertAllowed(parts, caller, submitted);
        return submitted;
      });
      return await one(request, caller, id);
    },
    remove: ({ caller, params }) => watches.remove(ownerOf(caller), params.id).then(() => undefined),
    async run({ caller, params: { id }, request, idempotency }) {
      const runId = await watches.run(ownerOf(caller), id, idempotency && { ...idempotency, hash: hashWith(idempotency.hash, id) });
      return runAnswer(linksFor(request), id, existing(await findRun(database, id, runId)));
    },
    pause: ({ caller, params: { id }, request }) => watches.pause(ownerOf(caller), id).then(() => one(request, caller, id)),
    resume: ({ caller, params: { id }, request }) => watches.resume(ownerOf(caller), id).then(() => one(request, caller, id)),
    accept: ({ caller, params: { id }, body, request }) =>
      watches.accept(ownerOf(caller), id, body?.run_id ?? undefined).then(() => one(request, caller, id)),
    mute: ({ caller, params: { id }, body, request }) =>
      watches.mute(ownerOf(caller), id, mutedRegionOf(body)).then(() => one(request, caller, id)),
    unmute: ({ caller, params: { id, mute_id }, request }) =>
      watches.unmute(ownerOf(caller), id, mute_id).then(() => one(request, caller, id)),
    async runs({ caller, params: { id }, query: { limit, before, status }, request }) {
      await readWatch(database, ownerOf(caller), id);
      const found = await listRuns(database, id, { limit: limit + 1, before, status });
      const { page, next_cursor } = pageOf(found, limit);
      return { runs: page.map((run) => runAnswer(linksFor(request), id, run)), next_cursor };
    },
    async readRun({ caller, params: { id, run_id }, request }) {
      await readWatch(database, ownerOf(caller), id);
      return runAnswer(linksFor(request), id, existing(await findRun(database, id, run_id)));
    },
  };
}

/** @throws {AppError} `target_not_allowed`, `proxy_not_allowed`, `domain_not_allowed`; `invalid_parameters` if the proxy doesn't exist. */
function assertAllowed({ proxies }: WatchParts, caller: Caller, { url, options }: Pick<SubmittedWatch, "url" | "options">): void {
  assertMayCapture(caller, new URL(url));
  proxies.assertUsable(caller, [{ options: options as ProxyOptions }]);
}

/**
 * Checks the session and the destination that a body names. @param url the watch's current URL, which the body may change.
 * @throws {AppError} `invalid_parameters` if one of them doesn't exist or can't be used; `domain_not_allowed`.
 */
async function assertNamed({ pageSessions, destinations }: WatchParts, caller: Caller, body: WatchBody, url: string): Promise<void> {
  const { session, destination, url: given } = body;
  if (typeof destination === "string") await destinations.assertUsable(caller, [{ options: { destination } }]);
  const target = parseUrl(typeof given === "string" ? given : url);
  if (typeof session === "string" && target) await pageSessions.assertUsable(caller, [{ options: { session }, target }]);
}

/** Loads watches for responses, with their runs and muted regions. */
function createDescriptions({ database, links, feedLinks, linkBase }: WatchParts) {
  const linksFor = (request: FastifyRequest) => ({ links, feedLinks, base: linkBase(request) });
  const many = async (request: FastifyRequest, found: Watch[]) => {
    const ids = found.map(({ id }) => id);
    const [runs, muted] = await Promise.all([recentRuns(database, ids), listMuted(database, ids)]);
    return found.map((watch) => watchAnswer(linksFor(request), { watch, runs: runs.get(watch.id), muted: muted.get(watch.id) ?? [] }));
  };
  const one = async (request: FastifyRequest, caller: Caller, id: string) => {
    const [described] = await many(request, [await readWatch(database, ownerOf(caller), id)]);
    return existing(described);
  };
  return { linksFor, many, one };
}

/** Makes the hash specific to the watch: an idempotency key can't be reused for another watch. */
function hashWith(hash: Buffer, id: string): Buffer {
  return createHash("sha256").update(hash).update(id).digest();
}

/** TypeScript can check each pair of operation and handler, but not their union in a loop. */
type AnyHandler = (input: object) => Promise<never>;

const operationNames = Object.keys(watchOperations) as (keyof WatchHandlers)[];

export function watchRoutes(keyRoute: KeyRoute, parts: WatchParts): void {
  const handlers = createWatchHandlers(parts);
  for (const name of operationNames)
    keyRoute(watchOperations[name] as Operation, async (called) => {
      assertNotPublic(called.caller, "can't be used for watches");
      return await (handlers[name] as AnyHandler)({ ...called, idempotency: idempotencyOf(called.request) });
    });
}

export function dashboardWatchRoutes({ accountRoute }: Routes, parts: WatchParts): void {
  const handlers = createWatchHandlers(parts);
  for (const name of operationNames)
    accountRoute(dashboardWatchOperations[name] as Operation, async (input, { userId }) => {
      const caller = await playgroundCaller(parts.database, userId);
      return await (handlers[name] as AnyHandler)({ ...input, caller, idempotency: undefined });
    });
}
