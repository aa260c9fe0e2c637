/** Calls a service for batches, and goes on when it is away for a while. */

import { setTimeout as delay } from "node:timers/promises";
import { say } from "./cli-command.ts";

export interface BatchFile {
  /** Link; null: it could not be stored. */
  url?: string | null | undefined;
  bytes?: number | undefined;
}

export interface BatchOutput extends BatchFile {
  name: string;
  slices?: BatchFile[];
  error?: { message: string };
}

/** A capture that has ended, as the service tells it. */
export interface BatchResult {
  id: string;
  status: string;
  batch: { index: number; name: string };
  outputs?: BatchOutput[];
  error?: { message: string };
}

export interface BatchClient {
  /** @throws {Error} with the service's message. */
  submit(body: object, idempotencyKey: string): Promise<{ id: string; total: number }>;
  /** Each capture as it ends, once. */
  results(id: string, total: number): AsyncGenerator<BatchResult>;
}

/** The service answered that the request is wrong. */
class Refused extends Error {}

const pauseMs = { first: 500, max: 10_000 };

export function createBatchClient(server: string, key: string): BatchClient {
  const headers = { authorization: `Bearer ${key}` };

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(new URL(path, server), { ...init, headers: { ...headers, ...init.headers } });
    if (response.ok) return response;
    const { message = `status ${response.status}` } = (await response.json().catch(() => ({}))) as { message?: string };
    throw response.status < 500 && response.status !== 429 ? new Refused(message) : new Error(message);
  }

  /** Repeats until the service answers. */
  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let ms = pauseMs.first; ; ms = Math.min(2 * ms, pauseMs.max)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof Refused) throw error;
        say(`${server} does not answer (${(error as Error).message}); trying again.`);
        await delay(ms);
      }
    }
  }

  async function* linesFrom(id: string, after: string | undefined): AsyncGenerator<BatchResult> {
    const response = await call(`/v1/batches/${id}/results?follow=true${after === undefined ? "" : `&after=${after}`}`);
    let rest = "";
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield JSON.parse(line);
    }
  }

  return {
    submit: (body, idempotencyKey) =>
      patiently(async () => {
        const own = { "content-type": "application/json", "idempotency-key": idempotencyKey };
        const response = await call("/v1/batches", { method: "POST", headers: own, body: JSON.stringify(body) });
        return (await response.json()) as { id: string; total: number };
      }),

    async *results(id, total) {
      let after: string | undefined;
      for (let count = 0; count < total; ) {
        try {
          for await (const result of linesFrom(id, after)) {
            after = result.id;
            count += 1;
            yield result;
          }
        } catch (error) {
          if (error instanceof Refused) throw error;
        }
        if (count < total) await delay(pauseMs.first); // it was interrupted: the service restarts, or is away
      }
    },
  };
}
