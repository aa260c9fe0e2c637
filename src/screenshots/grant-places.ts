/** Gives held captures their jobs as soon as there are places at their hosts. */

import type { HostPlaces } from "../accounts/usage/host-places.ts";
import type { Database } from "../database.ts";
import type { JobQueue } from "../jobs/queue.ts";

interface GrantParts {
  database: Database;
  places: HostPlaces;
  queue: JobQueue;
}

/** To be repeated, in any number of processes. A capture that is granted a place has its job exactly then. */
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
