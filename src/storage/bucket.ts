/** Writes and removes objects in accounts' own buckets, over connections that the egress filter has vetted. */

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { DeleteObjectCommand, PutObjectCommand, S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import { AppError } from "../shared/errors.ts";
import { exchange, readStart } from "../shared/exchange.ts";
import { type ConnectTo, openConnection } from "../shared/open-connection.ts";
import { version } from "../shared/version.ts";

export interface BucketAddress {
  /** URL of the S3 server, without a query. */
  endpoint: string;
  bucket: string;
  region: string;
  /** Whether the bucket's name is always in the path; otherwise it is the host's first label, unless it contains a dot. */
  pathStyle: boolean;
}

export interface AccessKey {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface NewObject {
  key: string;
  contentType: string;
  bytes: number;
  /** Hex SHA-256 of the content, which is part of the signature. */
  sha256: string;
  content: Readable | Uint8Array;
}

/**
 * Each call makes one attempt, which ends when the signal aborts.
 * @throws {BucketRefused}; the error that prevented a response; the signal's reason.
 */
export interface Bucket {
  put(object: NewObject, signal: AbortSignal): Promise<void>;
  remove(key: string, signal: AbortSignal): Promise<void>;
}

/** A response that isn't a success. Keeps only its status, code and `Retry-After`: the text may quote keys and signatures. */
export class BucketRefused extends Error {
  override readonly name = "BucketRefused";
  readonly status: number;
  /** Error code, such as `AccessDenied`; undefined if there is none. */
  readonly code: string | undefined;
  /** The `Retry-After` header, in seconds or as a date; undefined if missing or in another form. */
  readonly retryAfter: string | undefined;

  constructor(status: number, code: string | undefined, retryAfter: string | undefined) {
    super(`status ${status}`);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

type RequestHandler = Extract<S3ClientConfig["requestHandler"], { handle: unknown }>;
type SignedRequest = Parameters<RequestHandler["handle"]>[0];

/** Enough for an error's XML. */
const answerBytesMax = 64 * 1024;
/** Seconds, or a date in the form that RFC 9110 prefers. Any other text could contain part of the access key. */
const retryAfterForm = /^(?:\d{1,9}|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;

/** Loaded only if needed, because the client is large. */
const loadClient = () => import("@aws-sdk/client-s3");

/**
 * The client opens one connection per call, follows no redirects, and isn't affected by the operator's AWS settings.
 * @param connect vets each address.
 */
export function openBucket(address: BucketAddress, key: AccessKey, connect: ConnectTo): Bucket {
  const { bucket: Bucket } = address;
  const send = async (signal: AbortSignal, command: PutObjectCommand | DeleteObjectCommand) => {
    const answers: Answer[] = [];
    const client = await clientFor(address, key, createHandler(connect, signal, answers, key));
    try {
      await client.send(command as PutObjectCommand, { abortSignal: signal });
    } catch (error) {
      signal.throwIfAborted();
      const [answer] = answers;
      throw answer ? new BucketRefused(answer.status, answer.code, answer.retryAfter) : error;
    } finally {
      client.destroy();
    }
  };
  return {
    async put({ key: Key, contentType, bytes, sha256, content }, signal) {
      const { PutObjectCommand } = await loadClient();
      const command = new PutObjectCommand({ Bucket, Key, Body: content, ContentLength: bytes, ContentType: contentType });
      command.middlewareStack.add(
        (next) => (args) => {
          (args.request as SignedRequest).headers["x-amz-content-sha256"] = sha256;
          return next(args);
        },
        { step: "build", name: "contentHash" },
      );
      await send(signal, command);
    },
    async remove(Key, signal) {
      const { DeleteObjectCommand } = await loadClient();
      await send(signal, new DeleteObjectCommand({ Bucket, Key }));
    },
  };
}

/** Keeps the client from warning on the console that a stream can't be sent again. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

async function clientFor(
  { endpoint, region, pathStyle }: BucketAddress,
  credentials: AccessKey,
  requestHandler: RequestHandler,
): Promise<S3Client> {
  const { S3Client } = await loadClient();
  return new S3Client({
    endpoint,
    region,
    credentials,
    requestHandler,
    forcePathStyle: pathStyle,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 1, // the delivery queue retries
    logger: silent,
    // The client would otherwise read these from the operator's environment and files.
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableS3ExpressSessionAuth: true,
    defaultsMode: "legacy", // `auto` would ask the machine's metadata service for its region
    retryMode: "standard",
  });
}

interface Answer {
  status: number;
  /** As in {@link BucketRefused}. */
  code: string | undefined;
  retryAfter: string | undefined;
}

const respondedEarly = "The server responded before it had received the whole object.";

/** The client gets no body, for the reason at `readCode`. @param answers receives the response. */
function createHandler(connect: ConnectTo, signal: AbortSignal, answers: Answer[], key: AccessKey): RequestHandler {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request: SignedRequest) {
      const { hostname, port, protocol, path, method, body } = request;
      const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`);
      const { expect: _, ...own } = request.headers; // the body is sent immediately
      // The client's own value reveals the kernel and the Node version. The header isn't signed.
      const headers = { ...own, "user-agent": `Tintype/${version} (destination)` };
      const socket = await openConnection(url, connect, signal);
      try {
        const response = await exchange(socket, path + queryText(request), { method, headers, body }, signal);
        const { statusCode = 0, headers: received } = response;
        // Buffered bytes count as written, so only objects of several megabytes are recognized as incomplete.
        const isWhole = socket.bytesWritten >= Number(own["content-length"] ?? 0);
        if (statusCode < 300 && !isWhole) throw new AppError("host_returned_error", { message: respondedEarly });
        const answer: Answer = { status: statusCode, code: undefined, retryAfter: retryAfterForm.exec(received["retry-after"] ?? "")?.[0] };
        answers.push(answer);
        answer.code = await readCode(response, key);
        if (statusCode < 300 && answer.code !== undefined) answer.status = 500; // gateways may send the status before they know the outcome
        return { response: { statusCode: answer.status, headers: {}, body: Readable.from([]) } };
      } finally {
        socket.destroy();
      }
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}

function queryText({ query = {} }: SignedRequest): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value ?? ""))}`);
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

/**
 * Reads the code from the first 64 KB of a response that should have no body, or an error's. The client would read a body of any length, and
 * hostile markup could keep its parser busy for seconds.
 */
export async function readCode(response: IncomingMessage, key: AccessKey): Promise<string | undefined> {
  return codeOf((await readStart(response, answerBytesMax)).bytes.toString("latin1"), key);
}

/**
 * The code in the server's XML, such as `AccessDenied`. Undefined if there is none, or if it might reveal part of the access key. In S3's
 * XML, the code's element contains only text, so no parser is needed to find it.
 */
function codeOf(text: string, { accessKeyId, secretAccessKey }: AccessKey): string | undefined {
  const [, code] = /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(text) ?? [];
  if (code === undefined) return undefined;
  // A key of a few letters, as operators may have for a test, occurs in many codes, and would hide that of a missing bucket.
  const isPartOfKey = [accessKeyId, secretAccessKey].some((part) => part.length >= 8 && (part.includes(code) || code.includes(part)));
  return isPartOfKey ? undefined : code;
}
