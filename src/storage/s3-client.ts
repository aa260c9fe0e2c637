/** The client of the operator's bucket, with limits on time, connections and what it reads. */

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { S3Client } from "@aws-sdk/client-s3";
import { readCode } from "./bucket.ts";
import type { StorageSettings } from "./store.ts";

export interface S3Limits {
  connectTimeoutMs: number;
  /** Time from a request's first byte to its response headers, including an image's upload. */
  requestTimeoutMs: number;
  /** Longest idle time of a connection; also ends a download that is not consumed. */
  idleTimeoutMs: number;
}

const defaultLimits: S3Limits = { connectTimeoutMs: 3_000, requestTimeoutMs: 20_000, idleTimeoutMs: 30_000 };

/** High, because slow readers occupy connections: the SDK's default of 50 could leave none for uploads. */
const connectionsMax = 256;

/** Also works with strict S3-compatible servers: checksum trailers are sent only where required. The caller destroys the client. */
export function createS3Client(settings: StorageSettings, limits: S3Limits = defaultLimits): S3Client {
  const credentials = { accessKeyId: settings.STORAGE_ACCESS_KEY_ID, secretAccessKey: settings.STORAGE_SECRET_ACCESS_KEY };
  const client = new S3Client({
    endpoint: settings.STORAGE_ENDPOINT || settings.STORAGE_URL,
    region: settings.STORAGE_REGION,
    forcePathStyle: settings.STORAGE_USE_PATH_STYLE_ENDPOINT,
    credentials,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 1, // the archive retries, and counts the retries
    requestHandler: {
      connectionTimeout: limits.connectTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: limits.idleTimeoutMs,
      httpAgent: { keepAlive: true, maxSockets: connectionsMax },
      httpsAgent: { keepAlive: true, maxSockets: connectionsMax },
    },
  });
  // Of a response that isn't an image, the client gets only the code.
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const response = result.response as { statusCode: number; body: Readable };
        if (commandName === "GetObjectCommand" && response.statusCode < 300) return result;
        const code = await readCode(response.body as IncomingMessage, credentials);
        response.body = Readable.from(code === undefined ? [] : [Buffer.from(`<Error><Code>${code}</Code></Error>`)]);
        return result;
      },
    { step: "deserialize", priority: "low", name: "code" },
  );
  return client;
}
