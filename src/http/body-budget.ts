/** Bounds the memory that bodies of requests take: in all, for each account, and for each address that sends them without a key. */

import { type Readable, Transform } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addressBucket } from "../accounts/usage/rate-limit.ts";
import { AppError } from "../errors.ts";
import { createOwnerSums, type OwnerSums } from "../owner-sums.ts";
import { onClosed } from "./on-closed.ts";
import { accountOf, setAccount } from "./request-account.ts";

/** Bodies up to this size, as sign-ins and webhooks have them, don't wait for others' large ones. */
const ordinaryBytes = 64 * 1024;

/** Bodies are in memory until their requests have been answered. One body alone always fits. */
interface Pool {
  /** Bytes received of all its bodies. */
  readonly bytesMax: number;
  /** Bytes received of one owner's bodies. */
  readonly perOwnerMax: number;
  readonly bytes: OwnerSums;
}

const megabyte = 1024 * 1024;
const createPool = (max: Pick<Pool, "bytesMax" | "perOwnerMax">): Pool => ({ ...max, bytes: createOwnerSums() });
/** Owners are accounts. Half of it is one account's share: enough for a dozen bodies of the default maximum, and it leaves others as much. */
const accounts = createPool({ bytesMax: 96 * megabyte, perOwnerMax: 48 * megabyte });
/** Owners are addresses, whose key, if any, is in the body. The share is two bodies of the default maximum. */
const addresses = createPool({ bytesMax: 32 * megabyte, perOwnerMax: 8 * megabyte });

/** Unfinished bodies of one address without a key in a header or the query: more than a proxy's clients have at one moment. */
const unfinishedPerAddressMax = 256;
const unfinished = createOwnerSums();

interface Body {
  pool: Pool;
  owner: string;
  bytes: number;
}

const bodies = new WeakMap<FastifyRequest, Body>();

/**
 * Counts the body of `request` to the account of its key from here on.
 * @throws {AppError} `unavailable` if it was received before the account was known, and is more than its share.
 */
export function countBodyToAccount(request: FastifyRequest, userId: string): void {
  setAccount(request, userId);
  const body = bodies.get(request);
  if (!body || body.pool === accounts) return;
  const { bytes } = body;
  grow(body, -bytes);
  body.pool = accounts;
  body.owner = userId;
  grow(body, bytes);
  assertRoom(body);
}

/** The same body, counted as it arrives. @param keylessTimeoutMs until the end of a body whose sender is unknown. */
export function countedBody(request: FastifyRequest, reply: FastifyReply, received: Readable, keylessTimeoutMs: number): Readable {
  const account = accountOf(request);
  const body: Body = { pool: account ? accounts : addresses, owner: account ?? addressBucket(request.ip), bytes: 0 };
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      grow(body, chunk.length);
      try {
        assertRoom(body);
        next(null, chunk);
      } catch (error) {
        refuse(error as AppError);
      }
    },
  });
  const refuse = (error: AppError) => {
    if (!reply.sent) reply.header("connection", "close"); // otherwise Node goes on to read the rest
    counted.destroy(error);
  };
  bodies.set(request, body);
  onClosed(reply, () => {
    grow(body, -body.bytes);
    counted.destroy();
  });
  if (account === undefined) limitUnfinished(body.owner, counted, keylessTimeoutMs, refuse);
  return received.pipe(counted);
}

/** In number and time. Slow senders with a key have the server's timeout for requests. */
function limitUnfinished(address: string, counted: Transform, timeoutMs: number, refuse: (error: AppError) => void): void {
  unfinished.add(address, 1);
  const timer = setTimeout(() => refuse(new AppError("request_timeout", { message: tooSlow })), timeoutMs);
  counted.once("close", () => {
    clearTimeout(timer);
    unfinished.add(address, -1);
  });
  if (unfinished.of(address) > unfinishedPerAddressMax) refuse(tooManyBodies());
}

const tooSlow = "The request's body did not arrive in time. Send the API key in a header to have more time.";

function grow(body: Body, by: number): void {
  body.bytes += by;
  body.pool.bytes.add(body.owner, by);
}

function assertRoom({ pool, owner, bytes }: Body): void {
  const isBeyond = (held: number, max: number) => held > max && held > bytes;
  if (isBeyond(pool.bytes.of(owner), pool.perOwnerMax) || (bytes > ordinaryBytes && isBeyond(pool.bytes.total(), pool.bytesMax)))
    throw tooManyBodies();
}

function tooManyBodies(): AppError {
  return new AppError("unavailable", { message: "Too many large requests at once.", retryAfterSeconds: 1 });
}
