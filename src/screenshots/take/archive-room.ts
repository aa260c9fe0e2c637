/** Limits the memory of images that are being stored, for all accounts together and for each of them. */

import { untilAborted, withDeadline } from "../../shared/deadline.ts";
import { createOwnerSums } from "../../shared/owner-sums.ts";

interface Sized {
  userId: string;
  bytes: Buffer;
}

export interface ArchiveRoom {
  /** Counts `image` once there is room. @throws {Error} if there is none within `waitMs`; the reason of `deadline`. */
  enter(image: Sized, waitMs: number, deadline: AbortSignal): Promise<void>;
  leave(image: Sized): void;
  bytes(): number;
}

/** @param bytesMax for all accounts; one account gets half, or more for a single image. */
export function createArchiveRoom(bytesMax: number): ArchiveRoom {
  const sums = createOwnerSums();
  /** In order of arrival. */
  const waiting = new Map<object, { image: Sized; admit: () => void }>();

  function shortageOf({ userId, bytes }: Sized): string | undefined {
    if (sums.total() + bytes.length > bytesMax) return "too many bytes are waiting to be stored";
    const own = sums.of(userId);
    return own > 0 && own + bytes.length > bytesMax / 2 ? "too many bytes of the account are waiting to be stored" : undefined;
  }

  return {
    async enter(image, waitMs, deadline) {
      const shortage = shortageOf(image);
      if (shortage === undefined) return sums.add(image.userId, image.bytes.length);
      if (waitMs === 0) throw new Error(shortage);
      const { promise, resolve: admit } = Promise.withResolvers<void>();
      const waiter = {};
      waiting.set(waiter, { image, admit });
      try {
        await withDeadline(untilAborted(promise, deadline), waitMs, () => {
          throw new Error(shortage);
        });
      } finally {
        waiting.delete(waiter);
      }
    },
    leave({ userId, bytes }) {
      sums.add(userId, -bytes.length);
      for (const [waiter, { image, admit }] of waiting) {
        if (shortageOf(image) !== undefined) continue;
        sums.add(image.userId, image.bytes.length);
        waiting.delete(waiter);
        admit();
      }
    },
    bytes: sums.total,
  };
}
