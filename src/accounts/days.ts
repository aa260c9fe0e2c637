/** SQL for filters by day. */

/**
 * The condition that `column` is in days of UTC.
 * @param since number of the statement's value with the first day as `YYYY-MM-DD`; the value after it has the last. null: any.
 */
export function inDays(column: string, since: number): string {
  return `($${since}::date is null or ${column} >= $${since}::date::timestamp at time zone 'UTC')
        and ($${since + 1}::date is null or ${column} < ($${since + 1}::date + 1)::timestamp at time zone 'UTC')`;
}
