/**
 * Runs attempts to copy screenshots, and tests destinations. An attempt reads the stored screenshot twice, first to hash it and then to
 * upload it, and never holds all of it in memory.
 */

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { v7 } from "uuid";
import type { Database, Queries } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import { existing } from "../../shared/errors.ts";
import { contentTypes, type Format } from "../../shared/formats.ts";
import type { ConnectTo } from "../../shared/open-connection.ts";
import type { Seal } from "../../shared/seal.ts";
import { type AccessKey, type Bucket, type BucketAddress, openBucket } from "../../storage/bucket.ts";
import { openFile } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";
import { resumeUrl } from "../../webhooks/addresses.ts";
import type { Copier } from "../../webhooks/settle.ts";
import type { Caller } from "../keys/caller.ts";
import { addressOf, noDestination } from "./copies.ts";
import { managerOf, sealedFor } from "./destinations.ts";
import { Final, failureOf, SourceFailed, Unusable } from "./failures.ts";
import { objectKeyOf } from "./object-key.ts";

interface Parts {
  database: Database;
  store: Pick<ImageStore, "get">;
  seal: Seal;
  connect: ConnectTo;
  clock: Clock;
  /** `WEBHOOK_ALLOW_HTTP`, which may have changed since the endpoint was checked. */
  allowHttp: boolean;
  /** Deadline of an attempt in milliseconds. */
  timeoutMs?: number | undefined;
}

interface Found extends BucketAddress {
  id: string;
  template: string;
  sealed: Buffer;
}

interface FoundWithFile extends Found {
  /** Null, like `format`, if the screenshot expired or was deleted. */
  fileKey: string | null;
  /** In bytes. */
  fileBytes: number | null;
  format: Format | null;
}

export interface TestResult {
  /** Key of the object that was written. */
  key: string;
  /** Whether the object was written. If so, copies can be written to the bucket. */
  works: boolean;
  /** What failed, as a sentence; null if the object was written and deleted. */
  problem: string | null;
}

const defaultTimeoutMs = 30_000;

const columns = `d.id, d.endpoint, d.bucket, d.region, d.path_style as "pathStyle", d.template, d.sealed`;
const undecryptable = "The access key can't be decrypted because AUTH_SECRET has changed: save the destination again.";
const onlyHttps = "Nothing was sent because only https endpoints are allowed.";

export function createCopier(parts: Parts): Copier {
  const { database, clock, timeoutMs = defaultTimeoutMs } = parts;

  async function copy(found: FoundWithFile | undefined, userId: string, key: string, signal: AbortSignal): Promise<void> {
    if (!found) throw new Final(noDestination);
    const { fileKey, fileBytes, format } = found;
    if (fileKey === null || format === null) throw new Final(noFile);
    const bucket = bucketOf(parts, found, userId);
    const file = await hashed(parts.store, fileKey, fileBytes, signal);
    const content = Readable.from(chunksOf(parts.store, fileKey, file.bytes, signal));
    await bucket.put({ key, contentType: contentTypes[format], ...file, content }, signal);
  }

  return {
    async attempt({ userId, attempts, screenshotId, destinationId, objectKey }, signal) {
      const startedAt = new Date(clock.now());
      const began = performance.now();
      const timeout = AbortSignal.timeout(timeoutMs);
      const { rows } = await database.query<FoundWithFile>(
        `select ${columns}, s.object_key as "fileKey", s.bytes as "fileBytes", s.format
           from destinations d left join screenshots s on s.id = $3 and s.user_id = d.user_id and s.status = 'done' and s.expires_at > now()
          where d.id = $1 and d.user_id = $2`,
        [destinationId, userId, screenshotId],
      );
      const failure = await copy(rows[0], userId, objectKey ?? "", AbortSignal.any([signal, timeout])).then(
        () => undefined,
        (error) => failureOf(error, timeout, timeoutMs),
      );
      const { status = failure ? undefined : 200, retryAfter } = failure ?? {};
      const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      return {
        number: attempts + 1,
        startedAt,
        durationMs: Math.round(performance.now() - began),
        headers: {},
        response: status === undefined ? undefined : { status, headers, body: "", isCut: false },
        error: failure?.message,
        isFinal: failure?.isFinal,
      };
    },
    async onSettled(transaction, { destinationId }, error) {
      await recordOutcome(transaction, destinationId, error);
    },
  };
}

