/** What comes of a batch while it runs: its ended captures as lines, and its progress as server-sent events. */

import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ownerOf } from "../../accounts/keys/caller.ts";
import type { BatchRecord } from "../../accounts/usage/batch-records.ts";
import { AppError } from "../../errors.ts";
import { queryOf } from "../query.ts";
import { createQueryReader } from "../read-input.ts";
import { followDisconnection } from "../requests.ts";
import { type BatchReadParts, batchIdOf } from "./batches.ts";
import { batchEvents, batchResults, batchState, batchStateOf, batchZip } from "./batches-state.ts";
import { captureState, stateOf } from "./captures-state.ts";

const pollMs = 500;
const heartbeatMs = 15_000;
/** Records that are in memory at once. */
const pageMax = 50;
/** Proxies that collect an answer would hold back what happens now. */
const unbuffered = ["x-accel-buffering", "no"] as const;

export function batchFollowRoutes(app: FastifyInstance, parts: BatchReadParts): void {
  const { admit, batchRecords, closing } = parts;
  const readResults = createQueryReader(batchResults.query);
  const readKey = createQueryReader(batchEvents.query);

  /** The account's own batch. @throws {AppError} `not_found`. */
  async function begin<T>(http: FastifyRequest, reply: FastifyReply, read: (parameters: ReturnType<typeof parametersOf>) => T) {
    const { caller, query } = await admit(http, reply, async (admitted) => ({ caller: admitted, query: read(parametersOf(http)) }));
    const owner = ownerOf(caller);
    const id = batchIdOf(http);
    const find = async () => {
      const record = await batchRecords.find(owner, id);
      if (!record) throw new AppError("not_found");
      return record;
    };
    const first = await find();
    reply.header("cache-control", "no-store");
    return { id, query, find, first, signal: AbortSignal.any([followDisconnection(reply), closing]) };
  }

  app.get(batchResults.path, { exposeHeadRoute: false }, async (http, reply) => {
    const { id, query, find, signal } = await begin(http, reply, readResults);
    const { after, follow } = query;
    if (after !== undefined && !(await batchRecords.hasEnded(id, after))) throw unknownAfter();
    async function* lines(last: string | undefined): AsyncGenerator<string> {
      let sentAt = performance.now();
      for (let isLast = false; !isLast; ) {
        const { endedAt } = await find(); // before the records, so that the last ones are among them
        const page = await batchRecords.ended(id, last, pageMax);
        for (const record of page) yield `${JSON.stringify(captureState.parse(stateOf(parts, http, record)))}\n`;
        last = page.at(-1)?.id ?? last;
        if (page.length > 0) sentAt = performance.now();
        isLast = page.length < pageMax && (!follow || endedAt !== null);
        if (isLast || page.length === pageMax) continue;
        if (performance.now() - sentAt > heartbeatMs) {
          yield "\n";
          sentAt = performance.now();
        }
        await delay(pollMs, undefined, { signal });
      }
    }
    return reply
      .type("application/x-ndjson")
      .header(...unbuffered)
      .send(streamOf(lines(after), signal));
  });

  app.get(batchEvents.path, { exposeHeadRoute: false }, async (http, reply) => {
    const { find, first, signal } = await begin(http, reply, readKey);
    return reply
      .type("text/event-stream")
      .header(...unbuffered)
      .send(streamOf(eventsOf(first, find, signal), signal));
  });

  app.get(batchZip.path, { exposeHeadRoute: false }, async (http, reply) => {
    const { id, signal } = await begin(http, reply, readKey);
    return await sendBatchZip(parts, { id, request: http, reply, signal });
  });
}

/** Sends the files of a batch so far. @param id of the account's own batch. */
export async function sendBatchZip(
  { batchRecords, store }: Pick<BatchReadParts, "batchRecords" | "store">,
  { id, request, reply, signal }: { id: string; request: FastifyRequest; reply: FastifyReply; signal: AbortSignal },
): Promise<FastifyReply> {
  const { zipOfBatch } = await import("./batch-zip.ts");
  const pages = (last: string | undefined) => batchRecords.ended(id, last, pageMax);
  const zip = zipOfBatch(pages, store, request.id, signal);
  return reply.type("application/zip").header("content-disposition", `attachment; filename="batch-${id}.zip"`).send(zip);
}

function parametersOf(http: FastifyRequest) {
  return queryOf(http).parameters;
}

/** `progress` when a count has changed, then `done`. */
async function* eventsOf(first: BatchRecord, find: () => Promise<BatchRecord>, signal: AbortSignal): AsyncGenerator<string> {
  let sent = "";
  let sentAt = 0;
  for (let record = first; ; record = await find()) {
    const counts = JSON.stringify(record.counts);
    if (counts !== sent || record.endedAt) {
      yield `event: ${record.endedAt ? "done" : "progress"}\ndata: ${JSON.stringify(batchState.parse(batchStateOf(record)))}\n\n`;
      [sent, sentAt] = [counts, performance.now()];
    } else if (performance.now() - sentAt > heartbeatMs) {
      yield ": still running\n\n";
      sentAt = performance.now();
    }
    if (record.endedAt) return;
    await delay(pollMs, undefined, { signal });
  }
}

/** Ends early, without an error, when the signal aborts: the caller has left, or continues with another process. */
function streamOf(texts: AsyncGenerator<string>, signal: AbortSignal): Readable {
  async function* untilAborted(): AsyncGenerator<string> {
    try {
      yield* texts;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return Readable.from(untilAborted());
}

function unknownAfter(): AppError {
  const allowed = "the id of the last line";
  return new AppError("invalid_parameters", {
    details: [{ parameter: "after", message: "after must be the id of an ended capture of the batch", allowed }],
  });
}
