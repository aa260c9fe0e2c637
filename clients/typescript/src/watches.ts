/** Pages that are captured on a schedule, and the changes found in them. */

import type { Watch, WatchChange, WatchRequest, WatchRun } from "./api.generated.ts";
import { type ApiRequest, type CallOptions, type Calls, type CreateOptions, newIdempotencyKey, pagesOf, pathOf } from "./calls.ts";

export interface Watches {
  /** Always sent with an `idempotencyKey`, so it is safe to repeat. */
  create(request: WatchRequest, options?: CreateOptions): Promise<Watch>;
  /** Newest first, page by page. */
  list(options?: CallOptions & { state?: "active" | "paused" }): AsyncGenerator<Watch>;
  get(id: string, options?: CallOptions): Promise<Watch>;
  change(id: string, change: WatchChange, options?: CallOptions): Promise<Watch>;
  remove(id: string, options?: CallOptions): Promise<void>;
  /** Runs it now. */
  run(id: string, options?: CallOptions): Promise<WatchRun>;
  pause(id: string, options?: CallOptions): Promise<Watch>;
  resume(id: string, options?: CallOptions): Promise<Watch>;
  /** Makes the latest run, or `runId`, the baseline with which later runs are compared. */
  accept(id: string, options?: CallOptions & { runId?: string }): Promise<Watch>;
  /** Newest first, page by page. */
  runs(id: string, options?: CallOptions & { status?: WatchRun["status"] }): AsyncGenerator<WatchRun>;
}

export function createWatches(calls: Calls): Watches {
  const { json } = calls;
  const call = <T>(method: ApiRequest["method"], path: string, options?: CallOptions, body?: object) =>
    json<T>({ method, path, body, repeat: method === "POST" ? "refused" : "always" }, options);

  return {
    create: (body, { idempotencyKey = newIdempotencyKey(), ...options } = {}) =>
      json({ method: "POST", path: "/v1/watches", body, idempotencyKey, repeat: "always" }, options),
    list: ({ state, ...options } = {}) => pagesOf(calls, "/v1/watches", "watches", { state }, options),
    get: (id, options) => call("GET", pathOf("watches", id), options),
    change: (id, change, options) => call("PATCH", pathOf("watches", id), options, change),
    remove: (id, options) => call("DELETE", pathOf("watches", id), options),
    run: (id, options) => call("POST", `${pathOf("watches", id)}/run`, options),
    pause: (id, options) => call("POST", `${pathOf("watches", id)}/pause`, options),
    resume: (id, options) => call("POST", `${pathOf("watches", id)}/resume`, options),
    accept: (id, { runId, ...options } = {}) =>
      call("POST", `${pathOf("watches", id)}/accept`, options, runId === undefined ? {} : { run_id: runId }),
    runs: (id, { status, ...options } = {}) => pagesOf(calls, `${pathOf("watches", id)}/runs`, "runs", { status }, options),
  };
}
