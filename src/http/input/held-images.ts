/** Limits the memory for images whose clients have not received them: a client may take as long as it likes, at a few bytes a minute. */

import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import { AppError } from "../../shared/errors.ts";
import { createOwnerSums } from "../../shared/owner-sums.ts";
import { openFile } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";
import { onClosed } from "../server/on-closed.ts";

export interface HeldImages {
  /**
   * Counts images to the account until the response has been received; one that several responses send counts once. False, without counting,
   * if they exceed the account's share: they are then read from the storage, at the client's pace.
   */
  hold(userId: string, reply: FastifyReply, images: Buffer[]): boolean;
}

/** The only images of an account always fit. */
export function createHeldImages({ bytesMax, perOwnerMax }: { bytesMax: number; perOwnerMax: number }): HeldImages {
  const held = createOwnerSums();
  const responses = new WeakMap<Buffer, number>();
  const count = (userId: string, image: Buffer, by: 1 | -1) => {
    const before = responses.get(image) ?? 0;
    responses.set(image, before + by);
    if (before === 0 || before + by === 0) held.add(userId, by * image.length);
  };
  return {
    hold(userId, reply, images) {
      const own = held.of(userId);
      const bytes = images.reduce((sum, image) => sum + (responses.get(image) ? 0 : image.length), 0);
      if (own > 0 && bytes > 0 && (own + bytes > perOwnerMax || held.total() + bytes > bytesMax)) return false;
      for (const image of images) count(userId, image, 1);
      onClosed(reply, () => {
        for (const image of images) count(userId, image, -1);
      });
      return true;
    },
  };
}

const mebibyte = 1024 * 1024;
/** As much as for images that wait for the storage. An uncompressible image of 12 megapixels has 48 MB. */
export const heldBytesMax = { bytesMax: 256 * mebibyte, perOwnerMax: 128 * mebibyte };
export const heldImages = createHeldImages(heldBytesMax);

interface Destination {
  caller: Pick<Caller, "userId">;
  reply: FastifyReply;
  store: Pick<ImageStore, "get">;
  /** The image's object key once it is stored; null if it isn't in time. */
  stored: () => Promise<string | null>;
  disconnected: AbortSignal;
}

/** The image, from the storage if it exceeds the account's share. @throws {AppError} `rate_limited` if it isn't there; the signal's reason. */
export async function heldOrStored(image: Buffer, { caller, reply, store, stored, disconnected }: Destination): Promise<Buffer | Readable> {
  if (heldImages.hold(caller.userId, reply, [image])) return image;
  const key = await stored();
  const file = key === null ? undefined : await openFile(store, key, disconnected).catch(() => undefined);
  disconnected.throwIfAborted();
  if (file) return Readable.from(file.chunks);
  const message = "Too many images are being sent; wait until yours have been received.";
  throw new AppError("rate_limited", { message, retryAfterSeconds: 5 });
}
