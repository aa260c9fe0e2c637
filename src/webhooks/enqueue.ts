/** Queues tries, fairly between accounts. */

import type { Queries } from "../database.ts";
import type { JobQueue, NewJob } from "../jobs/queue.ts";

/** Adds the job of a try in the transaction of `queries`. */
export type EnqueueTry = (queries: Queries, job: Omit<NewJob, "priority">) => Promise<void>;

/** Beyond these, an account's deliveries are equal. */
const waitingMax = 1_000;

/**
 * The more deliveries of an account wait, the later its next one comes: a backlog, or a receiver that never answers, holds up its own
 * account only.
 */
export function createEnqueueTry(send: JobQueue["send"]): EnqueueTry {
  return async (queries, job) => {
    const { rows } = await queries.query<{ waiting: number }>(
      `select count(*)::integer as waiting
         from (select 1 from webhook_deliveries where user_id = $1 and state = 'pending' limit $2) found`,
      [job.userId, waitingMax],
    );
    await send(queries, { ...job, priority: -(rows[0]?.waiting ?? 0) });
  };
}
