/** Releases the resources of a request when its response ends, for whatever reason. */

import type { FastifyReply } from "fastify";

/** Whether the response has been sent or its connection has closed. */
export const isClosed = ({ raw }: FastifyReply): boolean => raw.closed || raw.destroyed;

/** Calls `handle` when the response closes; immediately if it already has, since clients may disconnect during any `await`. */
export function onClosed(reply: FastifyReply, handle: () => void): void {
  if (isClosed(reply)) handle();
  else reply.raw.once("close", handle);
}
