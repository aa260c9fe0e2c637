/** Queues delivery attempts, fairly between accounts. */

import type { Queries } from "../database/database.ts";
import type { JobQueue, NewJob } from "../jobs/queue.ts";

/** Adds the job for an attempt in the transaction of `queries`. */
export type EnqueueAttempt = (queries: Queries, job: Omit<NewJob, "priority">) => Promise<void>;

/** Maximum number of pending deliveries that lower the priority. */
const pendingCountedMax = 1_000;

/**
 * The more pending deliveries an account has, the lower the priority of its next one, so that a backlog, or a receiver that never responds,
 * delays only its own account.
 */
export function createEnqueueAttempt(send: JobQueue["send"]): EnqueueAttempt {
  return async (queries, job) => {
    const { rows } = await queries.query<{ waiting: number }>(
      `select count(*)::integer as waiting
         from (select 1 from webhook_deliveries where user_id = $1 and state = 'pending' limit $2) found`,
      [job.userId, pendingCountedMax],
    );
    await send(queries, { ...job, priority: -(rows[0]?.waiting ?? 0) });
  };
}
