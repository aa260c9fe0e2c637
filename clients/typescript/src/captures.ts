/** Several outputs of one page, synchronously or asynchronously. */

import type { Capture, CaptureRequest, CaptureState } from "./api.generated.ts";
import { type CallOptions, type Calls, type CreateOptions, newIdempotencyKey, pathOf, pause } from "./calls.ts";
import { timedOut } from "./errors.ts";

/** The response is JSON with links. */
export type CaptureOptions = Omit<CaptureRequest, "response_type" | "async">;

export interface Captures {
  /** Captures synchronously. With an `idempotencyKey` it is retried after a temporary refusal or a lost connection, and captured once. */
  create(request: CaptureOptions & { async?: false }, options?: CreateOptions): Promise<Capture>;
  /** Queues the capture; `wait` returns its result. Always sent with an `idempotencyKey`. */
  create(request: CaptureOptions & { async: true }, options?: CreateOptions): Promise<CaptureState>;
  get(id: string, options?: CallOptions & { waitSeconds?: number }): Promise<CaptureState>;
  /**
   * Waits until the capture has ended, including as `failed` or `canceled`. `timeoutMs` limits the whole wait; there is no limit by
   * default.
   */
  wait(id: string, options?: CallOptions): Promise<CaptureState>;
  /** Cancels the capture if it has not started. */
  cancel(id: string, options?: CallOptions): Promise<CaptureState>;
}

/** The longest time that the service waits for the end. */
const waitMaxSeconds = 60;
/** Additional time for the response once the wait is over. */
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
        await pause(pauseMs, options.signal); // an intermediary may respond without waiting
      }
    },
    cancel: (id, options) => json({ method: "DELETE", path: pathOf("captures", id), repeat: "always" }, options),
  };
}
