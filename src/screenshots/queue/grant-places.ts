/** Queues jobs for held captures as soon as their hosts have free permits. */

import type { Database } from "../../database/database.ts";
import type { JobQueue } from "../../jobs/queue.ts";
import type { HostPlaces } from "./host-places.ts";

interface GrantParts {
  database: Database;
  places: HostPlaces;
  queue: JobQueue;
}

/** Call repeatedly, in any number of processes. A capture's job is queued in the transaction that grants its permit. */
export function createGrantPlaces({ database, places, queue }: GrantParts): () => Promise<void> {
  return async () => {
    if (!(await places.areHeld())) return;
    await database.transaction(async (transaction) => {
      const granted = await places.grant(transaction);
      const jobs = granted.map(({ id, userId, turn }) => ({ id, userId, isRepeated: true, priority: -(turn ?? 0) }));
      if (jobs.length > 0) await queue.send(transaction, ...jobs);
    });
  };
}
