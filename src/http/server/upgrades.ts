/** WebSocket upgrades, which are routed, checked, logged and refused like any other request. */

import type { IncomingMessage, ServerResponse as Response } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { AppError } from "../../shared/errors.ts";
import { ServerResponse } from "../../shared/node-http.ts";
import { endWithUpgrade, hasBody } from "./requests.ts";

interface Upgrade {
  /** For a request with a body, this is a stream without `setTimeout`, used only to refuse the request. */
  socket: Socket;
  /** Bytes received after the request. */
  head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Routes WebSocket requests through `app`, whose routes accept them with the function from `createAccept`. */
export function routeUpgrades(app: FastifyInstance): void {
  app.server.on("upgrade", (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => {}); // followed by "close"
    if (unansweredOn(raw.socket)) {
      raw.socket.once("timeout", () => raw.socket.destroy()); // Node no longer does this
      return endOnceAnswered(raw.socket);
    }
    const response = new ServerResponse(raw);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => endRefused(socket));
    upgrades.set(raw, { socket, head });
    app.routing(raw, response);
  });
}

/** The response to an earlier request of the connection that has not been sent yet. Not a public API. */
const unansweredOn = (socket: Socket): Response | undefined => (socket as { _httpMessage?: Response | null })._httpMessage ?? undefined;

/**
 * Closes a connection once the requests before an upgrade have been answered, without an answer to the upgrade: no WebSocket client sends
 * anything before it.
 */
function endOnceAnswered(socket: Socket): void {
  const unanswered = unansweredOn(socket);
  // By the time a response closes, the next one has taken its place.
  if (unanswered && !socket.destroyed) unanswered.once("close", () => endOnceAnswered(socket));
  else endRefused(socket);
}

/** How long the client of a refused request may take to read the response and close its side. */
const refusedTimeoutMs = 2_000;

/** Closes the socket, which the HTTP server no longer manages, even if the client never closes its side. */
function endRefused(socket: Socket): void {
  socket.end();
  socket.resume(); // otherwise we wouldn't notice the client closing its side
  const timer = setTimeout(() => socket.destroy(), refusedTimeoutMs);
  socket.once("close", () => clearTimeout(timer));
}

/** @throws {AppError} `invalid_parameters` unless the request is a valid WebSocket handshake. */
export function assertUpgrade({ raw, headers }: FastifyRequest): void {
  const isComplete =
    upgrades.has(raw) &&
    raw.method === "GET" &&
    !hasBody({ headers }) &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers["sec-websocket-key"] ?? "") &&
    headers["sec-websocket-version"] === "13";
  if (!isComplete) throw new AppError("invalid_parameters", { message: "Connect to this path with a WebSocket (RFC 6455)." });
}

/** Accepts a connection, with additional headers in the response. */
type Accept = (request: FastifyRequest, reply: FastifyReply, headers: Record<string, string>) => WebSocket | undefined;

/**
 * Maximum number of reads, and of frames, for one message: ws takes chunks off the front of a list, and V8 moves a list of over 16,384
 * elements each time. 8 MB in packets of 1,400 bytes are 6,000 chunks.
 */
const chunksMax = 8_192;

/** @param messageBytesMax a longer message closes the connection with code 1009. */
export function createAccept(messageBytesMax: number): Accept {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytesMax,
    maxBufferedChunks: chunksMax,
    maxFragments: chunksMax,
    allowSynchronousEvents: false, // other requests are served between messages
  });
  return (request, reply, headers) => {
    const { raw } = request;
    const { socket, head } = upgrades.get(raw) as Upgrade;
    reply.hijack();
    reply.raw.detachSocket(socket);
    endWithUpgrade(reply);
    const addHeaders = (lines: string[]) => lines.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`));
    server.once("headers", addHeaders); // `handleUpgrade` sends them synchronously
    let accepted: WebSocket | undefined;
    server.handleUpgrade(raw, socket, head, (opened) => {
      accepted = opened; // called synchronously
    });
    server.off("headers", addHeaders);
    return accepted;
  };
}
