/** `POST /v1/captures`: several outputs of one page, with as few page loads as possible. For one image, see screenshots/take.ts. */

import type { FastifyInstance } from "fastify";
import { v7 } from "uuid";
import type { ReadCopies } from "../../accounts/destinations/copies.ts";
import type { Destinations } from "../../accounts/destinations/destinations.ts";
import type { RecordRefusedTarget } from "../../accounts/usage/refused-target.ts";
import type { Database } from "../../database/database.ts";
import { finishedCapture } from "../../screenshots/captures/finished-capture.ts";
import type { TakeOutputs } from "../../screenshots/captures/take-outputs.ts";
import { filesOf, isFromCache, type OutputRequest, type TakenOutput } from "../../screenshots/captures/taken-outputs.ts";
import { assertOutputsComparable } from "../../screenshots/compare/stored-shots.ts";
import type { CaptureCache, IndexedEntry } from "../../screenshots/take/cache.ts";
import type { TakeSchema } from "../../screenshots/take/take-options.ts";
import type { Config } from "../../settings/config.ts";
import { timeoutSignal, untilAborted, withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import type { Links } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { withCopies } from "../destinations/copies.ts";
import type { LinkBase } from "../input/link-base.ts";
import { readInTurns } from "../input/read-in-turns.ts";
import type { Operation } from "../openapi/operation.ts";
import type { Admit } from "../screenshots/admission.ts";
import { acceptJson, membersOf } from "../screenshots/json-input.ts";
import { confirmOnceSent } from "../server/confirm-once-sent.ts";
import { asFailure, reportFailure } from "../server/error-handler.ts";
import { heldImages } from "../server/held-images.ts";
import { followDisconnection } from "../server/requests.ts";
import { describeCapture } from "./answer.ts";
import { createCapturesReader } from "./input.ts";
import { isQueued, type QueuedCaptures } from "./queued.ts";
import { createCaptures } from "./state.ts";
import { sendZip, storedBodies } from "./zip.ts";
import type { OpenBody } from "./zip-stream.ts";

export interface CapturesParts {
  config: Pick<Config, "MAX_REQUEST_BODY_MB">;
  database: Database;
  takeSchema: TakeSchema;
  takeOutputs: TakeOutputs;
  destinations: Pick<Destinations, "assertUsable">;
  readCopies: ReadCopies;
  recordRefusedTarget: RecordRefusedTarget;
  cache: CaptureCache;
  store: ImageStore;
  links: Links;
  linkBase: LinkBase;
  metrics: Metrics;
  admit: Admit;
  /** Handles queued captures; undefined if they aren't supported. */
  queued: QueuedCaptures | undefined;
}

/** Minimum time allowed for storing a capture, even beyond its timeout. */
const storingGraceMs = 2_000;

/** Serves the public path, or the playground's. Requires a dedicated Fastify instance. */
export function capturesRoute(app: FastifyInstance, parts: CapturesParts, at: Pick<Operation, "path"> = createCaptures): void {
  const { database, takeSchema, takeOutputs, recordRefusedTarget, metrics, admit, queued } = parts;
  acceptJson(app, parts.config);
  const read = createCapturesReader(takeSchema, queued !== undefined);

  app.post(at.path, async (http, reply) => {
    const started = performance.now();
    const caller = await admit(http, reply);
    const members = await membersOf(http);
    const disconnected = followDisconnection(reply);
    const request = await readInTurns(read(members), caller.userId, disconnected);
    await assertOutputsComparable(database, caller, [{ prefix: "", outputs: request.outputs }]);
    await parts.destinations.assertUsable(
      caller,
      request.outputs.map((one) => one.request),
    );
    if (queued && isQueued(http, request)) return await queued.answer(http, reply, caller, request);
    const timeoutMs = Math.min(...request.outputs.map((one) => one.request.options.timeout)) * 1000;
    const deadlineAt = started + timeoutMs;
    const deadline = timeoutSignal(Math.max(0, deadlineAt - performance.now()), () => new AppError("target_timeout"));
    const id = v7();
    const taken = await takeOutputs(caller, id, request.outputs, { disconnected, deadline, deadlineAt });

    const isFailed = taken.outputs.every((one) => "failure" in one);
    for (const [index, one] of taken.outputs.entries()) {
      const { name, request: output } = request.outputs[index] as OutputRequest;
      if (output.options.is_cached) metrics.cacheLookups.inc({ result: isFromCache(one) ? "hit" : "miss" });
      if (!("failure" in one)) continue;
      // If all outputs failed, the first failure is thrown, and the error handler reports it.
      if (!isFailed || index > 0) reportFailure(asFailure(one.failure as Error), http, metrics);
      if (!(one.failure instanceof AppError && one.failure.isUnrecorded)) continue;
      const refused = { ...refusalOf(output, one.failure), captureId: id, output: name };
      await recordRefusedTarget(caller, refused).catch((error) => http.log.warn({ err: error }, "failed to record a refused target"));
    }
    const [first] = taken.outputs;
    if (isFailed && first && "failure" in first) throw first.failure;
    if (taken.confirmCharge) confirmOnceSent(reply, taken.confirmCharge);

    const leftMs = Math.max(deadlineAt - performance.now(), storingGraceMs);
    const stored = await untilAborted(Promise.all(taken.outputs.map((one) => storedWithin(one, leftMs))), disconnected);
    reply
      .header("cache-control", "no-store")
      .header("x-cache", taken.outputs.some((one) => !("failure" in one) && !isFromCache(one)) ? "MISS" : "HIT");
    const finished = finishedCapture(request.outputs, taken, stored, performance.now() - started);
    const capture = await withCopies(parts.readCopies, caller.userId, finished);
    const description = describeCapture(parts, { id, http, capture });
    if (request.responseType === "json") return description;
    const isHeld = heldImages.hold(caller.userId, reply, inMemory(taken.outputs));
    if (isHeld) taken.markSent?.();
    const bodies = isHeld ? bodiesOf(taken.outputs, parts, disconnected) : await storedBodies(parts.store, capture, disconnected);
    return await sendZip(http, reply, { description, capture, bodies });
  });
}

function inMemory(outputs: TakenOutput[]): Buffer[] {
  return outputs.flatMap(filesOf).flatMap(({ body }) => (Buffer.isBuffer(body) ? [body] : []));
}

function bodiesOf(outputs: TakenOutput[], parts: CapturesParts, disconnected: AbortSignal): OpenBody[][] {
  const open = createOpenBody(parts, disconnected);
  return outputs.map((one) => filesOf(one).map((file) => () => open(file.body)));
}

/** Returns a function that opens files for the zip. The file reader reads large cached files, and resumes after a broken connection. */
function createOpenBody({ cache, store }: CapturesParts, disconnected: AbortSignal) {
  const reading = import("./zip-stream.ts").then(({ createFileReader }) => createFileReader(store, disconnected));
  return async (body: Buffer | IndexedEntry) => {
    if (Buffer.isBuffer(body)) return body;
    const opened = await cache.open(body, disconnected);
    if (!opened || Buffer.isBuffer(opened)) return opened;
    opened.destroy();
    return await (await reading)(body.objectKey, body.bytes);
  };
}

function refusalOf({ target, recordedOptions, identity }: OutputRequest["request"], { code: error }: AppError) {
  return { url: target.href, options: recordedOptions, cacheKey: identity, error };
}

/** Whether each file of the output is stored within `ms` milliseconds. */
async function storedWithin(one: TakenOutput, ms: number): Promise<boolean[]> {
  return await Promise.all(filesOf(one).map(({ isStored }) => withDeadline(isStored, ms, () => false)));
}
