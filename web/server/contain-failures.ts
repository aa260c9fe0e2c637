/** Keeps failures in the handlers of a connection's events from ending the process, like the API. */

import type { Server } from "node:http";

/** Node emits these while it handles what a client has sent, where nothing would catch an exception. */
const events = new Set<string | symbol>(["connection", "upgrade", "connect", "clientError"]);

/**
 * Closes the connection for whose event a handler throws, rather than end the process.
 * @param report gets what was thrown.
 */
export function containFailures(server: Server, report: (error: unknown) => void): void {
  const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
  const contained: typeof emit = (event, ...args) => {
    if (!events.has(event)) return emit(event, ...args);
    try {
      return emit(event, ...args);
    } catch (error) {
      report(error);
      const socket = args[event === "connection" ? 0 : 1] as { destroy(): void };
      socket.destroy();
      return true;
    }
  };
  server.emit = contained;
}
