/** Reads answers that the service sends line by line, and goes on where a lost connection ended. */

import { type CallOptions, type Calls, pause } from "./calls.ts";
import { TintypeError, unreachable } from "./errors.ts";

const pauseMs = 500;

/** The lines of one answer, empty ones too. @throws {TintypeError} `unreachable` if the connection is lost. */
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

/** A whole answer of this media type, unread. @throws {TintypeError} `unexpected_answer` if it is of another, such as the page of a proxy. */
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
  /** Media type of the answers. */
  type: string;
  /** Where the next answer begins. */
  path(): string;
}

/** The lines of answers, one after the other: each that ends, or is lost, is followed by the next. The caller ends it. */
export async function* followLines(calls: Calls, { path, type, signal, ...options }: Follow): AsyncGenerator<string | typeof answerEnd> {
  for (;;) {
    const response = await bodyOf(calls, { path: path(), type }, { signal, ...options });
    try {
      yield* linesOf(response, signal);
    } catch (error) {
      if (!(error instanceof TintypeError)) throw error;
    }
    yield answerEnd;
    await pause(pauseMs, signal); // the service restarts
  }
}

/** Between two answers. */
export const answerEnd = Symbol("the end of an answer");