/** Writes a small object under a key made from the template, and then deletes it. */
export type TestDestination = (caller: Caller, name: string, signal: AbortSignal) => Promise<TestResult>;

/**
 * Resumes a paused destination if the object can be written.
 * @throws {AppError} `not_found`, `domain_not_allowed`, `target_not_allowed`.
 */
export function createTest(parts: Parts): TestDestination {
  const { database, timeoutMs = defaultTimeoutMs } = parts;
  return async (caller, name, signal) => {
    const userId = managerOf(caller);
    const { rows } = await database.query<Found>(`select ${columns} from destinations d where d.user_id = $1 and d.name = $2`, [
      userId,
      name,
    ]);
    const found = existing(rows[0]);
    const timeout = AbortSignal.timeout(timeoutMs);
    const both = AbortSignal.any([signal, timeout]);
    const key = objectKeyOf(found.template, { id: v7(), url: new URL("https://example.com/"), label: "test", extension: "txt" });
    const attempt = async (work: (bucket: Bucket) => Promise<void>): Promise<string | undefined> => {
      try {
        await work(bucketOf(parts, found, userId));
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        return failureOf(error, timeout, timeoutMs).message;
      }
    };
    const content = Buffer.from("This file was written to test a destination. It can be deleted.\n");
    const file = {
      contentType: contentTypes.text,
      bytes: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
      content,
    };
    const notWritten = await attempt((bucket) => bucket.put({ key, ...file }, both));
    await database.transaction(async (transaction) => {
      await recordOutcome(transaction, found.id, notWritten);
      if (notWritten === undefined) await resumeUrl(transaction, { userId, url: addressOf(found) });
    });
    if (notWritten !== undefined) return { key, works: false, problem: notWritten };
    const notDeleted = await attempt((bucket) => bucket.remove(key, both));
    return { key, works: true, problem: notDeleted === undefined ? null : `The test's object could not be deleted. ${notDeleted}` };
  };
}

const noFile = "The screenshot expired or was deleted before it could be copied.";

/** @throws {Unusable} if the endpoint isn't allowed or the access key can't be decrypted. */
function bucketOf({ seal, connect, allowHttp }: Parts, { id, sealed, ...address }: Found, userId: string): Bucket {
  if (!allowHttp && address.endpoint.startsWith("http:")) throw new Unusable(onlyHttps);
  const text = seal.open(sealed, sealedFor(userId, id));
  if (text === undefined) throw new Unusable(undecryptable);
  const key: AccessKey = JSON.parse(text);
  return openBucket(address, key, connect);
}

async function recordOutcome(queries: Queries, destinationId: string | null, error: string | undefined): Promise<void> {
  await queries.query(
    `update destinations set copied_at = case when $2::text is null then now() else copied_at end, error = $2,
            error_at = case when $2::text is not null then now() end where id = $1`,
    [destinationId, error ?? null],
  );
}

type Reads = Pick<ImageStore, "get">;

/** @param recorded size of the file in bytes, as for `chunksOf`; null if unknown. */
async function hashed(
  store: Reads,
  fileKey: string,
  recorded: number | null,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunksOf(store, fileKey, recorded, signal)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** @throws {Final} if there is no such file; {SourceFailed}; the signal's reason. */
async function* chunksOf(store: Reads, fileKey: string, bytes: number | null, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    const file = await openFile(store, fileKey, signal, { bytes });
    if (!file) throw new Final(noFile);
    yield* file.chunks;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Final
      ? error
      : new SourceFailed("The screenshot could not be read from the service's storage.", { cause: error });
  }
}
