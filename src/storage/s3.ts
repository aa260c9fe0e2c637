/** Stores images in an S3-compatible bucket. */

import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { BaseLogger } from "pino";
import { createS3Client, type S3Limits } from "./s3-client.ts";
import { imageOf } from "./s3-image.ts";
import { DamagedFile, type ImageStore, type StorageSettings } from "./store.ts";

/** Needs permission to list the bucket and to get, put and delete objects; also to create the bucket if it is missing. */
export function createS3Store(settings: StorageSettings, log: BaseLogger, limits?: S3Limits): ImageStore {
  const client = createS3Client(settings, limits);
  const Bucket = settings.STORAGE_BUCKET;

  async function put(key: string, bytes: Buffer, contentType: string, metadata: Record<string, string>, signal: AbortSignal) {
    const command = {
      Bucket,
      Key: key,
      Body: bytes,
      ContentLength: bytes.length,
      ContentType: contentType,
      Metadata: headerMetadata(metadata),
    };
    await client.send(new PutObjectCommand(command), { abortSignal: signal });
  }

  return {
    prepare: (signal) => prepareBucket(client, settings, log, signal),
    async put(key, bytes, { contentType, metadata }, signal) {
      try {
        await put(key, bytes, contentType, metadata, signal).catch(async (error) => {
          // The bucket may be missing if object storage was unreachable at startup, or if the bucket has since been deleted.
          if (!isBucketMissing(error)) throw error;
          await createBucket(client, settings, signal);
          await put(key, bytes, contentType, metadata, signal);
        });
      } catch (error) {
        throw failure("store the image", error, signal);
      }
    },
    async get(key, signal, range = {}) {
      try {
        const { from = 0 } = range;
        const command = new GetObjectCommand({ Bucket, Key: key, ...(from > 0 && { Range: `bytes=${from}-` }) });
        return imageOf(await client.send(command, { abortSignal: signal }), range, signal);
      } catch (error) {
        if (statusOf(error) === 404 && !isBucketMissing(error)) return undefined;
        throw failure("read the image", error, signal);
      }
    },
    async remove(key, signal) {
      try {
        await client.send(new DeleteObjectCommand({ Bucket, Key: key }), { abortSignal: signal });
      } catch (error) {
        // A missing bucket is a failure: the settings may name the wrong bucket.
        if (statusOf(error) === 404 && !isBucketMissing(error)) return;
        throw failure("remove the image", error, signal);
      }
    },
    async check(signal) {
      try {
        await client.send(new HeadBucketCommand({ Bucket }), { abortSignal: signal });
      } catch (error) {
        throw failure("find its bucket", error, signal);
      }
    },
    close() {
      client.destroy();
    },
  };
}

/** Creates the bucket if it is missing. If it can't be used, logs why. */
async function prepareBucket(client: S3Client, settings: StorageSettings, log: BaseLogger, signal: AbortSignal): Promise<void> {
  const bucket = settings.STORAGE_BUCKET;
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: signal });
    return;
  } catch (error) {
    if (statusOf(error) !== 404) {
      log.error({ bucket, reason: reasonOf(error) }, "object storage is not usable yet: it is unreachable, or rejects the credentials");
      return;
    }
  }
  try {
    await createBucket(client, settings, signal);
    log.info({ bucket }, "created the storage bucket");
  } catch (error) {
    log.error(
      { bucket, reason: reasonOf(error) },
      "the storage bucket does not exist and could not be created: create it, or grant permission to create it",
    );
  }
}

async function createBucket(client: S3Client, settings: StorageSettings, signal: AbortSignal): Promise<void> {
  const command = new CreateBucketCommand({ Bucket: settings.STORAGE_BUCKET });
  if (settings.STORAGE_REGION === "auto") {
    // The SDK sends the region as the bucket's location constraint, but `auto` is not a valid location.
    command.middlewareStack.add((next) => (args) => next({ ...args, input: { ...args.input, CreateBucketConfiguration: undefined } }), {
      step: "initialize",
      priority: "low",
    });
  }
  try {
    await client.send(command, { abortSignal: signal });
  } catch (error) {
    if (nameOf(error) !== "BucketAlreadyOwnedByYou") throw error; // created by another replica
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function isBucketMissing(error: unknown): boolean {
  return nameOf(error) === "NoSuchBucket";
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

/** Returns only the name, status and system code, because the server's error messages may contain the access key. */
function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const status = statusOf(error);
  return [nameOf(error) || "Error", code && `code ${code}`, status && `status ${status}`].filter(Boolean).join(", ");
}

function failure(doing: string, error: unknown, signal: AbortSignal): unknown {
  if (error instanceof DamagedFile) return error;
  return signal.aborted ? signal.reason : new Error(`object storage could not ${doing}: ${reasonOf(error)}`);
}

/** AWS accepts at most 2 KB of names and values per object. */
const metadataBytesMax = 1_800;

/**
 * Names become lower-case letters, digits and hyphens; values become percent-encoded ASCII (decode with `decodeURI`). Spaces are
 * also encoded, because servers disagree on how to sign consecutive spaces. Values that exceed the limit are truncated or dropped, the last
 * entries first.
 */
export function headerMetadata(metadata: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  let bytesLeft = metadataBytesMax;
  for (const [name, value] of Object.entries(metadata)) {
    const header = name.toLowerCase().replace(/[^a-z0-9-]/g, "-");
    const content = encoded(value.toWellFormed(), bytesLeft - header.length);
    if (content === "") continue;
    headers[header] = content;
    bytesLeft -= header.length + content.length;
  }
  return headers;
}

/** Percent-encodes as many characters as fit into `lengthMax`. */
function encoded(text: string, lengthMax: number): string {
  let fitting = "";
  for (const character of text) {
    const next = fitting + encodeURI(character);
    if (next.length > lengthMax) break;
    fitting = next;
  }
  return fitting;
}
