/** Sends requests: adds the key, enforces a deadline, and retries where that is safe. */

import { errorOf, isJson, redirected, TintypeError, timedOut, unexpected, unreachable } from "./errors.ts";

export interface ClientSettings {
  /** The service's URL, including the path prefix of all its routes, if any: `https://screenshots.example.com`. */
  url: string;
  /** API key. */
  key: string;
  /** Limit for a whole call, including retries; 120,000 by default. */
  timeoutMs?: number;
  /** Number of retries after a temporary refusal or a lost connection; 2 by default, 0 for none. */
  retries?: number;
  /** Called before each retry. */
  onRetry?: (error: TintypeError, delayMs: number) => void;
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Overrides the client's setting. */
  timeoutMs?: number | undefined;
  /** Overrides the client's setting. */
  retries?: number | undefined;
}

/** For requests that create something: repeating a request with the same key within a day returns the first one's response. */
export interface CreateOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters, such as a UUID. */
  idempotencyKey?: string | undefined;
}

export interface ApiRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Includes the query. */
  path: string;
  body?: object | undefined;
  idempotencyKey?: string | undefined;
  /**
   * When the request may be retried. `always`: even after a lost connection, for requests that are safe to repeat. `refused`: only after
   * a 429 or 503, for requests that may have had an effect when the connection was lost.
   */
  repeat: "always" | "refused" | "never";
}

export interface Calls {
  /** The result of a successful response, once `read` has read it. @throws {TintypeError}, or the signal's reason. */
  send<T>(request: ApiRequest, options: CallOptions | undefined, read: (response: Response) => Promise<T>): Promise<T>;
  /** The response as JSON: an object accepted by `isIt`, by default one with an id. */
  json<T>(request: ApiRequest, options?: CallOptions, isIt?: (read: object) => boolean): Promise<T>;
  /** Parses a line of a response: an object with an id. @throws {TintypeError} `unexpected_answer` */
  parse<T>(line: string): T;
  /** The error for a response that Tintype never sends. */
  unexpected(status: number): TintypeError;
}

const pauseMs = { first: 500, max: 10_000 };
const defaults = { timeoutMs: 120_000, retries: 2 };
/** The longest time that timers can wait. */
const timerMaxMs = 2 ** 31 - 1;

/** @throws {TypeError} for a URL to which nothing can be sent, or a key that can't be sent. */
export function createCalls({ url, key, onRetry, fetch: own, ...settings }: ClientSettings): Calls {
  assertSendable(url, key);
  const base = url.replace(/\/+$/, "");

  async function attempt<T>(request: ApiRequest, read: (response: Response) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { method, path, body, idempotencyKey } = request;
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body ? { "content-type": "application/json" } : {}),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
    try {
      const content = body ? { body: JSON.stringify(body) } : {};
      const response = await (own ?? fetch)(base + path, { method, headers, signal, redirect: "manual", ...content });
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) throw redirected(url, response);
      if (!response.ok) throw await errorOf(response);
      return await read(response);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof TintypeError ? error : unreachable(url, error);
    }
  }

  async function send<T>(request: ApiRequest, options: CallOptions = {}, read: (response: Response) => Promise<T>): Promise<T> {
    const { signal, timeoutMs = settings.timeoutMs ?? defaults.timeoutMs, retries = settings.retries ?? defaults.retries } = options;
    const deadlineAt = performance.now() + timeoutMs;
    let last: unknown;
    for (let tries = 0; ; tries += 1) {
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(timedOut(timeoutMs, last)), Math.min(deadlineAt - performance.now(), timerMaxMs));
      try {
        return await attempt(request, read, signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal);
      } catch (error) {
        if (tries >= retries || !mayRepeat(request, error)) throw error;
        last = error;
        const delayMs = Math.max(backoffMs(tries), (error.retryAfterSeconds ?? 0) * 1000);
        if (performance.now() + delayMs >= deadlineAt) throw error; // a response after the deadline would be of no use
        onRetry?.(error, delayMs);
        await pause(delayMs, signal);
      } finally {
        clearTimeout(timer);
      }
    }
  }

  const parse = <T>(text: string, isIt: (read: object) => boolean = hasId, status = 200): T => {
    let read: unknown;
    try {
      read = JSON.parse(text);
    } catch {}
    if (typeof read !== "object" || read === null || !isIt(read)) throw unexpected(url, status);
    return read as T;
  };

  return {
    send,
    json: (request, options, isIt) =>
      send(request, options, async (response) => {
        if (response.status === 204 && request.method === "DELETE") return undefined as never;
        if (isJson(response.headers)) return parse(await response.text(), isIt, response.status);
        await response.body?.cancel();
        throw unexpected(url, response.status);
      }),
    parse: (line) => parse(line),
    unexpected: (status) => unexpected(url, status),
  };
}

