/** Batches: many captures, created in one request and followed while they run. */

import type { Batch, BatchRequest, CaptureState } from "./api.generated.ts";
import { type CallOptions, type Calls, type CreateOptions, newIdempotencyKey, pathOf, queryOf } from "./calls.ts";
import { answerEnd, bodyOf, followLines } from "./streams.ts";

/** A capture in a batch that has ended. */
export type BatchResult = CaptureState & { batch: NonNullable<CaptureState["batch"]> };

export interface Batches {
  /** Always sent with an `idempotencyKey`, so it is safe to repeat. */
  create(request: BatchRequest, options?: CreateOptions): Promise<Batch>;
  get(id: string, options?: CallOptions): Promise<Batch>;
  /** The state whenever a count has changed, until the batch is done. Continues after lost connections. */
  progress(id: string, options?: CallOptions): AsyncGenerator<Batch>;
  /** Each capture as it ends, once; `after` is the id of the last one that is already known. Continues after lost connections. */
  results(id: string, options?: CallOptions & { after?: string }): AsyncGenerator<BatchResult>;
  /** All files so far, as the chunks of a zip. */
  zip(id: string, options?: CallOptions): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Cancels all captures that have not started. */
  cancel(id: string, options?: CallOptions): Promise<Batch>;
  /**
   * Once all captures have ended, a new batch of those that failed or were canceled; undefined if none did.
   * @param request the request with which the batch was created, including `captures`.
   */
  retry(id: string, request: BatchRequest, options?: CreateOptions): Promise<Batch | undefined>;
}

export function createBatches(calls: Calls): Batches {
  const { json, parse } = calls;
  const get = (id: string, options?: CallOptions) => json<Batch>({ method: "GET", path: pathOf("batches", id), repeat: "always" }, options);

  async function create(body: BatchRequest, { idempotencyKey = newIdempotencyKey(), ...options }: CreateOptions = {}): Promise<Batch> {
    return await json({ method: "POST", path: "/v1/batches", body, idempotencyKey, repeat: "always" }, options);
  }

  async function* progress(id: string, options?: CallOptions): AsyncGenerator<Batch> {
    for await (const line of followLines(calls, { ...options, type: "text/event-stream", path: () => `${pathOf("batches", id)}/events` })) {
      if (line === answerEnd || !line.startsWith("data:")) continue;
      const batch = parse<Batch>(line.slice("data:".length));
      yield batch;
      if (batch.status === "done") return;
    }
  }

  async function* results(id: string, { after, ...options }: CallOptions & { after?: string } = {}): AsyncGenerator<BatchResult> {
    const { total, crawl } = await get(id, options);
    const isComplete = (count: number) => !crawl && count === total; // a crawl grows
    let [last, count, isLast] = [after, 0, false];
    const path = () => `${pathOf("batches", id)}/results${queryOf({ follow: true, after: last })}`;
    let brought = 0;
    for await (const line of followLines(calls, { ...options, type: "application/x-ndjson", path })) {
      if (line === answerEnd) {
        if (isLast && brought === 0) return; // the batch was already done before this response, which contained nothing new, so there is nothing more
        isLast = (await get(id, options)).status === "done";
        brought = 0;
      } else if (line !== "") {
        const result = parse<BatchResult>(line);
        last = result.id;
        count += 1;
        brought += 1;
        yield result;
        if (isComplete(count)) return;
      }
    }
  }

  return {
    create,
    get,
    progress,
    results,
    zip: async (id, options) =>
      (await bodyOf(calls, { path: `${pathOf("batches", id)}/zip`, type: "application/zip" }, options)).body ?? new ReadableStream(),
    cancel: (id, options) => json({ method: "DELETE", path: pathOf("batches", id), repeat: "always" }, options),
    async retry(id, request, options) {
      const { captures } = request;
      if (!captures) throw new TypeError("A batch of a sitemap or site can't be sent again in part: give a request with captures.");
      const again: typeof captures = [];
      for await (const { status, batch } of results(id, options)) {
        const entry = captures[batch.index];
        if (!entry) throw new TypeError(`The request has no captures[${batch.index}], which the batch has.`);
        if (status !== "done") again.push(entry);
      }
      return again.length === 0 ? undefined : await create({ ...request, captures: again }, { idempotencyKey: `retry-${id}`, ...options });
    },
  };
}
