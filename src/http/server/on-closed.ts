/** Releases the resources of a request when its response ends, for whatever reason. */

import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";

/** Whether the response has been sent or its connection has closed. */
export const isClosed = ({ raw }: FastifyReply): boolean => raw.closed || raw.destroyed;

/** One listener for each response, since Node warns of more than ten. */
const handlers = new WeakMap<ServerResponse, (() => void)[]>();

/** Calls `handle` when the response closes; immediately if it already has, since clients may disconnect during any `await`. */
export function onClosed(reply: FastifyReply, handle: () => void): void {
  const registered = handlers.get(reply.raw);
  if (isClosed(reply)) handle();
  else if (registered) registered.push(handle);
  else {
    const all = [handle];
    handlers.set(reply.raw, all);
    reply.raw.once("close", () => {
      for (const one of all) one();
    });
  }
}
