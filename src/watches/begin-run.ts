/** Begins runs: a run and its queued capture are created in one transaction. */

import { v7 } from "uuid";
import type { Caller } from "../accounts/keys/caller.ts";
import type { Queries } from "../database/database.ts";
import type { OutputRequest } from "../screenshots/captures/taken-outputs.ts";
import type { CaptureJobs } from "../screenshots/queued/jobs.ts";
import type { Idempotency } from "../screenshots/queued/records.ts";
import { createTakeRequest, type TakeSchema } from "../screenshots/take/take-options.ts";
import { AppError } from "../shared/errors.ts";
import type { Seal } from "../shared/seal.ts";
import { addRun } from "./run-records.ts";
import type { Watch } from "./watch-records.ts";

/**
 * @param transaction must hold the watch's lock; the watch must not have an open run.
 * @returns the run's id, or the id from an earlier request with the same idempotency key and content.
 * @throws {AppError} `quota_exceeded`; `unavailable`; `idempotency_key_reused`; `invalid_parameters` if the watch's request is no longer
 *   valid; `invalid_api_key` if the watch's key can no longer be used; `not_signed_in` if the watch has no key and its account was deleted.
 */
export type BeginRun = (transaction: Queries, watch: Watch, idempotency?: Idempotency) => Promise<string>;

interface Parts {
  captureJobs: Pick<CaptureJobs, "submitIn">;
  /** @throws {AppError} `invalid_api_key`, `not_signed_in`. */
  callerOf: (queries: Queries, of: { userId: string; keyId: string | null }) => Promise<Caller>;
  takeSchema: TakeSchema;
  requests: WatchRequests;
}

export function createBeginRun({ captureJobs, callerOf, takeSchema, requests }: Parts): BeginRun {
  return async (transaction, watch, idempotency) => {
    const id = v7();
    const caller = await callerOf(transaction, watch).catch((error) => {
      if (!(error instanceof AppError && error.code === "invalid_api_key")) throw error;
      const message = "The API key that the watch uses has been revoked or disabled, or has expired: update the watch with another key.";
      throw new AppError("invalid_api_key", { message });
    });
    const outputs = watchOutputs(takeSchema, requests.open(watch.request, watch.id));
    const queued = await captureJobs.submitIn(transaction, caller, { id, outputs, idempotency, isAwaited: false, webhookUrl: undefined });
    if (queued.id === id) await addRun(transaction, watch.id, id);
    return queued.id;
  };
}

/** A watch's capture request, stored encrypted because its options may contain cookies, and parsed again for each run. */
export interface WatchRequest {
  /** The options as submitted, into which later changes are merged. */
  given: Record<string, unknown>;
  /** The given options, parsed. Defaults are applied at each run. */
  options: Record<string, unknown>;
}

export const imageOutput = "image";
export const elementsOutput = "elements";

export interface WatchRequests {
  close(request: WatchRequest, watchId: string): Buffer;
  /** @throws {AppError} `invalid_parameters` if `AUTH_SECRET` was changed. */
  open(sealed: Buffer, watchId: string): WatchRequest;
}

export function createWatchRequests(seal: Seal): WatchRequests {
  return {
    close: (request, watchId) => seal.close(JSON.stringify(request), watchId),
    open(sealed, watchId) {
      const text = seal.open(sealed, watchId);
      if (text === undefined)
        throw new AppError("invalid_parameters", { message: "AUTH_SECRET was changed: delete the watch and create it again." });
      return JSON.parse(text);
    },
  };
}

/**
 * Outputs of one page load: the image and its elements.
 * @throws {AppError} `invalid_parameters` if an option is no longer valid, for example because a limit has been lowered.
 */
function watchOutputs(schema: TakeSchema, { options }: Pick<WatchRequest, "options">): OutputRequest[] {
  return [
    { name: imageOutput, own: { format: "png" } },
    { name: elementsOutput, own: { format: "elements", destination: undefined } },
  ].map(({ name, own }) => {
    const { success, data, error } = schema.safeParse({ full_page: true, ...options, ...own, clock: "frozen" });
    if (!success) {
      const [parameter] = error.issues.flatMap(({ path }) => path);
      throw new AppError("invalid_parameters", { message: `${String(parameter)} is no longer valid: change the watch.` });
    }
    return { name, request: createTakeRequest(schema, data, []) };
  });
}
