/** Limits a client's use of shared resources: long-lived requests, and responses read slowly or not at all. */

import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import { addressBucket } from "../../accounts/usage/rate-limit.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import { createOwnerSums } from "../../shared/owner-sums.ts";
import { openFile } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";
import { accountOf, isClosed, onClosed } from "./requests.ts";

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
    // For images that no route has counted: `add` counts a held image only once.
    if (isHeldBack(payload)) heldImages.add(clientOf(request), reply, [payload]);
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

/** Responses that repeat an earlier one. */
const repeated = new WeakSet<FastifyReply>();

/** Call before sending a response that repeats an earlier one: it is refused if it is long and there is no room. */
export function markRepeated(reply: FastifyReply): void {
  repeated.add(reply);
}

/**
 * Call before carrying out a request that changes something: its response will be sent even if there is no room.
 * @throws {AppError} `rate_limited` if the client's share of unread responses is used up.
 */
export function assertRoomFor(request: FastifyRequest): void {
  if (!isRead(request)) heldImages.assertRoom(clientOf(request));
}

const isRead = ({ method }: FastifyRequest) => method === "GET" || method === "HEAD";

/**
 * Counts long JSON as an image. Responses to requests that have changed something or made a capture are sent even if there is no room, since
 * the caller would repeat the request.
 */
function holdText(request: FastifyRequest, reply: FastifyReply, text: string, done: (error: Error | null, payload?: Buffer) => void) {
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

/** An image, or something else in memory, with its length in bytes. */
type Held = Pick<Buffer, "length">;

/** Limits the memory for images that clients have not received yet: a client may read as slowly as it likes, even a few bytes a minute. */
export interface HeldImages {
  /**
   * Counts images against the share of their client (an account or IP address) until the response has been received. An image in several
   * responses counts once. Returns false, and counts nothing, if the images exceed the client's share or the total; they are then read from
   * storage at the client's pace.
   */
  hold(client: string, reply: FastifyReply, images: Held[]): boolean;
  /** Counts images even beyond the limit, since they are already being sent. */
  add(client: string, reply: FastifyReply, images: Held[]): void;
  /** Whether more may be counted: not if the client's share is used up, or if the total is and the client holds much of it. */
  hasRoom(client: string): boolean;
  /** `newId` as in `Receiver`. @throws {AppError} `rate_limited` unless `hasRoom`. */
  assertRoom(client: string, newId?: string): void;
}

/** A client that holds no images yet is never refused. */
export function createHeldImages({ bytesMax, perClientMax }: { bytesMax: number; perClientMax: number }): HeldImages {
  const held = createOwnerSums();
  const sending = new WeakMap<Held, { client: string; responses: number }>();
  /** The image counts against the first client to whom it is sent, until it has been sent to all. */
  const count = (client: string, image: Held, by: 1 | -1) => {
    const sent = sending.get(image) ?? { client, responses: 0 };
    if (sent.responses === 0) held.add(client, image.length);
    sent.responses += by;
    if (sent.responses > 0) sending.set(image, sent);
    else {
      sending.delete(image);
      held.add(sent.client, -image.length);
    }
  };
  const add: HeldImages["add"] = (client, reply, images) => {
    for (const image of images) count(client, image, 1);
    onClosed(reply, () => {
      for (const image of images) count(client, image, -1);
    });
  };
  const hasRoom = (client: string) => {
    const own = held.of(client);
    return own < perClientMax && (own < perClientMax / fewPart || held.total() < bytesMax);
  };
  return {
    add,
    hold(client, reply, images) {
      const own = held.of(client);
      const bytes = images.reduce((sum, image) => sum + (sending.has(image) ? 0 : image.length), 0);
      if (own > 0 && bytes > 0 && (own + bytes > perClientMax || held.total() + bytes > bytesMax)) return false;
      add(client, reply, images);
      return true;
    },
    hasRoom,
    assertRoom(client, newId) {
      if (!hasRoom(client)) throw tooManyUnread(newId);
    },
  };
}

/** Clients that hold less than this part of their share are not refused for what others hold. */
const fewPart = 16;

const mebibyte = 1024 * 1024;
/** The same limits apply to images waiting to be stored. An incompressible image of 12 megapixels is 48 MB. */
export const heldBytesMax = { bytesMax: 256 * mebibyte, perClientMax: 128 * mebibyte };
export const heldImages = createHeldImages(heldBytesMax);

interface Receiver {
  caller: Pick<Caller, "userId">;
  reply: FastifyReply;
  store: Pick<ImageStore, "get">;
  /** The image's object key once it is stored; null if it isn't stored in time. */
  stored: () => Promise<string | null>;
  /** Id of a new screenshot. Once it is stored, its charge is final, and errors are not retryable: a retry would be charged again. */
  newId?: string | undefined;
  disconnected: () => AbortSignal;
}

/**
 * Returns the image, or reads it from storage if `heldImages` can't hold it.
 * @throws {AppError} `rate_limited` if it can't be read from storage. @throws the signal's reason once the client has disconnected.
 */
export async function heldOrStored(image: Buffer, to: Receiver): Promise<Buffer | Readable> {
  const { caller, reply, store, stored, newId, disconnected } = to;
  if (heldImages.hold(caller.userId, reply, [image])) return image;
  const key = await stored();
  const file = key === null ? undefined : await openFile(store, key, disconnected()).catch(() => undefined);
  disconnected().throwIfAborted();
  if (file) return Readable.from(file.chunks);
  throw tooManyUnread(newId);
}

const tooMany = "Too many images are being sent at once: finish receiving the previous ones first.";

function tooManyUnread(newId?: string): AppError {
  if (newId === undefined) return new AppError("rate_limited", { message: tooMany, retryAfterSeconds });
  const message = `${tooMany} This screenshot is charged once it is stored; GET /v1/screenshots then lists it as ${newId}.`;
  return new AppError("rate_limited", { message, retryable: false, screenshotId: newId });
}
