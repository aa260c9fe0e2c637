/** Counts the usage of requests with a key or in the playground: their outcomes, and the bytes sent. */

import { pipeline, Readable, Transform } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { RequestOutcome, Usage } from "../../accounts/usage/counts.ts";
import { AppError, failures } from "../../shared/errors.ts";
import { clientGoneStatus, onRequestEnd, setAccount } from "../server/requests.ts";

export interface UsageTracker {
  /** Counts `request` toward the usage of `caller`. Requests that are never attributed are not counted. */
  attribute(request: FastifyRequest, caller: Pick<Caller, "id" | "userId">): void;
}

const caller = Symbol("caller");
type Tracked = FastifyRequest & { [caller]?: Pick<Caller, "id" | "userId"> };

/** Tracks the routes of `app`. */
export function createUsageTracker(app: FastifyInstance, usage: Usage): UsageTracker {
  const errors = new WeakMap<FastifyRequest, Error>();
  const zipBytes = new WeakMap<FastifyRequest, number>();
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!(payload instanceof Readable) || reply.getHeader("content-type") !== "application/zip") return done(null, payload);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        zipBytes.set(request, (zipBytes.get(request) ?? 0) + chunk.length);
        next(null, chunk);
      },
    });
    done(
      null,
      pipeline(payload, counted, () => {}),
    ); // Fastify handles its errors
  });
  app.addHook("onError", (request, _reply, error, done) => {
    errors.set(request, error);
    done();
  });
  const record = (request: Tracked, reply: FastifyReply, status: number) => {
    const user = request[caller];
    if (!user) return;
    const outcome = outcomeOf(reply, errors.get(request), status);
    const bytes = request.method === "HEAD" || status !== 200 ? 0 : (zipBytes.get(request) ?? (outcome ? bytesOf(reply) : 0));
    usage.record(user, outcome, bytes);
  };
  const attribute = (request: Tracked, user: Pick<Caller, "id" | "userId">) => {
    request[caller] = user;
    onRequestEnd(request, record);
    setAccount(request, user.userId);
  };
  return { attribute };
}

/** Errors of the request itself. Together with 403 and 429 they count as rejected; any other failure happened during the capture. */
const refusals = new Set(["invalid_parameters", "invalid_url"]);

/** Undefined for a response without a screenshot, as with `dry_run`. */
function outcomeOf(reply: FastifyReply, error: Error | undefined, status: number): RequestOutcome | undefined {
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
