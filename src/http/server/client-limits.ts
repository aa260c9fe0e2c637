/** Limits a client's use of shared resources: long-lived requests, and responses read slowly or not at all. */

import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addressBucket } from "../../accounts/usage/rate-limit.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import { createOwnerSums } from "../../shared/owner-sums.ts";
import { heldImages } from "./held-images.ts";
import { accountOf } from "./owners.ts";
import { isClosed, onClosed } from "./requests.ts";

const retryAfterSeconds = 5;

/** Counts a request as open until `reply` closes. @throws {AppError} `rate_limited` if the account has too many. */
export type OpenLimit = (userId: string, reply: FastifyReply) => void;

/**
 * Limits the requests that an account keeps open. @param perAccountMax maximum per process. @param messageOf receives the number of open
 * requests.
 */
export function createOpenLimit(perAccountMax: number, messageOf: (count: number) => string): OpenLimit {
  const open = createOwnerSums();
  return (userId, reply) => {
    const count = open.of(userId);
    if (count >= perAccountMax) throw new AppError("rate_limited", { message: messageOf(count), retryAfterSeconds });
    open.add(userId, 1);
    onClosed(reply, () => open.add(userId, -1));
  };
}

/**
 * Shares of the 256 connections to object storage. A client is an account, or an IP address for requests without a key, such as signed
 * links. Above `crowded`, only clients with few streams get another stream; connections above `total` are reserved for captures.
 */
export const streamLimits = { perClient: 96, crowded: 160, fewPerClient: 8, total: 224 };

const clientOf = (request: FastifyRequest) => accountOf(request) ?? addressBucket(request.ip);

/**
 * Shorter responses are not counted as unread (except for captures, which routes count themselves), because the kernel buffers most of
 * each, a connection has only one at a time, and connections are closed after a minute without progress.
 */
const bufferedBytesMax = 64 * 1024;

/** Whether a response stays in memory until its client has read it. */
export function isHeldBack(payload: unknown): payload is Buffer {
  return Buffer.isBuffer(payload) && payload.length > bufferedBytesMax;
}

/**
 * Limits streamed responses, usually large stored images and ZIP files: each holds a connection to object storage until its client has
 * read it, however slowly. Also counts images that are sent from memory.
 */
export function limitStreams(app: FastifyInstance): void {
  const sending = createOwnerSums();
  const isFullFor = (client: string) => {
    const [own, all] = [sending.of(client), sending.total()];
    return own >= streamLimits.perClient || all >= streamLimits.total || (all >= streamLimits.crowded && own >= streamLimits.fewPerClient);
  };
  app.addHook("onSend", (request, reply, payload, done) => {
    if (isHeldBack(payload)) return holdBytes(request, reply, payload, done);
    if (typeof payload === "string" && payload.length > bufferedBytesMax) return holdText(request, reply, payload, done);
    if (!(payload instanceof Readable)) return done(null, payload);
    if (isClosed(reply)) {
      payload.destroy();
      return done(new ClientGone());
    }
    const client = clientOf(request);
    if (isFullFor(client)) {
      payload.destroy();
      const message = "Too many images or ZIP files are being sent; try again once some have finished.";
      return done(new AppError("rate_limited", { message, retryAfterSeconds }));
    }
    sending.add(client, 1);
    onClosed(reply, () => {
      sending.add(client, -1);
      payload.destroy();
    });
    done(null, payload);
  });
}

type Done<Payload> = (error: Error | null, payload?: Payload) => void;

/** Counts an image or a file unless its route has done so. */
function holdBytes(request: FastifyRequest, reply: FastifyReply, payload: Buffer, done: Done<Buffer>) {
  const client = clientOf(request);
  try {
    if (isRead(request) && !heldImages.isCounted(payload)) heldImages.assertRoom(client);
  } catch (error) {
    return done(error as Error);
  }
  heldImages.add(client, reply, [payload]); // counts an image only once
  done(null, payload);
}

/** Responses that repeat an earlier one. */
const repeated = new WeakSet<FastifyReply>();

/** Call before sending a response that repeats an earlier one: it is refused if it is long and there is no room. */
export function markRepeated(reply: FastifyReply): void {
  repeated.add(reply);
}

/**
 * Call before carrying out a request whose response may be long, and will be sent even if there is no room. Not for requests that end or
 * revoke something: they must work while somebody else uses up the share.
 * @throws {AppError} `rate_limited` if the client's share of unread responses is used up.
 */
export function assertRoomFor(request: FastifyRequest): void {
  heldImages.assertRoom(clientOf(request));
}

const isRead = ({ method }: FastifyRequest) => method === "GET" || method === "HEAD";

/**
 * Counts long JSON as an image. Responses to requests that have changed something or made a capture are sent even if there is no room, since
 * the caller would repeat the request.
 */
function holdText(request: FastifyRequest, reply: FastifyReply, text: string, done: Done<Buffer>) {
  const client = clientOf(request);
  const mayRefuse = repeated.has(reply) || (isRead(request) && !reply.hasHeader("x-screenshot-id"));
  try {
    if (mayRefuse) heldImages.assertRoom(client);
  } catch (error) {
    return done(error as Error);
  }
  const payload = Buffer.from(text);
  heldImages.add(client, reply, [payload]);
  done(null, payload);
}
