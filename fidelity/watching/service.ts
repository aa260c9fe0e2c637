/** Watches of a running service, run one by one. */

import { setTimeout as pause } from "node:timers/promises";
import type { RunningContender } from "../../bench/contenders.ts";

export interface Region {
  kind: "changed" | "added" | "removed" | "moved";
  name: string;
  selector: string | null;
  text_before: string | null;
  text_after: string | null;
}

export interface Run {
  id: string;
  status: string;
  /** Whether a change or failure was reported. */
  reported: boolean;
  changed_share: number | null;
  regions: Region[];
  screenshot: { link: string } | null;
  difference_link: string | null;
  error: { code: string; message: string } | null;
}

export interface Watch {
  /** Runs it now. Resolves when the run has ended. */
  run(): Promise<Run>;
  accept(): Promise<void>;
  /** The regions that it ignores. */
  muted(): Promise<{ name: string; by: string }[]>;
}

const pollMs = 150;
const runTimeoutMs = 180_000;
const ended = new Set(["learning", "unchanged", "changed", "failed"]);

/** @throws {Error} if the service refuses it. */
export async function createWatch({ origin, query, headers }: RunningContender, url: string): Promise<Watch> {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const separator = path.includes("?") ? "&" : "?";
    const address = method === "POST" ? `${origin}${path}` : `${origin}${path}${separator}${new URLSearchParams(query)}`;
    const response = await fetch(address, {
      method,
      headers: { ...headers, ...(method === "POST" && { "content-type": "application/json" }) },
      ...(method === "POST" && { body: JSON.stringify({ ...query, ...body }) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  const { id } = await call<{ id: string }>("POST", "/v1/watches", { url, every: "30d" });
  const at = `/v1/watches/${id}`;
  let runs = 0;

  async function latest(): Promise<Run | undefined> {
    const { runs: found } = await call<{ runs: Run[] }>("GET", `${at}/runs?limit=100`);
    const done = found.filter(({ status }) => ended.has(status));
    return found.length === done.length && done.length > runs ? done[0] : undefined;
  }

  return {
    async run() {
      const end = performance.now() + runTimeoutMs;
      if (runs > 0) await call("POST", `${at}/run`); // the first one starts by itself
      for (;;) {
        const run = await latest();
        if (run) {
          runs += 1;
          return await call<Run>("GET", `${at}/runs/${run.id}`);
        }
        if (performance.now() > end) throw new Error(`${url}: a run has not ended after ${runTimeoutMs / 1000} s`);
        await pause(pollMs);
      }
    },
    accept: async () => void (await call("POST", `${at}/accept`)),
    muted: async () => (await call<{ muted: { name: string; by: string }[] }>("GET", at)).muted,
  };
}
