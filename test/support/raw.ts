/** A raw HTTP client: sends arbitrary bytes and parses the responses. */

import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
}

export interface Exchange {
  /** Written in separate chunks. */
  pieces: (string | Uint8Array)[];
  /** Ends the sending side after the last chunk. */
  halfClose?: boolean;
  /** Methods of the requests, needed to parse a response to HEAD. */
  methods?: string[];
}

const timeoutMs = 60_000;

/** All responses until the server closes. @throws {Error} after a minute, or if a response is not HTTP. */
export async function exchange(origin: string, { pieces, halfClose = false, methods = [] }: Exchange): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const closed = Promise.withResolvers<void>();
  const what = Buffer.concat(pieces.map(bytesOf)).toString("latin1");
  const late = () => closed.reject(new Error(`no end after ${timeoutMs} ms: ${JSON.stringify(what.slice(0, 500))}`));
  const timer = setTimeout(late, timeoutMs);
  socket
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("error", () => {}) // a server may close the connection while it is still being written to
    .on("close", () => closed.resolve());
  try {
    for (const piece of pieces) {
      if (socket.destroyed) break;
      await new Promise<void>((resolve) => void socket.write(bytesOf(piece), () => setImmediate(resolve)));
    }
    if (halfClose) socket.end();
    await closed.promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  return parseAnswers(Buffer.concat(chunks), methods);
}

function bytesOf(piece: string | Uint8Array): Buffer {
  return typeof piece === "string" ? Buffer.from(piece, "latin1") : Buffer.from(piece);
}

/** Parses consecutive responses (RFC 9112, 6.3). */
function parseAnswers(bytes: Buffer, methods: string[]): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf("\r\n\r\n", at);
    const [start = "", ...lines] = bytes.toString("latin1", at, headEnd === -1 ? bytes.length : headEnd).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(start)?.[1]);
    if (headEnd === -1 || Number.isNaN(status)) throw new Error(`not an HTTP response: ${JSON.stringify(start.slice(0, 500))}`);
    at = headEnd + 4;
    if (status === 100) continue;
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const { body, end } = readBody(bytes, at, status, headers, methods[answers.length] === "HEAD");
    at = end;
    answers.push({ status, headers, body });
  }
  return answers;
}

function readBody(bytes: Buffer, at: number, status: number, headers: Record<string, string>, isHead: boolean) {
  if (isHead || status === 204 || status === 304) return { body: Buffer.alloc(0), end: at };
  if (headers["transfer-encoding"] === "chunked") return readChunks(bytes, at);
  const end = headers["content-length"] === undefined ? bytes.length : at + Number(headers["content-length"]);
  if (!(end <= bytes.length)) throw new Error(`the response is shorter than its Content-Length, ${headers["content-length"]}`);
  return { body: bytes.subarray(at, end), end };
}

function readChunks(bytes: Buffer, start: number) {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (lineEnd === -1 || Number.isNaN(size)) throw new Error("a chunk without a size");
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { body: Buffer.concat(parts), end: at };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
  }
}
