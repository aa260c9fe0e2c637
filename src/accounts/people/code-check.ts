/** Checks codes of the second factor: one at a time for each user. */

import type { Database } from "../../database.ts";
import { AppError } from "../../errors.ts";

/**
 * Runs `check`, unless another code of the user is being checked, at any replica: the limit of wrong codes is read before a code is checked and
 * counted afterwards, so concurrent ones would pass it together. They are refused rather than queued, as each would hold a connection.
 * @throws {AppError} `rate_limited`. @throws what `check` throws.
 */
export async function checkCode<T>(database: Database, userId: string, check: () => Promise<T>): Promise<T> {
  return await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ locked: boolean }>("select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked", [
      `second factor of ${userId}`,
    ]);
    if (!rows[0]?.locked)
      throw new AppError("rate_limited", { message: "Another code is being checked; try again in a second.", retryAfterSeconds: 1 });
    return await check();
  });
}
