/** Several outputs of one page, at once or later. */

import type { Capture, CaptureRequest, CaptureState } from "./api.generated.ts";
import { type CallOptions, type Calls, type CreateOptions, newIdempotencyKey, pathOf, pause } from "./calls.ts";
import { timedOut } from "./errors.ts";

/** The answer is JSON with links. */
export type CaptureOptions = Omit<CaptureRequest, "response_type" | "async">;

export interface Captures {
  /** Captures now. With an `idempotencyKey` it is sent again after a temporary refusal or a lost connection, and made once. */
  create(request: CaptureOptions & { async?: false }, options?: CreateOptions): Promise<Capture>;
  /** Queues it; `wait` reads the end. It has an `idempotencyKey` in any case. */
  create(request: CaptureOptions & { async: true }, options?: CreateOptions): Promise<CaptureState>;
  get(id: string, options?: CallOptions & { waitSeconds?: number }): Promise<CaptureState>;
  /** Waits until it has ended, also in `failed` or `canceled`. `timeoutMs` limits the whole wait; by default nothing does. */
  wait(id: string, options?: CallOptions): Promise<CaptureState>;
  /** Cancels what has not begun. */
  cancel(id: string, options?: CallOptions): Promise<CaptureState>;
}

/** The longest that the service waits for an end. */
const waitMaxSeconds = 60;
/** For its answer when the wait is over. */
const graceMs = 30_000;
const pauseMs = 100;

export function createCaptures({ json }: Calls): Captures {
  const get = (id: string, { waitSeconds = 0, ...options }: CallOptions & { waitSeconds?: number } = {}) =>
    json<CaptureState>({ method: "GET", path: `${pathOf("captures", id)}?wait=${waitSeconds}`, repeat: "always" }, options);

  async function create(body: CaptureOptions & { async?: boolean }, { idempotencyKey, ...options }: CreateOptions = {}) {
    const key = idempotencyKey ?? (body.async ? newIdempotencyKey() : undefined);
    const repeat = key === undefined ? "never" : "always";
    return await json<never>({ method: "POST", path: "/v1/captures", body, idempotencyKey: key, repeat }, options);
  }

  return {
    create,
    get,
    async wait(id, { timeoutMs = Number.POSITIVE_INFINITY, ...options } = {}) {
      for (const deadlineAt = performance.now() + timeoutMs; ; ) {
        const leftMs = deadlineAt - performance.now();
        if (leftMs <= 0) throw timedOut(timeoutMs);
        const waitSeconds = Math.min(waitMaxSeconds, Math.ceil(leftMs / 1000));
        const state = await get(id, { ...options, waitSeconds, timeoutMs: Math.min(leftMs, waitSeconds * 1000 + graceMs) });
        if (state.ended_at !== null) return state;
        await pause(pauseMs, options.signal); // something between may answer without the wait
      }
    },
    cancel: (id, options) => json({ method: "DELETE", path: pathOf("captures", id), repeat: "always" }, options),
  };
}
