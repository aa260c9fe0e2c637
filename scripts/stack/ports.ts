/** Finds out which TCP ports of this machine's loopback address are free. */

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections and to servers that ask for any port. */
const range = { min: 10_000, max: 32_000 };

/**
 * A random port that nothing listens on now. Nobody else gets it until the caller listens, but for another caller of this
 * function that draws the same number.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.min, range.max);
    if (await isFree(port)) return port;
  }
}

/** Whether a service could listen on `port` of `host` now. */
export async function isFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return listenOnce(port, host).then(
    () => true,
    () => false,
  );
}

function listenOnce(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve()));
  });
}
