/** Counts images and other large responses until their clients have received them. */

import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import { AppError } from "../../shared/errors.ts";
import { createOwnerSums } from "../../shared/owner-sums.ts";
import { openFile } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";
import { onClosed } from "./requests.ts";

const retryAfterSeconds = 5;

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
  /** Whether the image is being sent and counted. */
  isCounted(image: Held): boolean;
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
    isCounted: (image) => sending.has(image),
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
  const file = key === null ? undefined : await openFile(store, key, disconnected(), { bytes: image.length }).catch(() => undefined);
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
