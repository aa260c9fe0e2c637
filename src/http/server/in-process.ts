/** Sends requests from this process to its own routes without a port. They are treated like requests over a network connection. */

import type { IncomingHttpHeaders, Server } from "node:http";
import { duplexPair } from "node:stream";
import { httpRequest } from "../../shared/node-http.ts";
import { readInChunks } from "../../shared/turns.ts";
import { ownConnections } from "./requests.ts";

export interface OwnRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body?: Buffer;
  /** Client address, for rate limits and logs. */
  ip: string;
  /** Closes the connection. */
  signal: AbortSignal;
}

export interface OwnAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export async function requestOwn(server: Server, { method, path, headers, body, ip, signal }: OwnRequest): Promise<OwnAnswer> {
  const [near, far] = duplexPair();
  ownConnections.set(far, signal);
  // The part of the socket's interface that the server uses.
  server.emit("connection", Object.assign(far, { remoteAddress: ip, setTimeout: () => far }));
  try {
    return await new Promise<OwnAnswer>((resolve, reject) => {
      const sent = httpRequest({ method, path, headers, signal, createConnection: () => near as never }, (response) => {
        const { statusCode: status = 0, headers: received } = response;
        readInChunks(response).then((bytes) => resolve({ status, headers: received, body: bytes }), reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  } finally {
    near.destroy();
  }
}
