/** Requests screenshots over HTTP, like a caller. */

import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** From the request to the response's last byte. */
  ms: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const timeoutMs = 90_000;

/** Never rejects: a failure without a response has status 0 and its message as body. */
export function ask(url: string, headers: Record<string, string>): Promise<Answer> {
  const since = performance.now();
  const answer = (status: number, answered: IncomingHttpHeaders, body: Buffer): Answer => ({
    status,
    headers: answered,
    body,
    ms: performance.now() - since,
  });
  return new Promise((resolve) => {
    const asked = request(url, { agent, headers, timeout: timeoutMs }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(answer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))));
      response.on("error", (error) => resolve(answer(0, {}, Buffer.from(error.message))));
    });
    asked.on("timeout", () => asked.destroy(new Error(`no answer after ${timeoutMs / 1000} s`)));
    asked.on("error", (error) => resolve(answer(0, {}, Buffer.from(error.message))));
    asked.end();
  });
}

/** Why a response is not an image; undefined if its headers say it is. */
export function refusal({ status, body }: Answer): string | undefined {
  return status === 200 ? undefined : `${status} ${body.toString().slice(0, 120)}`;
}
