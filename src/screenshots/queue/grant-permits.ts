/** Queues jobs for held captures as soon as their hosts have free permits. */

import type { Database } from "../../database/database.ts";
import type { JobQueue } from "../../jobs/queue.ts";
import type { HostPermits } from "./host-permits.ts";

interface GrantParts {
  database: Database;
  permits: HostPermits;
  queue: JobQueue;
}

/** Call repeatedly, in any number of processes. A capture's job is queued in the transaction that grants its permit. */
export function createGrantPermits({ database, permits, queue }: GrantParts): () => Promise<void> {
  return async () => {
    if (!(await permits.areHeld())) return;
    await database.transaction(async (transaction) => {
      const granted = await permits.grant(transaction);
      const jobs = granted.map(({ id, userId, position }) => ({ id, userId, isRepeated: true, priority: -(position ?? 0) }));
      if (jobs.length > 0) await queue.send(transaction, ...jobs);
    });
  };
}
