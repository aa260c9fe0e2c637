/** The end of a request, also where Fastify has no hook for it: its `onResponse` does not run when the caller has left. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Status under which a request is logged and counted whose caller left before the whole answer was sent. */
export const clientGoneStatus = 499;

/** Calls `handle` once for each request of `app`; `status` is what was answered, or `clientGoneStatus`. */
export function onRequestEnd(app: FastifyInstance, handle: (request: FastifyRequest, reply: FastifyReply, status: number) => void): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.raw.once("close", () => handle(request, reply, reply.raw.writableFinished ? reply.statusCode : clientGoneStatus));
    done();
  });
}
