/** A way to Redis that a test can cut or block, without touching the Redis that other tests use. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { Redis } from "ioredis";
import { createTestRedis } from "../support/redis.ts";

export interface RedisProxy {
  redis: Redis;
  /** Closes the way and every connection; new ones are refused. */
  cut(): void;
  /** Resolves when the client is connected again. */
  mend(): Promise<void>;
  /** Lets commands in and no answer out. */
  block(): void;
}

/** A client whose connection goes through a proxy of its own; both end with the test. */
export async function startRedisProxy(t: TestContext): Promise<RedisProxy> {
  const { settings } = await createTestRedis(t); // removes the keys
  const target = new URL(settings.url);
  const sockets = new Set<Socket>();
  let blocked = false;
  const accept = (near: Socket) => {
    const far = connect(Number(target.port || 6379), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => near.destroy() && far.destroy() && sockets.delete(socket));
    }
    near.pipe(far);
    far.on("data", (answer) => !blocked && near.write(answer));
  };
  let server = createServer(accept).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const through = new URL(target);
  through.hostname = "127.0.0.1";
  through.port = String(port);
  // Without a time limit of its own for commands: that of the code under test is what counts.
  const options = { keyPrefix: settings.keyPrefix, enableOfflineQueue: false, maxRetriesPerRequest: 1, retryStrategy: () => 20 };
  const redis = new Redis(through.href, options);
  redis.on("error", () => {});
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    redis.disconnect();
    cut();
  });
  await once(redis, "ready");
  return {
    redis,
    cut,
    async mend() {
      server = createServer(accept).listen(port, "127.0.0.1");
      await once(redis, "ready");
    },
    block() {
      blocked = true;
    },
  };
}
