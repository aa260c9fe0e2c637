/** Passes a page's plain http request on to its origin, and the answer back. */

import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { ConnectFailed } from "./dial.ts";
import { endToEndHeaders, requestHeaders } from "./forwarded-headers.ts";
import { TooManySockets, type Traffic } from "./traffic.ts";
import { EgressRefused } from "./vet.ts";

/** Chromium takes headers of this size; Node's own limit of 16 KB is too small for some sites' cookies and policies. */
export const headerBytesMax = 256 * 1024;

interface Target {
  host: string;
  port: number;
  /** Host and port as `Host` carries them. */
  authority: string;
  path: string;
}

/**
 * Answers `res` with what the origin answers; closes the browser's connection when it is refused or fails, so that no page is shown.
 * Bodies are piped. The connection to the origin belongs to `traffic`.
 */
export function forward(req: IncomingMessage, res: ServerResponse, traffic: Traffic): void {
  const target = targetOf(req.url ?? "");
  if (!target || req.headers.upgrade !== undefined) {
    traffic.refuse({ host: target?.host ?? "", port: target?.port ?? 0, reason: target ? "upgrade" : "invalid_request" });
    req.socket.destroy();
    return;
  }
  send(req, res, target, traffic);
}

function send(req: IncomingMessage, res: ServerResponse, target: Target, traffic: Traffic): void {
  const { host, port } = target;
  const outgoing = open(req, target, traffic);
  if (!outgoing) {
    traffic.refuse({ host, port, reason: "invalid_request" });
    req.socket.destroy();
    return;
  }
  let tryAgain = false;
  const leave = () => outgoing.destroy();
  res.once("close", leave);
  outgoing.on("response", (incoming) => answer(incoming, res, target, traffic));
  outgoing.on("error", (error) => {
    if (res.headersSent || res.destroyed || traffic.ended) return;
    // An origin may close a kept connection at any moment; a new one is tried, as browsers do (RFC 9110, 9.2.2).
    tryAgain = outgoing.reusedSocket && isRepeatable(req);
    if (!tryAgain && !isRecorded(error)) traffic.refuse({ host, port, reason: "connection_failed" });
  });
  outgoing.once("close", () => {
    res.off("close", leave);
    if (tryAgain) send(req, res, target, traffic);
    else if (!res.headersSent) req.socket.destroy();
  });
  if (!hasBody(req)) return void outgoing.end();
  req.on("data", (chunk: Buffer) => traffic.spend(chunk.length, host, port));
  req.pipe(outgoing);
}

function open(req: IncomingMessage, { host, port, authority, path }: Target, traffic: Traffic): ClientRequest | undefined {
  const chunked = req.headers["transfer-encoding"];
  if (chunked !== undefined && chunked.toLowerCase() !== "chunked") return undefined;
  const headers = requestHeaders(req.rawHeaders, authority, chunked !== undefined);
  try {
    return request({ agent: traffic.agent, host, port, path, method: req.method, headers, maxHeaderSize: headerBytesMax });
  } catch {
    return undefined; // characters that Node does not send
  }
}

function answer(incoming: IncomingMessage, res: ServerResponse, { host, port }: Target, traffic: Traffic): void {
  res.sendDate = false;
  try {
    res.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, endToEndHeaders(incoming.rawHeaders));
  } catch {
    traffic.refuse({ host, port, reason: "invalid_response" });
    incoming.destroy();
    res.destroy();
    return;
  }
  incoming.on("data", (chunk: Buffer) => traffic.spend(chunk.length, host, port));
  // Also closes the browser's connection when the origin breaks off, else a half answer would look whole.
  pipeline(incoming, res, () => {});
}

/** The request's absolute form, as clients send it to a proxy (RFC 9112, 3.2.2); anything else is meant for the lane itself. */
function targetOf(text: string): Target | undefined {
  const [, rest] = /^http:\/\/[^/?#]*([^#]*)/i.exec(text) ?? [];
  if (rest === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.port === "0") return undefined; // Node would dial 80 instead
  // The path goes on as it came: the parser's spelling of it may differ, and origins may care.
  return { host: url.hostname, port: Number(url.port || 80), authority: url.host, path: rest.startsWith("/") ? rest : `/${rest}` };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function isRepeatable(req: IncomingMessage): boolean {
  return !hasBody(req) && /^(GET|HEAD|OPTIONS)$/.test(req.method ?? "");
}

function isRecorded(error: unknown): boolean {
  return error instanceof EgressRefused || error instanceof ConnectFailed || error instanceof TooManySockets;
}
