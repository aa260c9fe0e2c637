/** Calls a service for batches, and goes on when it is away for a while. */

import { setTimeout as delay } from "node:timers/promises";
import { say, UsageError } from "./cli-command.ts";

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
  /** ISO 8601. */
  ended_at: string;
  batch: { index: number; name: string };
  outputs?: BatchOutput[];
  error?: { message: string };
}

export interface BatchClient {
  /** Waits while the service is away. @throws {Error} with the service's message, or that it stays away. */
  submit(body: object, idempotencyKey: string): Promise<{ id: string; total: number }>;
  /** Each capture as it ends, once. */
  results(id: string, total: number): AsyncGenerator<BatchResult>;
}

/** The service is busy or away: the same request may succeed later. */
class Away extends Error {
  /** Milliseconds that it asked for. */
  readonly pauseMs: number;

  constructor(message: string, pauseMs = 0) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

const pauseMs = { first: 500, max: 10_000, longest: 120_000 };
/** Streams without a result before a batch that is done counts as read. */
const triesMax = 3;
/** What connections fail with that may work later. */
const temporary = /^(ECONN|EPIPE$|ETIMEDOUT$|EAI_AGAIN$|ENETDOWN$|ENETUNREACH$|EHOSTUNREACH$|UND_ERR_)/;

/**
 * @param server its address, with the path that all its routes begin with, if any.
 * @param waitMs how long a service that is away is waited for.
 * @throws {UsageError} for an address or a key that can't be sent to or sent.
 */
export function createBatchClient(server: string, key: string, waitMs: number): BatchClient {
  const { call, unreached, hasAnswered, pause } = createConnection(server, key, waitMs);

  async function* linesFrom(id: string, after: string | undefined): AsyncGenerator<BatchResult> {
    const response = await call(`/v1/batches/${id}/results?follow=true${after === undefined ? "" : `&after=${after}`}`);
    if (!response.body) return;
    let rest = "";
    for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
      const { value } = await reader.read().catch(unreached);
      if (value === undefined) return;
      hasAnswered();
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield JSON.parse(line);
    }
  }

  return {
    async submit(body, idempotencyKey) {
      const own = { "content-type": "application/json", "idempotency-key": idempotencyKey };
      for (let tries = 0; ; tries += 1) {
        try {
          const response = await call("/v1/batches", { method: "POST", headers: own, body: JSON.stringify(body) });
          const { id, total } = await response.json().catch(() => ({}));
          if (typeof id !== "string") throw new Error(`${server} is not a Tintype service: it answered with something else than a batch.`);
          return { id, total };
        } catch (error) {
          await pause(error, tries);
        }
      }
    },

    async *results(id, total) {
      let after: string | undefined;
      for (let count = 0, tries = 0; count < total; tries += 1) {
        // A stream ends early while the service restarts. If several bring nothing, there is nothing more.
        if (
          tries >= triesMax &&
          (await call(`/v1/batches/${id}`)
            .then(isDone)
            .catch(() => false))
        )
          throw new Error(`${total - count} of ${total} captures are no longer kept. Send the list with --again.`);
        try {
          for await (const result of linesFrom(id, after)) {
            [after, tries] = [result.id, 0];
            count += 1;
            yield result;
          }
          if (count < total) await delay(pauseMs.first); // the service restarts
        } catch (error) {
          await pause(error, tries);
        }
      }
    },
  };
}

/** Calls of the service, and pauses while it is away. */
function createConnection(server: string, key: string, waitMs: number) {
  assertSendable(server, key);
  const base = server.replace(/\/+$/, "");
  let answeredAt = performance.now();
  const headers = { authorization: `Bearer ${key}` };
  const unreached = (error: Error) => notReached(server, error);

  /** @throws {Away}, or an error that repeating doesn't change. */
  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(base + path, { ...init, headers: { ...headers, ...init.headers } }).catch(unreached);
    if (response.ok) {
      answeredAt = performance.now();
      return response;
    }
    throw await refusalOf(server, response);
  }

  /** Waits before the next of several tries in a row. @throws `error` unless it is temporary, and the service may be waited for. */
  async function pause(error: unknown, tries: number): Promise<void> {
    if (!(error instanceof Away)) throw error;
    const reason = error.message.replace(/\.$/, "");
    const leftMs = answeredAt + waitMs - performance.now();
    if (leftMs <= 0)
      throw new Error(`${server} has not answered for ${Math.round(waitMs / 1000)} s (${reason}). Run the command again to go on.`);
    say(`${server} does not answer (${reason}); trying again.`);
    const own = Math.min(pauseMs.first * 2 ** tries, pauseMs.max);
    await delay(Math.min(Math.max(own, Math.min(error.pauseMs || 0, pauseMs.longest)), leftMs));
  }

  const hasAnswered = () => {
    answeredAt = performance.now();
  };
  return { call, unreached, hasAnswered, pause };
}

function assertSendable(server: string, key: string): void {
  const { protocol = "", search, hash } = URL.parse(server) ?? {};
  if (!/^https?:$/.test(protocol) || search || hash)
    throw new UsageError(`The server must be an http or https URL, such as https://screenshots.example.com, not ${server}.`);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError("TINTYPE_API_KEY has characters that no API key has.");
}

async function isDone(response: Response): Promise<boolean> {
  return (await response.json()).status === "done";
}

async function refusalOf(server: string, response: Response): Promise<Error> {
  const { message = `${server} answered with status ${response.status}` } = (await response.json().catch(() => ({}))) as {
    message?: string;
  };
  const isAway = response.status >= 500 || response.status === 429;
  return isAway ? new Away(message, Number(response.headers.get("retry-after")) * 1000) : new Error(message);
}

/** `fetch` has the reason of its errors as their cause. */
function notReached(server: string, error: Error): never {
  const { code = "", message = error.message } = (error.cause ?? error) as { code?: string; message?: string };
  throw temporary.test(code) ? new Away(message || code) : new Error(`${server} can't be reached: ${message || code}.`);
}
