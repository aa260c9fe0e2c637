/** Runs a Redis server: the installed program, or an in-memory substitute in this process. */

import { randomBytes } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect, type Server } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startChild } from "./child.ts";
import { fetchPackage } from "./fetched-package.ts";
import { freePort } from "./ports.ts";

export interface LocalRedis {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts Redis on loopback; the real one with a random password.
 * @param folder where its data persists; if undefined, it is kept only in memory.
 */
export async function startRedis(
  { folder }: { folder: string | undefined },
  print: (message: string) => void,
  signal: AbortSignal,
): Promise<LocalRedis> {
  const program = installedServer(process.env.PATH ?? "");
  if (program) return startProgram(program, folder, signal);
  print(
    "Redis is not installed: using an in-memory substitute. To install Redis: apt-get install redis-server, dnf install valkey, brew install redis.",
  );
  return startStandIn(signal);
}

/** Path of the Redis or Valkey server installed on this machine. */
export function installedServer(path: string): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ""), "/opt/homebrew/bin", "/usr/local/bin"];
  return folders.flatMap((folder) => [join(folder, "redis-server"), join(folder, "valkey-server")]).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function startProgram(program: string, folder: string | undefined, signal: AbortSignal): Promise<LocalRedis> {
  if (folder !== undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
  const port = await freePort();
  const password = randomBytes(24).toString("base64url");
  // The settings are passed on standard input, because command lines are visible to every user of the machine.
  const settings = ["bind 127.0.0.1", `port ${port}`, `requirepass ${password}`, "databases 64", "appendonly no"];
  const persistence = folder === undefined ? ['save ""'] : ["save 3600 1", `dir ${JSON.stringify(folder)}`];
  const server = startChild([program, "-"], { input: `${[...settings, ...persistence].join("\n")}\n` });
  const stop = () => server.stop("SIGTERM", 10_000);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(30_000)]);
  try {
    while (!(await answers(port, password))) {
      deadline.throwIfAborted();
      if (!server.running()) throw new Error("it ended");
      await pause(20);
    }
  } catch (error) {
    await stop();
    signal.throwIfAborted();
    throw new Error(`${program} did not start: ${server.output()}`, { cause: error });
  }
  return { url: `redis://:${password}@127.0.0.1:${port}`, stop };
}

/** Whether Redis accepts commands; it accepts connections before it has loaded its data. */
function answers(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let text = "";
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(2_000, () => finish(false));
    socket.on("error", () => finish(false));
    socket.on("close", () => finish(false));
    socket.on("connect", () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.includes("+PONG")) finish(true);
      else if (text.split("\r\n").length > 2) finish(false);
    });
  });
}

/** The part of the substitute's interface used here. */
interface StandIn {
  /** Its types allow only a number as `port`, which makes it listen on every interface; it passes the value to `listen` unchanged. */
  createRedisServer(options: { port: { host: string; port: number }; databaseCount: number }): Promise<{
    server: { server: Server };
    close(): Promise<void>;
  }>;
}

export const fetchStandIn = (signal: AbortSignal) =>
  fetchPackage(
    "redis",
    async () => {},
    signal,
    () => {},
  );

export async function startStandIn(signal: AbortSignal): Promise<LocalRedis> {
  const require = createRequire(join(await fetchStandIn(signal), "package.json"));
  const { createRedisServer }: StandIn = require("js-redis-server");
  const server = await createRedisServer({ port: { host: "127.0.0.1", port: 0 }, databaseCount: 64 });
  // It answers pipelined commands in several small writes; with Nagle's algorithm, each would wait 40 ms for a delayed acknowledgment.
  server.server.server.on("connection", (socket) => socket.setNoDelay(true));
  const address = server.server.server.address();
  if (typeof address !== "object" || address?.address !== "127.0.0.1") {
    await server.close();
    throw new Error("The substitute for Redis does not listen on loopback only: install Redis, or set REDIS_URL.");
  }
  return { url: `redis://127.0.0.1:${address.port}`, stop: () => Promise.race([server.close(), pause(2_000, undefined, { ref: false })]) };
}
