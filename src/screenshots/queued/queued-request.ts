/** Serializes a queued capture's outputs. Option values shared by all outputs, which may be megabytes long, are written once. Pure. */

import { isDeepStrictEqual } from "node:util";
import { hasNoHost } from "../../capture/options.ts";
import type { OutputRequest } from "../captures/taken-outputs.ts";
import { createTakeRequest, type TakeOptions, type TakeRequest, type TakeSchema } from "../take/take-options.ts";

/** Longest time a capture may wait in the queue. */
export const waitMaxMs = 24 * 3_600_000;
/** Longer than the longest wait in the queue, so that no reservation expires while its capture is queued. */
export const queuedReservationMs = waitMaxMs + 2 * 3_600_000;

interface Queued extends SubmittedFields {
  shared: Record<string, unknown>;
  outputs: ({ name: string; own: Record<string, unknown> } & Pick<TakeRequest, "warnings" | "signIn">)[];
}

/** See `SubmittedCapture`. */
interface SubmittedFields {
  isAwaited?: boolean | undefined;
  webhookUrl?: string | undefined;
  /**
   * How long a caller waits, in milliseconds from submission. A duration, because a timestamp would depend on the clocks of two machines.
   */
  waitMs?: number | undefined;
}

export interface QueuedRequest extends SubmittedFields {
  outputs: OutputRequest[];
}

export function writeQueued({ outputs, ...fields }: QueuedRequest): string {
  const all = outputs.map(({ request }): Record<string, unknown> => request.options);
  const [first = {}, ...others] = all;
  const shared = Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((options) => isDeepStrictEqual(options[name], value))),
  );
  const queued: Queued = {
    shared,
    outputs: outputs.map(({ name, request }, index) => ({
      name,
      own: Object.fromEntries(Object.entries(all[index] ?? {}).filter(([option]) => !Object.hasOwn(shared, option))),
      warnings: request.warnings,
      signIn: request.signIn,
    })),
    ...fields,
  };
  return JSON.stringify(queued);
}

/**
 * Host and port of the page, for its permit; undefined for a document without a base URL. With the account's own proxy, which may never
 * answer, the permits are separate from those of other accounts.
 */
export function hostOf(outputs: OutputRequest[], userId: string): string | undefined {
  const request = outputs[0]?.request;
  if (!request || hasNoHost(request.options)) return undefined;
  return request.options.proxy === undefined ? request.target.host : `${request.target.host} through a proxy of ${userId}`;
}

/** The URL to notify when the capture ends. @param text from {@link writeQueued}. */
export function webhookUrlOf(text: string): string | undefined {
  return (JSON.parse(text) as Queued).webhookUrl;
}

/** @param text from {@link writeQueued}. */
export function readQueued(schema: TakeSchema, text: string): QueuedRequest {
  const { shared, outputs, ...fields }: Queued = JSON.parse(text);
  return {
    outputs: outputs.map(({ name, own, warnings, signIn }) => {
      const request = createTakeRequest(schema, { ...shared, ...own } as TakeOptions, warnings);
      return { name, request: signIn ? { ...request, signIn } : request };
    }),
    ...fields,
  };
}
