/** Charges browser sessions to the monthly quota: each started minute costs as much as a screenshot. */

import type { Database } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import type { ApiKey } from "../keys/caller.ts";
import { quotaExceeded, quotaPeriod } from "./quota.ts";

export interface BrowserMinutes {
  /**
   * Charges `minutes` more minutes to a session; the first charge creates its record.
   * @throws {AppError} `quota_exceeded` if the quota has fewer than `minutes` screenshots left; `unavailable`.
   */
  charge(key: ApiKey, sessionId: string, minutes: number): Promise<void>;
  /** Refunds a session that failed to start, and deletes its record. @throws {AppError} `unavailable`. */
  refund(key: ApiKey, sessionId: string): Promise<void>;
  /** @throws {AppError} `unavailable`. */
  end(sessionId: string, reason: string): Promise<void>;
}

export function createBrowserMinutes(database: Database, clock: Clock): BrowserMinutes {
  const periodOf = (key: ApiKey) => quotaPeriod(key.anchor, new Date(clock.now()));
  return {
    charge: async (key, sessionId, minutes) => {
      const { start, end } = periodOf(key);
      const { rowCount } = await database.query({
        name: "charge_browser_minutes",
        text: `with admitted as (
                 insert into usage_periods as u (user_id, period_start, used)
                 select $1::uuid, $2::timestamptz, $5::integer where $3::integer is null or $3 >= $5
                 on conflict (user_id, period_start) do update set used = u.used + $5 where $3 is null or u.used + $5 <= $3
                 returning user_id
               )
               insert into browser_sessions as s (id, user_id, key_id, minutes)
               select $6::uuid, a.user_id, $4::uuid, $5 from admitted a
               on conflict (id) do update set minutes = s.minutes + $5`,
        values: [key.userId, start, key.monthlyQuota, key.id, minutes, sessionId],
      });
      if (rowCount !== 1) throw quotaExceeded(key, end);
    },
    refund: async (key, sessionId) => {
      await database.query(
        `with gone as (delete from browser_sessions where id = $1 returning user_id, minutes)
         update usage_periods u set used = greatest(u.used - g.minutes, 0)
           from gone g where u.user_id = g.user_id and u.period_start = $2`,
        [sessionId, periodOf(key).start],
      );
    },
    end: async (sessionId, reason) => {
      await database.query("update browser_sessions set ended_at = clock_timestamp(), end_reason = $2 where id = $1 and ended_at is null", [
        sessionId,
        reason,
      ]);
    },
  };
}
