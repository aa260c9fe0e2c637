/** Limits how many sitemaps and robots.txt files this process reads concurrently. A sitemap may take seconds of processor time. */

import { AppError } from "../shared/errors.ts";
import { createOwnerSums } from "../shared/owner-sums.ts";

/** An account gets another permit only while it has fewer than are free, so that the last ones go to accounts that have none. */
const concurrentMax = { all: 32, perAccount: 2 };

/** Takes a permit, which the returned function releases. @throws {AppError} `rate_limited` or `unavailable` if none is free. */
export type TakeTurn = (userId: string) => () => void;

export function createReadingLimit(): TakeTurn {
  const reading = createOwnerSums();
  return (userId) => {
    if (reading.of(userId) >= concurrentMax.perAccount) throw tooMany("rate_limited");
    if (reading.of(userId) >= concurrentMax.all - reading.total()) throw tooMany("unavailable");
    reading.add(userId, 1);
    return () => reading.add(userId, -1);
  };
}

function tooMany(code: "rate_limited" | "unavailable"): AppError {
  return new AppError(code, {
    message: "Too many sitemaps or robots.txt files are being read; try again in a few seconds.",
    retryAfterSeconds: 5,
  });
}
