/**
 * Runs the requests of a connection one after the other, each in its own turn of the event loop. Node runs all that it has received: a client
 * that pipelines them would have thousands run, and their responses in memory, before anyone else is served.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of a connection that wait; HTTP clients that pipeline at all send fewer. */
const waitingMax = 100;

/** For a server whose listeners of `request` have been added. */
export function runOneAtATime(server: Server): void {
  const listeners = server.listeners("request") as RequestListener[];
  const connections = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();

  const run = (request: IncomingMessage, response: ServerResponse) => {
    response.once("close", () => setImmediate(goOn, request.socket));
    for (const listener of listeners) listener.call(server, request, response);
  };
  /** A response that closes its connection, or whose client has left, is the last one. */
  const goOn = (socket: Socket) => {
    const next = socket.writable ? connections.get(socket)?.shift() : undefined;
    if (next) {
      socket.setTimeout(0); // that of the response before, which Node resets only when nothing is waiting
      run(...next);
    } else connections.delete(socket);
  };
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const waiting = connections.get(socket);
    if (waiting === undefined) {
      connections.set(socket, []);
      run(request, response);
    } else if (waiting.push([request, response]) > waitingMax) {
      connections.set(socket, []); // what is received already is dropped
      socket.destroy();
    }
  });
}
