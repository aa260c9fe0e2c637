/** A thread that builds and sends requests, so that the CPU time of the thread under test is its own. */

import { Agent, request } from "node:http";
import { parentPort, Worker } from "node:worker_threads";

export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The body: text, and text that is repeated until it has `bytes` bytes. */
  body?: readonly (string | { repeat: string; bytes: number })[];
}

export interface Answer {
  /** 0 if the connection was closed instead. */
  status: number;
  text: string;
}

/** How much of a response to keep, in bytes. */
const shownMax = 500;

export function startSender(): { send(sent: Sent & { origin: string }): Promise<Answer>; stop(): Promise<unknown> } {
  const worker = new Worker(new URL(import.meta.url));
  let answered: (answer: Answer) => void = () => {};
  worker.on("message", (answer: Answer) => answered(answer));
  return {
    send: (sent) =>
      new Promise((resolve) => {
        answered = resolve;
        worker.postMessage(sent);
      }),
    stop: () => worker.terminate(),
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

parentPort?.on("message", ({ origin, method, path, headers, body }: Sent & { origin: string }) => {
  const end = (status: number, text: string) => parentPort?.postMessage({ status, text } satisfies Answer);
  const bytes = Buffer.concat((body ?? []).map((part) => (typeof part === "string" ? Buffer.from(part) : repeated(part))));
  const sizes = body ? { "content-length": String(bytes.length) } : {};
  const outgoing = request(origin + path, { method, headers: { ...headers, ...sizes }, agent }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk) => chunks.push(chunk));
    response.on("close", () => end(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8", 0, shownMax)));
  });
  outgoing.on("error", (error) => end(0, error.message));
  outgoing.end(bytes);
});

function repeated({ repeat, bytes }: { repeat: string; bytes: number }): Buffer {
  return Buffer.alloc(Math.floor(bytes / Buffer.byteLength(repeat)) * Buffer.byteLength(repeat), repeat);
}
