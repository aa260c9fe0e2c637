/** Pages that are captured on a schedule, and what has changed in them. */

import type { Watch, WatchChange, WatchRequest, WatchRun } from "./api.generated.ts";
import { type ApiRequest, type CallOptions, type Calls, type CreateOptions, newIdempotencyKey, pathOf, queryOf } from "./calls.ts";

export interface Watches {
  /** Has an `idempotencyKey` in any case, so it is safe to repeat. */
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
  /** Makes the latest run, or `runId`, the one that others are compared with. */
  accept(id: string, options?: CallOptions & { runId?: string }): Promise<Watch>;
  /** Newest first, page by page. */
  runs(id: string, options?: CallOptions & { status?: WatchRun["status"] }): AsyncGenerator<WatchRun>;
}

export function createWatches({ json }: Calls): Watches {
  const call = <T>(method: ApiRequest["method"], path: string, options?: CallOptions, body?: object) =>
    json<T>({ method, path, body, repeat: method === "POST" ? "refused" : "always" }, options);

  /** `name`: the member of each page that has its items. */
  async function* pages<T extends { id: string }>(
    path: string,
    name: string,
    query: Record<string, string | undefined>,
    options: CallOptions,
  ) {
    let before: string | undefined;
    do {
      const request = { method: "GET", path: path + queryOf({ ...query, before }), repeat: "always" } as const;
      const isPage = (read: object) => Array.isArray((read as Record<string, unknown>)[name]);
      const page = await json<Record<string, T[]> & { next_cursor: string | null }>(request, options, isPage);
      yield* page[name] ?? [];
      if (page.next_cursor === before) return; // otherwise it would be the same page again and again
      before = page.next_cursor ?? undefined;
    } while (before !== undefined);
  }

  return {
    create: (body, { idempotencyKey = newIdempotencyKey(), ...options } = {}) =>
      json({ method: "POST", path: "/v1/watches", body, idempotencyKey, repeat: "always" }, options),
    list: ({ state, ...options } = {}) => pages("/v1/watches", "watches", { state }, options),
    get: (id, options) => call("GET", pathOf("watches", id), options),
    change: (id, change, options) => call("PATCH", pathOf("watches", id), options, change),
    remove: (id, options) => call("DELETE", pathOf("watches", id), options),
    run: (id, options) => call("POST", `${pathOf("watches", id)}/run`, options),
    pause: (id, options) => call("POST", `${pathOf("watches", id)}/pause`, options),
    resume: (id, options) => call("POST", `${pathOf("watches", id)}/resume`, options),
    accept: (id, { runId, ...options } = {}) =>
      call("POST", `${pathOf("watches", id)}/accept`, options, runId === undefined ? {} : { run_id: runId }),
    runs: (id, { status, ...options } = {}) => pages(`${pathOf("watches", id)}/runs`, "runs", { status }, options),
  };
}
