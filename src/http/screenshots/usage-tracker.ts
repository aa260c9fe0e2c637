/** Says of each answer to a request for a picture what the key was used for. Off the capture's path: it runs when the answer is out. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Outcome, Usage } from "../../accounts/usage/counts.ts";
import { AppError, failures } from "../../errors.ts";
import { clientGoneStatus, onRequestEnd } from "../request-end.ts";

/** Who asks; `id` null: in the playground, without a key. */
export interface Asker {
  id: string | null;
  userId: string;
}

export interface Askers {
  /** From here on the request counts as `asker`'s. */
  note(request: FastifyRequest, asker: Asker): void;
}

/** Counts every request of `app`'s routes whose asker was noted. */
export function countUsage(app: FastifyInstance, usage: Usage): Askers {
  const askers = new WeakMap<FastifyRequest, Asker>();
  const errors = new WeakMap<FastifyRequest, Error>();
  app.addHook("onError", (request, _reply, error, done) => {
    errors.set(request, error);
    done();
  });
  onRequestEnd(app, (request, reply, status) => {
    const asker = askers.get(request);
    const outcome = asker && outcomeOf(reply, errors.get(request), status);
    if (asker && outcome) usage.record(asker, outcome, request.method === "HEAD" || status !== 200 ? 0 : bytesOf(reply));
  });
  return { note: (request, asker) => void askers.set(request, asker) };
}

/** Refused for what was asked; 403 and 429 for who asked, and how much. Everything else that failed, failed while it was done. */
const refusals = new Set(["invalid_parameters", "invalid_url"]);

function outcomeOf(reply: FastifyReply, error: Error | undefined, status: number): Outcome | undefined {
  if (error instanceof AppError)
    return refusals.has(error.code) || [403, 429].includes(failures[error.code].status) ? "rejected" : "failed";
  if (error) return "failed";
  const cache = reply.getHeader("x-cache");
  if (cache === undefined) return status === clientGoneStatus ? "failed" : undefined; // a dry run asks for no picture
  return cache === "MISS" ? "captured" : "cached";
}

function bytesOf(reply: FastifyReply): number {
  const bytes = Number(reply.getHeader("content-length"));
  return Number.isSafeInteger(bytes) ? bytes : 0;
}
