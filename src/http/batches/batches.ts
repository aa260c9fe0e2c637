/** `POST /v1/batches`, and a batch's progress and cancellation. */

import type { FastifyInstance } from "fastify";
import { v7 } from "uuid";
import type { ReadCopies } from "../../accounts/destinations/copies.ts";
import type { Destinations } from "../../accounts/destinations/destinations.ts";
import type { Keys } from "../../accounts/keys/authenticate.ts";
import { type Caller, ownerOf } from "../../accounts/keys/caller.ts";
import { assertMayCapture, assertSecretsAllowed } from "../../accounts/keys/restrictions.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { Database } from "../../database/database.ts";
import { assertOutputsComparable } from "../../screenshots/compare/stored-shots.ts";
import type { SiteRobots } from "../../screenshots/crawl/site-robots.ts";
import type { BatchJobs } from "../../screenshots/queued/batch-jobs.ts";
import type { BatchRecords } from "../../screenshots/queued/batch-records.ts";
import type { Idempotency } from "../../screenshots/queued/records.ts";
import type { Proxies } from "../../screenshots/take/proxies.ts";
import type { TakeSchema } from "../../screenshots/take/take-options.ts";
import type { Config } from "../../settings/config.ts";
import { existing, type ParameterProblem } from "../../shared/errors.ts";
import type { ReadSitemap } from "../../sitemaps/read-sitemap.ts";
import type { Links } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import { idempotencyOf } from "../captures/idempotency.ts";
import { refuse } from "../captures/output-problems.ts";
import type { Members } from "../input/json-body.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import type { LinkBase } from "../input/link-base.ts";
import { readInTurns } from "../input/read-in-turns.ts";
import type { Admit } from "../screenshots/admission.ts";
import { acceptJson, membersOf } from "../screenshots/json-input.ts";
import { followDisconnection } from "../server/requests.ts";
import { crawlOf, startCrawl } from "./crawl.ts";
import { capturesMax, createBatchReader } from "./input.ts";
import { batchState, batchStateOf, cancelBatch, createBatch, readBatch } from "./state.ts";

export interface BatchesParts {
  config: Pick<Config, "MAX_REQUEST_BODY_MB">;
  database: Database;
  takeSchema: TakeSchema;
  pageSessions: Pick<PageSessions, "assertUsable">;
  proxies: Pick<Proxies, "assertUsable">;
  destinations: Pick<Destinations, "assertUsable">;
  batchJobs: BatchJobs;
  batchRecords: BatchRecords;
  assertWebhookUrl: (text: string, signal: AbortSignal) => Promise<string>;
  readSitemap: ReadSitemap;
  siteRobots: SiteRobots;
  admit: Admit;
}

/** Maximum number of strings, brackets and commas in a body: a hundred per capture. */
const bodyPartsMax = 100_000;

/** Requires a dedicated Fastify instance. @param path the operation's path, under which batches are read. */
export function createBatchRoute(app: FastifyInstance, parts: BatchesParts, path: string = createBatch.path): void {
  const { database, pageSessions, proxies, admit, batchJobs, batchRecords, assertWebhookUrl, readSitemap, siteRobots } = parts;
  acceptJson(app, parts.config, { parts: bodyPartsMax });
  const steps = createBatchReader(parts.takeSchema);

  async function submit(caller: Caller, members: Members, idempotency: Idempotency | undefined, disconnected: AbortSignal) {
    const read = (body: Members, pages?: number) => readInTurns(steps(body, pages), caller.userId, disconnected);
    const reader = { userId: caller.userId, assertMayFetch: (url: URL) => assertMayCapture(caller, url) };
    const crawling = crawlOf(members);
    const listed =
      crawling?.listed ?? (await withSitemap(members, read, (address, limit) => readSitemap(address, limit, reader, disconnected)));
    const { captures, webhookUrl: given } = await read(listed, crawling?.crawl.limit);
    const prefixed = captures.map(({ outputs }, index) => ({ prefix: `captures[${index}].`, outputs }));
    await assertOutputsComparable(database, caller, prefixed);
    const requests = captures.flatMap(({ outputs }) => outputs.map(({ request }) => request));
    proxies.assertUsable(caller, requests);
    assertSecretsAllowed(caller, requests);
    await pageSessions.assertUsable(caller, requests);
    await parts.destinations.assertUsable(caller, requests);
    const webhookUrl = given === undefined ? undefined : await assertWebhookUrl(given, disconnected);
    const [first] = captures;
    const crawl = crawling && first && (await startCrawl(siteRobots, caller, { crawl: crawling.crawl, first }, disconnected));
    return await batchJobs.submit(caller, { id: v7(), captures, crawl, idempotency, webhookUrl });
  }

  app.post(path, async (http, reply) => {
    const caller = await admit(http, reply);
    const members = await membersOf(http);
    const idempotency = idempotencyOf(http);
    const earlier = idempotency && (await batchJobs.findEarlier(ownerOf(caller), idempotency));
    const id = earlier ?? (await submit(caller, members, idempotency, followDisconnection(reply)));
    reply.code(202).header("location", `${path}/${id}`).header("cache-control", "no-store");
    return batchState.parse(await stateOf(batchRecords, caller, id));
  });
}

export interface BatchReadParts extends Pick<BatchesParts, "batchJobs" | "batchRecords"> {
  readCopies: ReadCopies;
  store: ImageStore;
  links: Links;
  linkBase: LinkBase;
  keys: Pick<Keys, "authenticate">;
  /** Aborts when the shutdown begins. */
  closing: AbortSignal;
}

export function batchRoutes(keyRoute: KeyRoute, { batchJobs, batchRecords }: BatchReadParts): void {
  keyRoute(readBatch, ({ caller, params }) => stateOf(batchRecords, caller, params.id));
  keyRoute(cancelBatch, async ({ caller, params }) => {
    await batchJobs.cancel(ownerOf(caller), params.id);
    return await stateOf(batchRecords, caller, params.id);
  });
}

async function stateOf(batchRecords: BatchRecords, caller: Caller, id: string) {
  return batchStateOf(existing(await batchRecords.find(ownerOf(caller), id)));
}

const placeholder = "https://example.com/";

/**
 * Replaces `sitemap_url` and `limit` in the body with `captures`. The sitemap is fetched only if the rest of the body is valid.
 * @param read validates a body. @throws {AppError} `invalid_parameters`, and the errors of `read` and `readPages`.
 */
async function withSitemap(
  members: Members,
  read: (members: Members) => Promise<unknown>,
  readPages: (address: string, limit: number) => Promise<string[]>,
): Promise<Members> {
  const { sitemap_url: address = null, limit = null, ...others } = members;
  const problems: ParameterProblem[] = [];
  const problem = (parameter: string, not: string, allowed: string) =>
    void problems.push({ parameter, message: `${parameter} ${not}`, allowed });
  if (limit !== null && (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > capturesMax))
    problem("limit", `must be an integer from 1 to ${capturesMax}`, `an integer from 1 to ${capturesMax}`);
  if (limit !== null && address === null) problem("limit", "requires sitemap_url", "limit only together with sitemap_url");
  if (address !== null && typeof address !== "string") problem("sitemap_url", "must be a string", "the URL of a sitemap");
  if (address !== null && Object.hasOwn(others, "captures"))
    problem("sitemap_url", "can't be combined with captures: send one or the other", "sitemap_url or captures");
  refuse(problems);
  if (typeof address !== "string") return others;
  await read({ ...others, captures: [{ url: placeholder }] });
  const urls = await readPages(address, Number(limit ?? capturesMax));
  return { ...others, captures: urls.map((url) => ({ url })) };
}
