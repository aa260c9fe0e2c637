/** Requests screenshots over HTTP, like a caller. */

import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Milliseconds from the request to the response's last byte. */
  ms: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const timeoutMs = 90_000;

/** Never rejects: a failure without a response has status 0 and its message as body. */
export function requestScreenshot(url: string, headers: Record<string, string>): Promise<Answer> {
  return exchange(url, { headers });
}

/** Sends `body` as JSON. Never rejects either. */
export function requestJson(url: string, headers: Record<string, string>, body: object): Promise<Answer> {
  return exchange(url, { method: "POST", headers: { ...headers, "content-type": "application/json" } }, JSON.stringify(body));
}

function exchange(url: string, options: { method?: string; headers: Record<string, string> }, content?: string): Promise<Answer> {
  const since = performance.now();
  const answer = (status: number, answered: IncomingHttpHeaders, body: Buffer): Answer => ({
    status,
    headers: answered,
    body,
    ms: performance.now() - since,
  });
  return new Promise((resolve) => {
    const sent = request(url, { agent, ...options, timeout: timeoutMs }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(answer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))));
      response.on("error", (error) => resolve(answer(0, {}, Buffer.from(error.message))));
    });
    sent.on("timeout", () => sent.destroy(new Error(`no response after ${timeoutMs / 1000} s`)));
    sent.on("error", (error) => resolve(answer(0, {}, Buffer.from(error.message))));
    sent.end(content);
  });
}

/** A failed response, in one line; undefined for status 200. */
export function refusal({ status, body }: Answer): string | undefined {
  return status === 200 ? undefined : `${status} ${body.toString().slice(0, 120)}`;
}
