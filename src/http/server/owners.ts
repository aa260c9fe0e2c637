/** Says for whom a request's work runs: its address, and its account as soon as that is known. */

import type { FastifyInstance, FastifyRequest } from "fastify";
import { addressBucket } from "../../accounts/usage/rate-limit.ts";
import { addressOwner, forOwner, type Owner } from "../../shared/work-owner.ts";

// Stored on the request itself: a WeakMap entry per request costs more, mostly during garbage collection.
const account = Symbol("account");
const owner = Symbol("owner");
type Owned = FastifyRequest & { [account]?: string; [owner]?: Owner };

/** Account of the API key or playground session that was accepted; undefined before that, and for other requests. */
export const accountOf = (request: Owned): string | undefined => request[account];

export function setAccount(request: Owned, userId: string): void {
  request[account] = userId;
  workFor(request, userId);
}

/** Gives each request its own owner, because requests of several accounts may share a connection. */
export function followOwners(app: FastifyInstance): void {
  app.addHook("onRequest", (request: Owned, _reply, done) => {
    request[owner] = { name: addressOwner(addressBucket(request.ip)) };
    forOwner(request[owner], done);
  });
  // A body arrives through events of the connection, which run for no owner.
  app.addHook("preValidation", (request, _reply, done) => forRequest(request, done));
}

/** Runs `work` for the request's owner. Needed in streams: what they do when their client reads would otherwise run for no owner. */
export function forRequest<T>(request: Owned, work: () => T): T {
  return request[owner] ? forOwner(request[owner], work) : work();
}

/** From now on, the request's work is the account's, also if that decides nothing else. */
export function workFor(request: Owned, userId: string): void {
  if (request[owner]) request[owner].name = userId;
}
