/** Streams from a running or finished batch: its finished captures as NDJSON, progress as server-sent events, and the files as a zip. */

import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReadCopies } from "../../accounts/destinations/copies.ts";
import { type ApiKey, type Caller, ownerOf } from "../../accounts/keys/caller.ts";
import type { BatchRecord, BatchRecords } from "../../screenshots/queued/batch-records.ts";
import type { CaptureRecord } from "../../screenshots/queued/records.ts";
import { untilAborted } from "../../shared/deadline.ts";
import { AppError, existing, wrongParameter } from "../../shared/errors.ts";
import { captureState, stateOf } from "../captures/state.ts";
import { readTogether } from "../destinations/copies.ts";
import type { KeyRoute } from "../input/key-routes.ts";
import { keysOf } from "../screenshots/admission.ts";
import { createOpenLimit, type OpenLimit } from "../server/client-limits.ts";
import { forRequest } from "../server/owners.ts";
import { followDisconnection } from "../server/requests.ts";
import type { BatchReadParts } from "./batches.ts";
import { batchEvents, batchResults, batchState, batchStateOf, batchZip } from "./state.ts";

const heartbeatMs = 15_000;
/** Buffering proxies would delay the events. */
const unbuffered = ["x-accel-buffering", "no"] as const;

export function batchFollowRoutes(keyRoute: KeyRoute, parts: BatchReadParts): void {
  const { batchRecords, closing, keys } = parts;
  const countStream = createStreamLimit();
  const shared = createSharedReads(batchRecords);

  /**
   * Opens a stream for one of the account's batches. It fails once the key is revoked or its restrictions change: the client's next request
   * shows whether it may still read the batch.
   * @throws {AppError} `not_found`, `rate_limited`.
   */
  async function openStream(caller: Caller, id: string, reply: FastifyReply) {
    const owner = ownerOf(caller);
    const first = existing(await batchRecords.find(owner, id));
    countStream(owner.userId, reply);
    const signal = AbortSignal.any([followDisconnection(reply), closing]);
    const [keyText = ""] = keysOf(reply.request);
    const restrictions = restrictionsOf(await keys.authenticate(keyText));
    const checkKey = async () => {
      if (restrictionsOf(await keys.authenticate(keyText)) !== restrictions) throw new AppError("unavailable", changedKey);
    };
    const read = async () => {
      const batch = existing(await shared.next(owner.userId, id));
      await checkKey();
      return batch;
    };
    const next = () => untilAborted(forRequest(reply.request, read), signal);
    return { next, first, signal, checkKey };
  }

  keyRoute(batchResults, async ({ caller, params: { id }, query: { after, follow }, request, reply }) => {
    const { next, first, signal, checkKey } = await openStream(caller, id, reply);
    if (after !== undefined && !(await batchRecords.hasEnded(id, after)))
      throw wrongParameter("after", "must be the id of a finished capture in this batch", "the id in the last line received");
    const read = (last: string | undefined) => forRequest(request, () => checkKey().then(() => shared.ended(id, last)));
    const copiesOf = (page: CaptureRecord[]) => forRequest(request, () => readTogether(parts.readCopies, caller.userId, page));
    const lineOf = async (record: CaptureRecord, readCopies: ReadCopies) =>
      `${JSON.stringify(captureState.parse(await stateOf({ ...parts, readCopies }, request, caller.userId, record)))}\n`;
    reply.type("application/x-ndjson").header(...unbuffered);
    const lines = linesOf(first, { after, read, copiesOf, lineOf, next: follow ? next : undefined });
    // Cut off by a shutdown: a response that ended would say that all captures are in it.
    return streamOf(lines, signal, () => {
      if (closing.aborted) throw new AppError("unavailable", { message: "The service is shutting down.", retryAfterSeconds: 5 });
    });
  });

  keyRoute(batchEvents, async ({ caller, params: { id }, reply }) => {
    const { next, first, signal } = await openStream(caller, id, reply);
    reply.type("text/event-stream").header(...unbuffered);
    return streamOf(eventsOf(first, next), signal, () => {}); // `EventSource` reconnects
  });

  keyRoute(batchZip, async ({ caller, params: { id }, request, reply }) => {
    const { signal, checkKey } = await openStream(caller, id, reply);
    return await openBatchZip(parts, { id, request, reply, signal, checkKey });
  });
}

const changedKey = { message: "The API key's restrictions have changed; send the request again.", retryAfterSeconds: 1 };

/** What decides which requests a key may be used for. */
function restrictionsOf({ allowedDomains, allowedTargets, allowMissingOrigin, requireSignature }: ApiKey): string {
  return JSON.stringify([allowedDomains, allowedTargets, allowMissingOrigin, requireSignature]);
}

interface OpenedZip {
  id: string;
  request: FastifyRequest;
  reply: FastifyReply;
  signal: AbortSignal;
  checkKey?: () => Promise<void>;
}

