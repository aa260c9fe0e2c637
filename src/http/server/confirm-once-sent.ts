/** Confirms captures that another process made for a response: they aren't charged until the response has been sent. */

import type { FastifyReply } from "fastify";
import { onClosed } from "./requests.ts";

/**
 * After this time, a capture is confirmed even though its response may still be cut off: the confirmation and its retries must fit into
 * the capture's lease.
 */
const sendingMs = 30_000;

/**
 * Calls `confirmCharge` once the response has been sent, the caller has disconnected or `sendingMs` have passed, unless the service has
 * failed. A response refused because the caller has too many unread responses is treated as sent, since its screenshot can be fetched. Not
 * called if the process is killed first.
 */
export function confirmOnceSent(reply: FastifyReply, confirmCharge: () => void): void {
  const end = () => {
    clearTimeout(timer);
    if (reply.statusCode < 500) confirmCharge();
  };
  const timer = setTimeout(end, sendingMs).unref();
  onClosed(reply, end);
}
