/** What a request holds is released when its response ends, however it ends. */

import type { FastifyReply } from "fastify";

/** Whether the response has been sent or its connection has closed. */
export const isClosed = ({ raw }: FastifyReply): boolean => raw.closed || raw.destroyed;

/** Calls `handle` when the response is closed; immediately if it already is, since clients may leave during any `await`. */
export function onClosed(reply: FastifyReply, handle: () => void): void {
  if (isClosed(reply)) handle();
  else reply.raw.once("close", handle);
}
