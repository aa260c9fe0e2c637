/** Reads responses that the service sends line by line, and resumes after a lost connection. */

import { type CallOptions, type Calls, pause } from "./calls.ts";
import { TintypeError, unreachable } from "./errors.ts";

const pauseMs = 500;

/** The lines of one response, including empty ones. @throws {TintypeError} `unreachable` if the connection is lost. */
async function* linesOf({ body, url }: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const reader = body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((error) => {
        signal?.throwIfAborted();
        throw unreachable(new URL(url).origin, error);
      });
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * A successful response with this media type, with its body unread. @throws {TintypeError} `unexpected_answer` if it has another type,
 * such as a proxy's page.
 */
export async function bodyOf(
  { send, unexpected }: Calls,
  { path, type }: { path: string; type: string },
  options: CallOptions | undefined,
): Promise<Response> {
  return await send({ method: "GET", path, repeat: "always" }, options, async (response) => {
    if (response.headers.get("content-type")?.split(";", 1)[0] === type) return response;
    await response.body?.cancel();
    throw unexpected(response.status);
  });
}

interface Follow extends CallOptions {
  /** Media type of the responses. */
  type: string;
  /** The path at which the next response starts. */
  path(): string;
}

/** The lines of consecutive responses: each response that ends or is lost is followed by the next one. The caller ends the iteration. */
export async function* followLines(calls: Calls, { path, type, signal, ...options }: Follow): AsyncGenerator<string | typeof answerEnd> {
  for (;;) {
    const response = await bodyOf(calls, { path: path(), type }, { signal, ...options });
    try {
      yield* linesOf(response, signal);
    } catch (error) {
      if (!(error instanceof TintypeError)) throw error;
    }
    yield answerEnd;
    await pause(pauseMs, signal); // the service may be restarting
  }
}

/** Separates two responses. */
export const answerEnd = Symbol("the end of an answer");
