/** A server that receives webhooks, and the settings with which a service under test can reach it. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Scope } from "../support/scope.ts";

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  port: number;
  /** `127.0.0.1:port` */
  host: string;
  /** Complete requests, in order. */
  received: Received[];
  /** Number of connections so far. */
  connections(): number;
  /** How the next requests are answered; with status 204 by default. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

/** `t` stops it when the test ends. @param tls for https. */
export async function startReceiver(t: Scope, tls?: Pick<ServerOptions, "key" | "cert">): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    receiver.received.push({
      method: String(request.method),
      path: String(request.url),
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    });
    receiver.answer(request, response);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void handle(request, response).catch(() => {});
  const server = tls ? createSecureServer(tls, onRequest) : createServer(onRequest);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const receiver: Receiver = {
    port,
    host: `127.0.0.1:${port}`,
    received: [],
    connections: () => connections,
    answer: (_request, response) => void response.writeHead(204).end(),
  };
  return receiver;
}
