/** Finds out which TCP ports of this machine's loopback address are free. */

import { createServer } from "node:net";

/** A port that nobody listens on now; somebody else may take it before the caller does. */
export async function freePort(): Promise<number> {
  return listenOnce(0);
}

/** Whether a service could listen on `port` of `host` now. */
export async function isFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return listenOnce(port, host).then(
    () => true,
    () => false,
  );
}

function listenOnce(port: number, host = "127.0.0.1"): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}
