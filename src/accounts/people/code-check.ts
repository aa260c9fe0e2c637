/** Checks second-factor codes: one at a time per user, and each code only once. */

import { createHash } from "node:crypto";
import type { Database } from "../../database/database.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";

/** Longer than an app's code is valid: a minute and a half, because the library also accepts the previous and the next code. */
const rememberedSeconds = 120;

/**
 * Runs `check` unless the code has already been accepted, or any replica is checking another code of the same user. The limit on wrong
 * codes is read before a check and incremented after it, so concurrent checks could exceed it. They are refused rather than queued, because
 * each would hold a connection.
 * @throws {AppError} `invalid_parameters`, `rate_limited`. @throws anything that `check` throws.
 */
export async function checkCode<T>(
  database: Database,
  { userId, code }: { userId: string; code: string },
  check: () => Promise<T>,
): Promise<T> {
  const used = createHash("sha256").update(`used code:${userId}:${code}`).digest("base64url");
  return await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ locked: boolean }>("select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked", [
      `second factor of ${userId}`,
    ]);
    if (!rows[0]?.locked)
      throw new AppError("rate_limited", { message: "Another code is being checked; try again in a second.", retryAfterSeconds: 1 });
    const { rowCount } = await transaction.query("select 1 from verifications where identifier = $1 and expires_at > now()", [used]);
    if (rowCount !== 0) throw wrongParameter("code", "has already been used; use the next one");
    const result = await check();
    await transaction.query("insert into verifications (identifier, value, expires_at) values ($1, '', now() + $2 * interval '1 second')", [
      used,
      rememberedSeconds,
    ]);
    return result;
  });
}
