/** Counts each request for its caller's key once the response is sent, off the capture's path. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { Outcome, Usage } from "../../accounts/usage/counts.ts";
import { AppError, failures } from "../../errors.ts";
import { clientGoneStatus, onRequestEnd } from "../request-end.ts";

export interface UsageTracker {
  /** Counts `request` for `caller`; one that is never attributed is not counted. */
  attribute(request: FastifyRequest, caller: Pick<Caller, "id" | "userId">): void;
}

/** For the routes of `app`. */
export function createUsageTracker(app: FastifyInstance, usage: Usage): UsageTracker {
  const callers = new WeakMap<FastifyRequest, Pick<Caller, "id" | "userId">>();
  const errors = new WeakMap<FastifyRequest, Error>();
  app.addHook("onError", (request, _reply, error, done) => {
    errors.set(request, error);
    done();
  });
  onRequestEnd(app, (request, reply, status) => {
    const caller = callers.get(request);
    if (!caller) return;
    const bytes = request.method === "HEAD" || status !== 200 ? 0 : bytesOf(reply);
    usage.record(caller, outcomeOf(reply, errors.get(request), status), bytes);
  });
  return { attribute: (request, caller) => void callers.set(request, caller) };
}

/** Refusals of the request itself; 403 and 429 refuse the caller. Any other failure happened during the capture. */
const refusals = new Set(["invalid_parameters", "invalid_url"]);

/** Undefined for an answer without a screenshot, as to `dry_run`. */
function outcomeOf(reply: FastifyReply, error: Error | undefined, status: number): Outcome | undefined {
  if (error instanceof AppError)
    return refusals.has(error.code) || [403, 429].includes(failures[error.code].status) ? "rejected" : "failed";
  if (error) return "failed";
  const cache = reply.getHeader("x-cache");
  if (cache === undefined) return status === clientGoneStatus ? "failed" : undefined;
  return cache === "MISS" ? "captured" : "cached";
}

function bytesOf(reply: FastifyReply): number {
  const bytes = Number(reply.getHeader("content-length"));
  return Number.isSafeInteger(bytes) ? bytes : 0;
}
