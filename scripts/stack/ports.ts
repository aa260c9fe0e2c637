/** Finds free TCP ports on loopback. */

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ephemeral range. */
const range = { min: 10_000, max: 32_000 };

const drawn = new Set<number>();

/**
 * A random free port, another one at each call. It stays free until the caller listens on it, unless another process draws the same number.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.min, range.max);
    if (drawn.has(port) || !(await isFree(port))) continue;
    drawn.add(port);
    return port;
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
