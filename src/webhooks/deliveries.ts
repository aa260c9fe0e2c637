/** Lists, reads and resends an account's deliveries. */

import { v5, v7 } from "uuid";
import type { Database } from "../database/database.ts";
import { AppError, existing } from "../shared/errors.ts";
import type { EnqueueAttempt, WebhookEvent } from "./emit.ts";

export const deliveryStates = ["pending", "delivered", "failed"] as const;

export interface Delivery {
  id: string;
  type: WebhookEvent["type"] | "copy";
  url: string;
  state: (typeof deliveryStates)[number];
  /** Attempts made so far. */
  attempts: number;
  attemptsMax: number;
  nextAttemptAt: Date | null;
  /** HTTP status of the latest response; null if there was none. */
  status: number | null;
  /** A sentence that explains why the event hasn't been delivered. */
  error: string | null;
  createdAt: Date;
  settledAt: Date | null;
}

export interface RecordedAttempt {
  number: number;
  startedAt: Date;
  durationMs: number;
  requestHeaders: Record<string, string>;
  status: number | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
  /** Whether the stored body is incomplete: it was longer than the limit or ended early. */
  isCut: boolean;
  error: string | null;
}

export interface DeliveryFilter {
  state?: Delivery["state"] | undefined;
  /** Cursor: id of the last delivery on the previous page. */
  before?: string | undefined;
  limit: number;
}

/** Maximum number of attempts listed, latest first. */
const attemptsListed = 50;
/** Maximum length of the response bodies of attempts before the latest. */
export const excerptCharacters = 1_000;
/** Number of attempts from which a delivery isn't sent again: each keeps up to 64 KB. */
const resentAttemptsMax = 50;

const columns = `d.id, d.type, d.url, d.state, d.tries as attempts, d.tries_max as "attemptsMax", d.next_try_at as "nextAttemptAt", d.status, d.error,
  d.created_at as "createdAt", d.settled_at as "settledAt"`;

/** Newest first. */
export async function listDeliveries(database: Database, userId: string, { state, before, limit }: DeliveryFilter): Promise<Delivery[]> {
  const { rows } = await database.query<Delivery>(
    `select ${columns} from webhook_deliveries d
      where d.user_id = $1 and ($2::text is null or d.state = $2)
        and ($3::uuid is null or (d.created_at, d.id) < (select created_at, id from webhook_deliveries where id = $3 and user_id = $1))
      order by d.created_at desc, d.id desc limit $4`,
    [userId, state ?? null, before ?? null, limit],
  );
  return rows;
}

/** @throws {AppError} `not_found` if the user has no such delivery. */
export async function findDelivery(database: Database, userId: string, id: string): Promise<Delivery & { body: string }> {
  const { rows } = await database.query<Delivery & { body: string }>(
    `select ${columns}, d.body from webhook_deliveries d where d.id = $1 and d.user_id = $2`,
    [id, userId],
  );
  return existing(rows[0]);
}

/**
 * `attempts`: at most 50, latest first. Only the latest has its whole response: all together would be 20 MB of JSON.
 * @throws {AppError} `not_found` if the user has no such delivery.
 */
export async function readDelivery(
  database: Database,
  userId: string,
  id: string,
): Promise<{ delivery: Delivery & { body: string }; attempts: RecordedAttempt[] }> {
  const delivery = await findDelivery(database, userId, id);
  const { rows: attempts } = await database.query<RecordedAttempt>(
    `select number, started_at as "startedAt", duration_ms as "durationMs", request_headers as "requestHeaders", status,
            response_headers as "responseHeaders", left(response_body, shown) as "responseBody",
            is_cut or coalesce(length(response_body) > shown, false) as "isCut", error
       from (select *, case when number = max(number) over () then length(response_body) else ${excerptCharacters} end as shown
               from webhook_tries where delivery_id = $1) tries
      order by number desc limit $2`,
    [id, attemptsListed],
  );
  return { delivery, attempts };
}

/**
 * Makes another attempt immediately, even if the URL is paused; a scheduled attempt is brought forward.
 * @param attempts number of attempts that the caller has seen. If more have been made or one is due, the call has no effect, so that
 *   resending twice by mistake sends only once.
 * @param key `Idempotency-Key` of the request. If it was used before for this delivery, the call has no effect, regardless of `attempts`:
 *   a double click's second request may arrive after the first attempt's result.
 * @throws {AppError} `not_found`; `not_possible` after 50 attempts.
 */
export async function resend(
  database: Database,
  userId: string,
  id: string,
  { attempts, key }: { attempts: number; key?: string | undefined },
  now: Date,
  enqueue: EnqueueAttempt,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const attemptId = key === undefined ? v7() : v5(key, id);
    const { rowCount } = await transaction.query(
      `update webhook_deliveries
          set state = 'pending', is_manual = true, tries_max = greatest(tries_max, tries + 1), next_try_id = $4, next_try_at = $5,
              settled_at = null
        where id = $1 and user_id = $2 and tries = $3 and tries < $6 and (state <> 'pending' or (next_try_at > $5 and not is_manual))
          and not exists (select 1 from webhook_tries where id = $4)`,
      [id, userId, attempts, attemptId, now, resentAttemptsMax],
    );
    if (rowCount === 1) return await enqueue(transaction, { id: attemptId, userId, isRepeated: key !== undefined });
    const { rows } = await transaction.query<{ isRefused: boolean }>(
      `select tries = $3 and tries >= $5 and not exists (select 1 from webhook_tries where id = $4) as "isRefused"
         from webhook_deliveries where id = $1 and user_id = $2`,
      [id, userId, attempts, attemptId, resentAttemptsMax],
    );
    if (existing(rows[0]).isRefused)
      throw new AppError("not_possible", { message: `This webhook has been sent ${resentAttemptsMax} times, the maximum.` });
  });
}
