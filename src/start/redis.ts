/** The connection to Redis. If Redis is down or unresponsive, requests are delayed only briefly. */

import { Redis, type RedisOptions } from "ioredis";
import type { BaseLogger } from "pino";
import type { Config } from "../settings/config.ts";

export interface RedisSettings {
  /** `redis://` or `rediss://`; may contain the user, the password and the database number. */
  url: string;
  /** Host, port and password for a URL without them. */
  host: string;
  port: number;
  password: string;
  /** Prefix of every key, for a Redis shared by several installations; empty by default. */
  keyPrefix?: string;
  /** Deadline for a command; 250 ms by default. A healthy Redis takes about 1 ms; the rest allows for a busy process. */
  commandTimeoutMs?: number;
}

export function redisSettingsOf(config: Config): RedisSettings {
  return {
    url: config.REDIS_URL,
    host: config.REDIS_HOST,
    port: config.REDIS_PORT,
    password: config.REDIS_PASSWORD,
    keyPrefix: config.REDIS_KEY_PREFIX,
  };
}

/**
 * Connects in the background, and reconnects when the connection is lost. While disconnected, every command fails immediately.
 * The caller closes the connection with `disconnect()`.
 */
export function createRedis(settings: RedisSettings, log: BaseLogger): Redis {
  const redis = new BatchingRedis(settings.commandTimeoutMs ?? 250, {
    ...addressOptions(settings),
    keyPrefix: settings.keyPrefix ?? "",
    connectionName: "tintype",
    enableOfflineQueue: false, // commands fail during an outage instead of delaying requests by seconds
    maxRetriesPerRequest: 1,
    connectTimeout: 5_000,
    // A connection that never responds is dropped, because a new connection may work.
    socketTimeout: 5_000,
    keepAlive: 10_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000) * (0.75 + Math.random() / 2),
  });
  let away = false;
  redis.on("error", (error) => {
    if (!away) log.warn({ err: error }, redis.refusal?.message ?? "Redis is unreachable");
    away = true;
  });
  redis.on("ready", () => {
    if (away) log.info("Redis is reachable again");
    away = false;
  });
  return redis;
}

/** What the library sends before a connection is ready. */
const handshake = new Set(["auth", "select", "client", "info"]);

/**
 * Stays disconnected if Redis doesn't have the database: the library would go on in database 0, which may be another installation's.
 *
 * Also adds two optimizations:
 * - Commands from one turn of the event loop, even from different requests, are sent in one batch. The library's own
 *   `enableAutoPipelining` builds a pipeline object for each batch, which takes half as long as the commands themselves.
 * - One timer serves the deadlines of all commands. The library's `commandTimeout` starts and clears a timer for each command.
 */
class BatchingRedis extends Redis {
  readonly #timeoutMs: number;
  /** Commands whose deadline has not passed, including completed commands, ordered by deadline. */
  #sent: { command: SentCommand; deadline: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The reason for which every command fails while Redis doesn't have the database. */
  refusal: Error | undefined;

  constructor(timeoutMs: number, options: RedisOptions) {
    super(options);
    this.#timeoutMs = timeoutMs;
  }

  override sendCommand(...given: Parameters<Redis["sendCommand"]>): unknown {
    const { stream, status } = this;
    const [command] = given;
    if (this.refusal && !handshake.has(command.name)) {
      command.reject(this.refusal);
      return command.promise;
    }
    if (command.name === "select") this.#watchSelect(command);
    if (status === "ready" && stream.writableCorked === 0) {
      stream.cork();
      setImmediate(uncork, stream);
    }
    this.#sent.push({ command, deadline: performance.now() + this.#timeoutMs });
    this.#timer ??= setTimeout(() => this.#endLate(), this.#timeoutMs).unref();
    return super.sendCommand(...given);
  }

  /** Called before the library's own handlers are added, so these find `refusal` set. */
  #watchSelect({ promise, args }: SentCommand): void {
    promise.then(
      () => {
        this.refusal = undefined;
      },
      (cause: Error) => {
        // Without a reply, Redis may still select the database, and it does so before it runs later commands.
        if (cause.name !== "ReplyError") return;
        const message = `Redis has no database ${args[0]}, which REDIS_URL names`;
        this.refusal = Object.assign(new Error(message, { cause }), { code: "NO_SUCH_DATABASE" });
        this.disconnect(true);
      },
    );
  }

  #endLate(): void {
    this.#timer = undefined;
    const now = performance.now();
    const next = this.#sent.findIndex(({ command, deadline }) => deadline > now && !command.isResolved);
    const over = this.#sent.splice(0, next === -1 ? this.#sent.length : next);
    for (const { command } of over) if (!command.isResolved) command.reject(new Error("Command timed out"));
    const [first] = this.#sent;
    if (first) this.#timer = setTimeout(() => this.#endLate(), Math.max(1, first.deadline - now)).unref();
  }
}

type SentCommand = Parameters<Redis["sendCommand"]>[0];

function uncork(stream: Redis["stream"]): void {
  stream.uncork();
}

function addressOptions(settings: RedisSettings): RedisOptions {
  const url = new URL(settings.url);
  const database = Number.parseInt(url.pathname.slice(1), 10);
  const options: RedisOptions = {
    host: url.hostname.replace(/^\[|\]$/g, "") || settings.host,
    port: Number(url.port) || settings.port,
    db: Number.isNaN(database) ? 0 : database,
  };
  const username = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password) || settings.password;
  if (username) options.username = username;
  if (password) options.password = password;
  if (url.protocol === "rediss:") options.tls = {};
  return options;
}
