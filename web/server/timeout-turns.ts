/** Spreads the ends of requests that didn't arrive in time over several turns of the event loop, like the API. */

import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Maximum time per turn, in milliseconds: about 500 connections. */
const turnMs = 10;

/**
 * Every few seconds, Node looks for requests that haven't arrived in time, and emits `clientError` for all of them in one turn. Responding to
 * one and closing its connection takes 20 µs, so that thousands of incomplete requests would stop the process.
 */
export function limitTimeouts(server: Server): void {
  const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
  const waiting = new Map<Socket, NodeJS.ErrnoException>();
  const emitSome = () => {
    const end = performance.now() + turnMs;
    for (const [socket, error] of waiting) {
      if (performance.now() >= end) break;
      waiting.delete(socket);
      if (!socket.destroyed && !emit("clientError", error, socket)) socket.destroy();
    }
    if (waiting.size > 0) setImmediate(emitSome);
  };
  const limited: typeof emit = (event, ...args) => {
    const [error, socket] = args as [NodeJS.ErrnoException, Socket];
    if (event !== "clientError" || error.code !== "ERR_HTTP_REQUEST_TIMEOUT") return emit(event, ...args);
    if (waiting.size === 0) setImmediate(emitSome);
    socket.pause(); // it is too late for the rest
    waiting.set(socket, error);
    return true;
  };
  server.emit = limited;
}
