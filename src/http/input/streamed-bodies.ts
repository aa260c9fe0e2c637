/**
 * Limits concurrent streamed responses, mostly large stored images: each holds a connection to the storage until its client, however
 * slow, has read it.
 */

import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { addressBucket } from "../../accounts/usage/rate-limit.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import { createOwnerSums } from "../../shared/owner-sums.ts";
import { isClosed, onClosed } from "../server/on-closed.ts";
import { accountOf } from "../server/request-account.ts";

/**
 * Shares of the 256 connections to the storage. An owner is an account, or an IP address for requests without a key, such as signed links.
 * Above `crowded`, only owners with few streams get another one; connections above `total` are reserved for captures.
 */
export const streamLimits = { perOwner: 96, crowded: 160, fewPerOwner: 8, total: 224 };

export function limitStreamedBodies(app: FastifyInstance): void {
  const sending = createOwnerSums();
  const isFullFor = (owner: string) => {
    const [own, all] = [sending.of(owner), sending.total()];
    return own >= streamLimits.perOwner || all >= streamLimits.total || (all >= streamLimits.crowded && own >= streamLimits.fewPerOwner);
  };
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!(payload instanceof Readable)) return done(null, payload);
    if (isClosed(reply)) {
      payload.destroy();
      return done(new ClientGone());
    }
    const owner = accountOf(request) ?? addressBucket(request.ip);
    if (isFullFor(owner)) {
      payload.destroy();
      const message = "Too many images or archives are being sent to you; wait until some have been received.";
      return done(new AppError("rate_limited", { message, retryAfterSeconds: 5 }));
    }
    sending.add(owner, 1);
    onClosed(reply, () => {
      sending.add(owner, -1);
      payload.destroy();
    });
    done(null, payload);
  });
}
