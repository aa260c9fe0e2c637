/** Counts recent failed captures across all accounts, by error code. */

import type { Database } from "../../database/database.ts";

export interface FailureCount {
  /** As recorded: see `recordedCode` in errors.ts. */
  code: string;
  lastHour: number;
  lastDay: number;
}

/** Most frequent first; reads an index that holds only failures. */
export async function recentFailures(database: Database): Promise<FailureCount[]> {
  const { rows } = await database.query<FailureCount>(
    `select error as code, count(*)::integer as "lastDay",
            (count(*) filter (where created_at > now() - interval '1 hour'))::integer as "lastHour"
       from screenshots
      where status = 'failed' and created_at > now() - interval '1 day' and error is not null
      group by error order by 2 desc, 1`,
  );
  return rows;
}