/**
 * Returns a zip of all finished captures, and sets the response's headers. @param id id of a batch that belongs to the account.
 * @param checkKey called before each page of captures is read.
 */
export async function openBatchZip(
  { batchRecords, store }: Pick<BatchReadParts, "batchRecords" | "store">,
  { id, request, reply, signal, checkKey }: OpenedZip,
): Promise<Readable> {
  const { zipOfBatch } = await import("./zip.ts");
  const pages = async (last: string | undefined) => {
    await checkKey?.();
    return await forRequest(request, () => batchRecords.ended(id, last));
  };
  reply.type("application/zip").header("content-disposition", `attachment; filename="batch-${id}.zip"`);
  return zipOfBatch(pages, store, request.id, signal);
}

interface Lines {
  /** Id of the last capture that the caller already has. */
  after: string | undefined;
  /** The page of captures after `last`. */
  read(last: string | undefined): Promise<CaptureRecord[]>;
  /** Reads the copies of a page of captures. */
  copiesOf(page: CaptureRecord[]): Promise<ReadCopies>;
  lineOf(record: CaptureRecord, copies: ReadCopies): Promise<string>;
  /** Undefined if the stream doesn't follow the batch. */
  next: (() => Promise<BatchRecord>) | undefined;
}

/** Yields a line per finished capture. After the first read, captures are read again only if more have finished since. */
async function* linesOf(first: BatchRecord, { after, read, copiesOf, lineOf, next }: Lines): AsyncGenerator<string> {
  let last = after;
  let sentAt = performance.now();
  let endedBefore = -1;
  // The batch is read before its captures, so that none is missed when the batch ends.
  for (let batch = first; ; batch = await next()) {
    const ended = batch.total - batch.counts.queued - batch.counts.running;
    for (let isMore = ended !== endedBefore; isMore; ) {
      const page = await read(last);
      const copies = await copiesOf(page);
      for (const record of page) yield await lineOf(record, copies);
      last = page.at(-1)?.id ?? last;
      if (page.length > 0) sentAt = performance.now();
      isMore = page.length > 0;
    }
    endedBefore = ended;
    if (!next || batch.endedAt !== null) return;
    if (performance.now() - sentAt <= heartbeatMs) continue;
    yield "\n";
    sentAt = performance.now();
  }
}

/** Yields `progress` whenever a count has changed, and `done` at the end. */
async function* eventsOf(first: BatchRecord, next: () => Promise<BatchRecord>): AsyncGenerator<string> {
  let sent = "";
  let sentAt = 0;
  for (let record = first; ; record = await next()) {
    const counts = JSON.stringify([record.counts, record.crawl?.leftOut]);
    if (counts !== sent || record.endedAt) {
      yield `event: ${record.endedAt ? "done" : "progress"}\ndata: ${JSON.stringify(batchState.parse(batchStateOf(record)))}\n\n`;
      [sent, sentAt] = [counts, performance.now()];
    } else if (performance.now() - sentAt > heartbeatMs) {
      yield ": still running\n\n";
      sentAt = performance.now();
    }
    if (record.endedAt) return;
  }
}

/** @param onAborted called instead of failing with the signal's reason, when it aborts; the stream ends unless this throws. */
function streamOf(texts: AsyncGenerator<string>, signal: AbortSignal, onAborted: () => void): Readable {
  async function* untilAborted(): AsyncGenerator<string> {
    try {
      yield* texts;
    } catch (error) {
      if (!signal.aborted) throw error;
      onAborted();
    }
  }
  return Readable.from(untilAborted());
}

/** Maximum concurrent streams per account and process. In the worst case, each follows a different batch and reads it twice a second. */
export const streamsPerAccountMax = 20;
const pollMs = 500;

export function createStreamLimit(): OpenLimit {
  return createOpenLimit(
    streamsPerAccountMax,
    (count) => `The account already has ${count} open batch streams: close one first, or poll GET /v1/batches/{id} instead.`,
  );
}

export interface SharedReads {
  /** Waits half a second, then reads the batch once for all waiting streams. Undefined if it has been deleted. */
  next(userId: string, id: string): Promise<BatchRecord | undefined>;
  /** Like `BatchRecords.ended`, but with a single query for concurrent requests for the same page. */
  ended: BatchRecords["ended"];
}

/** Callers must have checked access to the batch. */
export function createSharedReads(records: Pick<BatchRecords, "find" | "ended">): SharedReads {
  const batches = new Map<string, Promise<BatchRecord | undefined>>();
  const pages = new Map<string, Promise<CaptureRecord[]>>();
  return {
    next: (userId, id) =>
      once(batches, id, async () => {
        await delay(pollMs);
        return await records.find({ userId }, id);
      }),
    ended: (id, after) => once(pages, `${id} ${after}`, () => records.ended(id, after)),
  };
}

function once<T>(running: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const known = running.get(key);
  if (known) return known;
  const reading = read().finally(() => running.delete(key));
  running.set(key, reading);
  return reading;
}