/** Errors that the page caused have status 400: they are `retryable`, but whether and when to try again is the caller's decision. */
function mayRepeat({ repeat }: ApiRequest, error: unknown): error is TintypeError {
  if (repeat === "never" || !(error instanceof TintypeError) || !error.retryable || error.code === "timeout") return false;
  return error.status === 429 || error.status === 503 || (repeat === "always" && (error.status === 0 || error.status >= 500));
}

/** Random, so that many clients don't retry at the same moment. */
function backoffMs(tries: number): number {
  return Math.min(pauseMs.first * 2 ** tries, pauseMs.max) * (0.5 + Math.random() / 2);
}

/** Rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      },
      Math.min(ms, timerMaxMs),
    );
    signal?.addEventListener("abort", abort, { once: true });
  });
}

function hasId(read: { id?: unknown }): boolean {
  return typeof read.id === "string";
}

/** The path of the item with this `id` among `things`. @throws {TypeError} for text that would lead to another path. */
export function pathOf(things: "captures" | "batches" | "sessions" | "destinations" | "watches", id: string): string {
  if (!/^[\w-]+$/.test(id)) throw new TypeError(`An id has letters, digits and dashes, as ${things} have it; not ${JSON.stringify(id)}.`);
  return `/v1/${things}/${id}`;
}

/** The items of a list, page by page. @param name the member of each page that contains its items. */
export async function* pagesOf<T extends { id: string }>(
  { json }: Calls,
  path: string,
  name: string,
  query: Record<string, string | undefined>,
  options: CallOptions,
): AsyncGenerator<T> {
  let before: string | undefined;
  do {
    const request = { method: "GET", path: path + queryOf({ ...query, before }), repeat: "always" } as const;
    const isPage = (read: object) => Array.isArray((read as Record<string, unknown>)[name]);
    const page = await json<Record<string, T[]> & { next_cursor: string | null }>(request, options, isPage);
    yield* page[name] ?? [];
    if (page.next_cursor === before) return; // otherwise it would return the same page again and again
    before = page.next_cursor ?? undefined;
  } while (before !== undefined);
}

function assertSendable(url: string, key: string): void {
  const { protocol = "", username, password } = URL.canParse(url) ? new URL(url) : {};
  if (username || password) throw new TypeError("The service's URL must have no user name and no password.");
  // The URL is not repeated, because it may contain the key.
  if (!/^https?:$/.test(protocol) || /[?#]/.test(url))
    throw new TypeError("The service must be an http or https URL without a query, such as https://screenshots.example.com.");
  if (!/^[\x21-\x7e]+$/.test(key ?? "")) throw new TypeError("The API key is missing, or has characters that no API key has.");
}

/** For requests that don't specify one. Uses `getRandomValues`, because `crypto.randomUUID` is missing on pages without TLS. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `?a=1&b=2`, without undefined values. */
export function queryOf(parameters: Record<string, string | number | boolean | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
  return query && `?${query}`;
}
