/** Explains why a copy or a test failed, in a sentence that contains no part of the access key. */

import { BucketRefused } from "../../storage/bucket.ts";
import { certificateRefused, requestFailure } from "../../webhooks/deliver.ts";

// These errors' messages are complete sentences.

/** No further attempt can succeed. */
export class Final extends Error {}
/** The service's own storage didn't deliver the file. */
export class SourceFailed extends Error {}
/** A problem that the owner or the operator can fix. */
export class Unusable extends Error {}

interface Failed {
  message: string;
  isFinal?: boolean;
  status?: number;
  retryAfter?: string | undefined;
}

/** @param timeout aborts when the attempt exceeds `timeoutMs`. */
export function failureOf(error: unknown, timeout: AbortSignal, timeoutMs: number): Failed {
  if (error instanceof BucketRefused) return { message: refusal(error), status: error.status, retryAfter: error.retryAfter };
  if (!timeout.aborted && (error instanceof Final || error instanceof SourceFailed || error instanceof Unusable))
    return { message: error.message, isFinal: error instanceof Final };
  const message = requestFailure(error, timeout, timeoutMs);
  // The certificate isn't quoted, because a hostile server could put what we sent into it.
  const isQuoted = message.startsWith(certificateRefused);
  return { message: isQuoted ? `${certificateRefused} (${(error as NodeJS.ErrnoException).code}).` : message };
}

function refusal({ status, code }: BucketRefused): string {
  const quoted = code === undefined ? `status ${status}` : `status ${status}, ${code}`;
  if (status === 401 || status === 403) return `The bucket refused the access key, or the key lacks a permission (${quoted}).`;
  if (status === 404) return `There is no such bucket (${quoted}).`;
  if (status >= 300 && status < 400)
    return `The server responded with a redirect (${quoted}), which is not followed: check the endpoint and the region.`;
  return `The server didn't accept the object (${quoted}).`;
}
