/** Limits the long-running requests of an account: each holds a connection. */

import type { FastifyReply } from "fastify";
import { AppError } from "../../shared/errors.ts";
import { createOwnerSums } from "../../shared/owner-sums.ts";
import { onClosed } from "../server/requests.ts";

const retryAfterSeconds = 5;

/** Counts a request until its `reply` ends. @throws {AppError} `rate_limited`. */
export type OpenLimit = (userId: string, reply: FastifyReply) => void;

/** @param perAccountMax in this process. @param messageOf receives the number of open requests. */
export function createOpenLimit(perAccountMax: number, messageOf: (count: number) => string): OpenLimit {
  const open = createOwnerSums();
  return (userId, reply) => {
    const count = open.of(userId);
    if (count >= perAccountMax) throw new AppError("rate_limited", { message: messageOf(count), retryAfterSeconds });
    open.add(userId, 1);
    onClosed(reply, () => open.add(userId, -1));
  };
}
