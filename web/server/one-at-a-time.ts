/**
 * Handles a connection's pipelined requests one at a time, each in its own turn of the event loop. Node would start all of them on
 * receipt: thousands of requests from one client would run, with their responses in memory, before any other client is served.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./client-limits.ts";

/**
 * Limits on a connection's queued requests, and on those of an address (of IPv6, of a network) and of all addresses, of which an address
 * gets no more than it leaves to others. The few HTTP clients that pipeline send fewer. When connections are closed together, Node ends all
 * of their requests in one turn, 20 µs each.
 */
const waitingMax = { requests: 100, headBytes: 256 * 1024, ofAddress: 1_000, all: 5_000 };
/** Memory for each header line besides its characters. */
const lineOverhead = 50;

interface Waiting {
  request: IncomingMessage;
  response: ServerResponse;
  /** Memory that the URL and headers take. */
  headBytes: number;
}

/**
 * Call this after all listeners for `request` have been added. The server must be created with `requireHostHeader: false`, and check `Host`
 * itself: Node would answer such requests on receipt, which nothing counts.
 */
export function runOneAtATime(server: Server): void {
  const listeners = server.listeners("request") as RequestListener[];
  const connections = new WeakMap<Socket, Waiting[]>();
  const addresses = new WeakMap<Socket, string>();
  const byAddress = new Map<string, number>();
  let all = 0;
  const count = (address: string, by: number) => {
    all += by;
    const sum = (byAddress.get(address) ?? 0) + by;
    if (sum > 0) byAddress.set(address, sum);
    else byAddress.delete(address);
    return sum;
  };
  const addressOf = (socket: Socket) => addresses.get(socket) ?? "";
  const drop = (socket: Socket) => void count(addressOf(socket), -(connections.get(socket)?.splice(0).length ?? 0));
  server.on("connection", (socket) => {
    addresses.set(socket, networkOf(socket.remoteAddress ?? "closed"));
    socket.once("close", () => drop(socket));
  });

  const run = (socket: Socket, request: IncomingMessage, response: ServerResponse) => {
    // `request.socket` may be null by then: Node clears it when a stream utility destroys the request.
    response.once("close", () => setImmediate(runNext, socket));
    for (const listener of listeners) listener.call(server, request, response);
  };
  /** Nothing runs after a response that closes the connection, or once the client has disconnected. */
  const runNext = (socket: Socket) => {
    const next = socket.writable ? connections.get(socket)?.shift() : undefined;
    if (next) {
      count(addressOf(socket), -1);
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
    waiting.push({ request, response, headBytes: headBytesOf(request) });
    if (hasBody(request)) socket.pause(); // its body would stay in memory, and is counted only once it runs
    const headBytes = waiting.reduce((sum, one) => sum + one.headBytes, 0);
    const ofAddress = count(addressOf(socket), 1);
    const areTooMany = ofAddress > Math.min(waitingMax.ofAddress, waitingMax.all - all);
    if (waiting.length <= waitingMax.requests && headBytes <= waitingMax.headBytes && !areTooMany) return;
    drop(socket);
    discard(socket);
  });
  // Node would answer these on receipt, too. RFC 9110, 10.1.1: an unsupported expectation may be ignored.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function headBytesOf({ url = "", rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + lineOverhead / 2, url.length);
}

/** Destroys the connection and drops what has been read from it, of which Node would parse all: up to 64 KB, or 3,600 requests. */
function discard(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  // Not public: a version of Node without this callback parses the rest. 2 stands for an upgrade, after which there is no more HTTP.
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
}
