/** SQL for filters by day. */

/**
 * SQL condition that `column` is within a range of UTC days.
 * @param since number of the parameter with the first day, `YYYY-MM-DD`; the next parameter is the last day. Each is null if the range is
 *   unbounded on that side.
 */
export function inDays(column: string, since: number): string {
  return `($${since}::date is null or ${column} >= $${since}::date::timestamp at time zone 'UTC')
        and ($${since + 1}::date is null or ${column} < ($${since + 1}::date + 1)::timestamp at time zone 'UTC')`;
}
