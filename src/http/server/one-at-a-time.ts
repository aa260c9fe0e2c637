/** Limits pipelined requests. */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressBucket } from "../../accounts/usage/rate-limit.ts";
import { createOwnerSums } from "../../shared/owner-sums.ts";
import { hasBody } from "./requests.ts";

/**
 * Limits on a connection's queued requests, and on those of an address (of IPv6, of a network) and of all addresses, of which an address
 * gets no more than it leaves to others. The few HTTP clients that pipeline send fewer. When connections are closed together, Node ends all
 * of their requests in one turn, 20 µs each.
 */
const waitingMax = { requests: 100, headBytes: 256 * 1024, ofAddress: 1_000, all: 5_000 };
/** Memory for each header line besides its characters. */
const lineOverhead = 50;

/**
 * Handles a connection's pipelined requests one at a time, each in its own turn of the event loop. Node would start all of them on receipt:
 * thousands of one client's requests would run, with their responses in memory, before any other client is served. Call this after all
 * `request` listeners have been added. `web/server` has a simpler version of this function. The server must be created with
 * `requireHostHeader: false`, and check `Host` itself: Node would answer such requests on receipt, which nothing counts.
 */
export function runOneAtATime(server: Server): void {
  const listeners = server.listeners("request") as RequestListener[];
  const connections = new WeakMap<Socket, Waiting[]>();
  const addresses = new WeakMap<Socket, string>();
  const byAddress = createOwnerSums();
  const drop = (socket: Socket) => {
    byAddress.add(addressOf(socket), -(connections.get(socket)?.splice(0).length ?? 0));
  };
  const addressOf = (socket: Socket) => addresses.get(socket) ?? "";
  server.on("connection", (socket) => {
    addresses.set(socket, addressBucket(socket.remoteAddress));
    socket.once("close", () => drop(socket));
  });

  const run = (socket: Socket, request: IncomingMessage, response: ServerResponse) => {
    // `request.socket` may be null by then: Node clears it when a stream utility destroys the request.
    response.on("close", () => {
      if (connections.get(socket)?.length) setImmediate(runNext, socket);
      else connections.delete(socket); // a later request gets its own turn anyway
    });
    for (const listener of listeners) listener.call(server, request, response);
  };
  /** Nothing runs after a response that closes the connection, or once the client has disconnected. */
  const runNext = (socket: Socket) => {
    const next = socket.writable ? connections.get(socket)?.shift() : undefined;
    if (next) {
      byAddress.add(addressOf(socket), -1);
      socket.setTimeout(0); // clears the previous response's timeout, which Node does only if no request is queued
      run(socket, next.request, next.response);
      socket.resume();
    } else {
      drop(socket); // before it is forgotten: a response that closes the connection ends before that
      connections.delete(socket);
    }
  };
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const waiting = connections.get(socket);
    if (waiting === undefined) {
      connections.set(socket, []);
      run(socket, request, response);
      return;
    }
    const headBytes = request.rawHeaders.reduce((sum, text) => sum + text.length + lineOverhead / 2, request.url?.length ?? 0);
    const address = addressOf(socket);
    waiting.push({ request, response, headBytes });
    byAddress.add(address, 1);
    if (hasBody(request)) socket.pause(); // its body would stay in memory, and is counted only once it runs
    const isTooMuch = waiting.reduce((sum, one) => sum + one.headBytes, 0) > waitingMax.headBytes;
    const areTooMany = byAddress.of(address) > Math.min(waitingMax.ofAddress, waitingMax.all - byAddress.total());
    if (isTooMuch || areTooMany || waiting.length > waitingMax.requests) {
      drop(socket);
      discard(socket);
    }
  });
  // Node would answer these on receipt, too. RFC 9110, 10.1.1: an unsupported expectation may be ignored.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

interface Waiting {
  request: IncomingMessage;
  response: ServerResponse;
  /** Memory that the URL and headers take. */
  headBytes: number;
}

/** Destroys the connection and drops the input already read from it, up to 64 KB or 3,600 requests. Otherwise, Node would parse it all. */
function discard(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  // Not a public API: a version of Node without this callback parses the rest. 2 stands for an upgrade, after which there is no more HTTP.
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
}
