/**
 * Limits the bodies that are sent as streams, above all large stored images: each holds a connection to the storage until its client has
 * read it, however slowly.
 */

import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { addressBucket } from "../accounts/usage/rate-limit.ts";
import { AppError } from "../errors.ts";
import { createOwnerSums } from "../owner-sums.ts";
import { accountOf } from "./request-account.ts";

/** Half of the connections to the storage. Owners are accounts, and addresses that send no key, such as those that open signed links. */
export const streamsPerOwnerMax = 128;

export function limitStreamedBodies(app: FastifyInstance): void {
  const sending = createOwnerSums();
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!(payload instanceof Readable)) return done(null, payload);
    const owner = accountOf(request) ?? addressBucket(request.ip);
    if (sending.of(owner) >= streamsPerOwnerMax) {
      payload.destroy();
      const message = `${streamsPerOwnerMax} images or archives are being sent to you; wait until some have been received.`;
      return done(new AppError("rate_limited", { message, retryAfterSeconds: 5 }));
    }
    sending.add(owner, 1);
    reply.raw.once("close", () => sending.add(owner, -1));
    done(null, payload);
  });
}
