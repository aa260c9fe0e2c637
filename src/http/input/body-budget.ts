/** Bounds the memory used by request bodies: in total, per account, and per IP address while no key is known. */

import { type Readable, Transform } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addressBucket } from "../../accounts/usage/rate-limit.ts";
import { AppError } from "../../shared/errors.ts";
import { createOwnerSums, type OwnerSums } from "../../shared/owner-sums.ts";
import { accountOf, setAccount } from "../server/owners.ts";
import { onClosed } from "../server/requests.ts";

/** Bodies up to this size, for example sign-ins and webhooks, are accepted even when large bodies have used up the pool. */
const ordinaryBytes = 64 * 1024;

/** A memory budget: bodies stay in memory until the response has been sent. A single body always fits. */
interface Pool {
  /** Limit on the bytes of all bodies in the pool. */
  readonly bytesMax: number;
  /** Limit on the bytes of a single client's bodies. */
  readonly perClientMax: number;
  readonly bytes: OwnerSums;
}

const megabyte = 1024 * 1024;
const createPool = (max: Pick<Pool, "bytesMax" | "perClientMax">): Pool => ({ ...max, bytes: createOwnerSums() });
/** Clients are accounts. An account may use half of the pool: a dozen bodies of the default maximum size. */
const accounts = createPool({ bytesMax: 96 * megabyte, perClientMax: 48 * megabyte });
/** Clients are IP addresses: the key, if any, is in the body. An address may send two bodies of the default maximum size. */
const addresses = createPool({ bytesMax: 32 * megabyte, perClientMax: 8 * megabyte });

/**
 * Maximum number of incomplete bodies per client: per account, or per IP address for requests without a key in a header or the query. Even
 * many clients behind one proxy need fewer.
 */
const unfinishedMax = { account: 1_024, address: 256 };
const unfinished = createOwnerSums();

interface Body {
  pool: Pool;
  client: string;
  bytes: number;
}

const bodies = new WeakMap<FastifyRequest, Body>();

/**
 * Counts the body of `request` toward the account of its key instead of its IP address.
 * @throws {AppError} `unavailable` if the account's bodies exceed its share, or a large body no longer fits into the pool.
 */
export function countBodyToAccount(request: FastifyRequest, userId: string): void {
  setAccount(request, userId);
  const body = bodies.get(request);
  if (!body || body.pool === accounts) return;
  const { bytes } = body;
  grow(body, -bytes);
  body.pool = accounts;
  body.client = userId;
  grow(body, bytes);
  assertRoom(body);
}

/**
 * Counts what was made of a body, such as a document with a form's files, as far as it is longer than the body.
 * @throws {AppError} like {@link countBodyToAccount}.
 */
export function countMadeOf(request: FastifyRequest, length: number): void {
  const body = bodies.get(request);
  if (!body || length <= body.bytes) return;
  grow(body, length - body.bytes);
  assertRoom(body);
}

/** Passes the body through and counts it as it arrives. @param keylessTimeoutMs time limit for the complete body if no key is known. */
export function countedBody(request: FastifyRequest, reply: FastifyReply, received: Readable, keylessTimeoutMs: number): Readable {
  const account = accountOf(request);
  const body: Body = { pool: account ? accounts : addresses, client: account ?? addressBucket(request.ip), bytes: 0 };
  let [bytes, chunks] = [0, 0];
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      grow(body, chunk.length + chunkOverhead);
      bytes += chunk.length;
      chunks += 1;
      if (chunks > chunksMax + bytes / chunkBytesMin) return refuse(tooManyChunks());
      try {
        assertRoom(body);
        next(null, chunk);
      } catch (error) {
        refuse(error as AppError);
      }
    },
  });
  counted.on("error", () => {}); // nobody reads the body of a GET; without a listener, its error would end the process
  const refuse = (error: AppError) => {
    if (!reply.sent) reply.header("connection", "close"); // otherwise Node would keep reading the rest of the body
    counted.destroy(error);
  };
  bodies.set(request, body);
  onClosed(reply, () => {
    bodies.delete(request);
    grow(body, -body.bytes);
    counted.destroy();
  });
  limitUnfinished(body.client, counted, account ? undefined : keylessTimeoutMs, refuse);
  return received.pipe(counted);
}

/**
 * Limits the number of incomplete bodies per client, and how long each may take to arrive.
 * @param keylessTimeoutMs undefined if there is a key: only the server's request timeout applies.
 */
function limitUnfinished(
  client: string,
  counted: Transform,
  keylessTimeoutMs: number | undefined,
  refuse: (error: AppError) => void,
): void {
  unfinished.add(client, 1);
  const isKeyless = keylessTimeoutMs !== undefined;
  const timer = isKeyless && setTimeout(() => refuse(new AppError("request_timeout", { message: tooSlow })), keylessTimeoutMs);
  counted.once("close", () => {
    if (timer) clearTimeout(timer);
    unfinished.add(client, -1);
  });
  if (unfinished.of(client) > unfinishedMax[isKeyless ? "address" : "account"]) refuse(tooManyBodies());
}

/** A body may have `chunksMax` chunks of any size, plus one per `chunkBytesMin` bytes: each costs about ten microseconds. */
const [chunksMax, chunkBytesMin] = [2_000, 64];
/** Memory for each chunk besides its bytes. */
const chunkOverhead = 300;

function tooManyChunks(): AppError {
  return new AppError("payload_too_large", { message: "The body has too many small chunks: send larger ones, or a Content-Length." });
}

const tooSlow = "The request's body did not arrive in time. Send the API key in a header to get more time.";

function grow(body: Body, by: number): void {
  body.bytes += by;
  body.pool.bytes.add(body.client, by);
}

function assertRoom({ pool, client, bytes }: Body): void {
  const isBeyond = (held: number, max: number) => held > max && held > bytes;
  if (isBeyond(pool.bytes.of(client), pool.perClientMax) || (bytes > ordinaryBytes && isBeyond(pool.bytes.total(), pool.bytesMax)))
    throw tooManyBodies();
}

function tooManyBodies(): AppError {
  return new AppError("unavailable", { message: "Too many large requests are in progress.", retryAfterSeconds: 1 });
}
