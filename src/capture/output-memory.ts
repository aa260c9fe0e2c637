/** Limits the memory used by outputs of running captures. A request's outputs are kept until the last of them has been captured. */

import { AppError } from "../shared/errors.ts";
import { createOwnerSums } from "../shared/owner-sums.ts";

const mebibyte = 1024 * 1024;
/** `perAccount` also limits a single request. */
const outputBytesMax = { all: 512 * mebibyte, perAccount: 256 * mebibyte };

/** The outputs of one request. */
export interface HeldOutputs {
  /**
   * Counts another output.
   * @throws {AppError} `image_too_large` if the request's outputs are too large in total; `queue_full` if other running captures leave no
   *   room. In both cases, the output is not counted.
   */
  add(bytes: number): void;
  /** Call once the outputs have been passed on, or the request has failed. */
  release(): void;
}

export function createOutputMemory({ all, perAccount }: typeof outputBytesMax = outputBytesMax): (account: string) => HeldOutputs {
  const held = createOwnerSums();
  const limit = inMb(perAccount);
  return (account) => {
    let own = 0;
    return {
      add(bytes) {
        if (own + bytes > perAccount)
          throw new AppError("image_too_large", { message: `The outputs of one request may take up at most ${limit} in total.` });
        if (held.of(account) + bytes > perAccount) throw full(`The outputs of the account's running captures would exceed ${limit}.`);
        if (held.total() + bytes > all) throw full(`The outputs of all running captures would exceed ${inMb(all)}.`);
        held.add(account, bytes);
        own += bytes;
      },
      release() {
        held.add(account, -own);
        own = 0;
      },
    };
  };
}

function full(message: string): AppError {
  return new AppError("queue_full", { message: `${message} Try again when some captures have ended.`, retryAfterSeconds: 5 });
}

function inMb(bytes: number): string {
  return `${bytes / mebibyte} MB`;
}
