/**
 * Limits the sign-in library's requests to the identity provider. The library has no setting for that: it calls the global `fetch`, without
 * a deadline, and reads responses however long they are.
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** Discovery documents, keys, tokens and profiles have a few kilobytes. */
const responseBytesMax = 1_000_000;

const deadlines = new AsyncLocalStorage<AbortSignal>();
const plainFetch = globalThis.fetch;

/** Runs `work`. Its requests end when `signal` aborts. A response with more than a megabyte fails. */
export function withLimitedFetch<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  globalThis.fetch = limitedFetch;
  return deadlines.run(signal, work);
}

/** Like `fetch`, outside of {@link withLimitedFetch}. */
const limitedFetch: typeof fetch = async (input, init) => {
  const deadline = deadlines.getStore();
  if (!deadline) return await plainFetch(input, init);
  const signal = AbortSignal.any([deadline, ...(init?.signal ? [init.signal] : [])]);
  const response = await plainFetch(input, { ...init, signal });
  if (!response.body) return response;
  const { url, redirected } = response;
  const limited = new Response(response.body.pipeThrough(limit()), response);
  return Object.defineProperties(limited, { url: { value: url }, redirected: { value: redirected } });
};

function limit(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > responseBytesMax) controller.error(new Error("the identity provider's response is longer than a megabyte"));
      else controller.enqueue(chunk);
    },
  });
}
