/** Finds free TCP ports on loopback. */

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ephemeral range. */
const range = { min: 10_000, max: 32_000 };

/** A random free port. It stays free until the caller listens on it, unless another caller of this function draws the same number. */
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
