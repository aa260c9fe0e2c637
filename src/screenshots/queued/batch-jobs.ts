/** Batches of captures: either all captures in a request are queued, or none. */

import { type Caller, type Owner, ownerOf } from "../../accounts/keys/caller.ts";
import type { Charge } from "../../accounts/usage/charge.ts";
import type { CanceledLimit } from "../../accounts/usage/rate-limit.ts";
import type { Database, Queries } from "../../database/database.ts";
import type { JobQueue } from "../../jobs/queue.ts";
import { AppError } from "../../shared/errors.ts";
import { cleaned, identityOf } from "../crawl/addresses.ts";
import { addCrawl, type NewCrawl } from "../crawl/crawl-records.ts";
import { type AddEntries, addingTimeoutMs, type BatchEntry } from "./batch-entries.ts";
import { addBatch, type BatchRecords, batchesOfKey } from "./batch-records.ts";
import { cancelQueued, type WithinBatch } from "./ends.ts";
import { findEarlier, type Idempotency } from "./records.ts";

export interface SubmittedBatch {
  /** UUIDv7. */
  id: string;
  /** At least one. For a crawl, only the capture of the first page. */
  captures: BatchEntry[];
  /** Set if the batch follows links. */
  crawl?: NewCrawl | undefined;
  idempotency: Idempotency | undefined;
  /** Already validated. */
  webhookUrl: string | undefined;
}

export interface BatchJobs {
  /**
   * Id of the batch created by an earlier request with this idempotency key, if any.
   * @throws {AppError} `idempotency_key_reused` if its content differs, or if another API key sent it.
   */
  findEarlier(owner: Owner, idempotency: Idempotency): Promise<string | undefined>;
  /**
   * Queues all captures together with their reservations, or none.
   * @returns the batch's id, or the id from an earlier request with the same key and content.
   * @throws {AppError} `quota_exceeded`; `invalid_api_key` if the account's row is gone; `idempotency_key_reused`; `rate_limited` if the
   *   account has canceled too many captures; `unavailable`.
   */
  submit(caller: Caller, batch: SubmittedBatch): Promise<string>;
  /** Cancels the captures that have not started. @throws {AppError} `not_found`. */
  cancel(owner: Owner, id: string): Promise<void>;
}

interface BatchJobsParts {
  database: Database;
  batchRecords: BatchRecords;
  queue: JobQueue;
  addEntries: AddEntries;
  chargeIn: (queries: Queries) => Charge;
  withinBatch: WithinBatch;
  canceledLimit: CanceledLimit;
}

export function createBatchJobs(parts: BatchJobsParts): BatchJobs {
  const { database, batchRecords, canceledLimit, addEntries } = parts;

  async function insert(transaction: Queries, caller: Caller, { id, captures, crawl, idempotency, webhookUrl }: SubmittedBatch) {
    const begin = (expiresAt: Date) =>
      addBatch(transaction, { id, userId: caller.userId, total: captures.length, webhookUrl, idempotency, expiresAt });
    const first = crawl && { crawl: { depth: 0, crawlDelaySeconds: crawl.robots.crawlDelaySeconds } };
    const [captureId = ""] = await addEntries(transaction, caller, { batchId: id, first: 0, captures, begin, ...first });
    if (crawl) await addCrawl(transaction, id, { ...crawl, captureId, hash: identityOf(cleaned(crawl.url)) });
  }

  const earlierOf = async (transaction: Queries, owner: Owner, idempotency: Idempotency) =>
    (await findEarlier(transaction, batchesOfKey, owner, idempotency))?.id;

  return {
    findEarlier: (owner, idempotency) => database.transaction((transaction) => earlierOf(transaction, owner, idempotency)),

    async submit(caller, batch) {
      await canceledLimit.assertWithin(caller.userId);
      return await database.transaction(
        async (transaction) => {
          const { idempotency } = batch;
          const earlier = idempotency && (await earlierOf(transaction, ownerOf(caller), idempotency));
          if (earlier === undefined) await insert(transaction, caller, batch);
          return earlier ?? batch.id;
        },
        { timeoutMs: addingTimeoutMs },
      );
    },

    async cancel(owner, id) {
      if (!(await batchRecords.find(owner, id))) throw new AppError("not_found");
      await canceledLimit.count(owner.userId, await cancelQueued(parts, owner.userId, { batchId: id }, id));
    },
  };
}
