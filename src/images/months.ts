/** Partitions of screenshots by month: made ahead, and dropped once retention has emptied them. */

import type { BaseLogger } from "pino";
import type { Database } from "../database.ts";

/** Of months after the present one. Captures of a month without a partition are recorded, too, in the default partition. */
const monthsAhead = 3;

/**
 * Any number of replicas may do so. While the table isn't partitioned, it does nothing.
 * @throws PostgreSQL's errors, also if a lock isn't granted within half a second: then the next time will do.
 */
export async function keepMonths(database: Database, log: BaseLogger): Promise<void> {
  const { rows: freed } = await database.query<{ freed: boolean }>("select free_screenshot_ids() as freed");
  if (freed[0]?.freed) log.warn("a change to partitions has failed; the next start tries again");
  const { rows: added } = await database.query<{ starts: Date }>(
    `select starts from (
       select month at time zone 'UTC' as starts
         from date_trunc('month', now() at time zone 'UTC') as present (at),
              generate_series(present.at, present.at + $1 * interval '1 month', interval '1 month') as month
        where to_regclass('screenshots_default') is not null) m
      where m.starts >= (select max(ends_at) from screenshot_months) and add_screenshot_month(m.starts)`,
    [monthsAhead],
  );
  for (const { starts } of added) log.info({ month: starts.toISOString().slice(0, 7) }, "added a partition of screenshots");
  const { rows: ended } = await database.query<{ name: string }>(
    "select name from screenshot_months where ends_at < now() - interval '2 days' order by ends_at",
  );
  for (const { name } of ended) {
    const { rows } = await database.query<{ dropped: boolean }>("select drop_screenshot_month($1) as dropped", [name]);
    if (rows[0]?.dropped) log.info({ partition: name }, "dropped a partition of screenshots that retention had emptied");
  }
}
