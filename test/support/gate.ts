/** A TCP proxy with which a test can slow down, block, cut and restore its connections to a shared server. */

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../scripts/stack/ports.ts";
import type { Scope } from "./scope.ts";

export interface Gate {
  host: "127.0.0.1";
  port: number;
  /** `url` with the gate as its host. */
  through(url: string): string;
  /** Delays each chunk by this time, one after the other, in both directions. */
  slow(ms: number): void;
  /**
   * Holds back all data, or only responses, on accepted connections. Held data arrives after `mend`, even from clients that have
   * disconnected, as with a frozen server or a lost network; `cut` discards it.
   */
  swallow(what?: "everything" | "answers"): void;
  /** Closes every connection; new ones are accepted and closed immediately. */
  cut(): void;
  /** Cuts as soon as a client sends `text`, which is not forwarded; resolves then. */
  cutAt(text: string): Promise<void>;
  /** Closes every connection; new ones are refused. */
  refuse(): Promise<void>;
  /** Restores normal operation for open and new connections. */
  mend(): Promise<void>;
}

const defaultPorts: Record<string, number> = { "redis:": 6379, "postgresql:": 5432, "postgres:": 5432, "http:": 80 };

interface Place {
  host: string;
  port: number;
}

/** `t` closes it, and its connections, when the test ends. @param target URL or address of the server. */
export async function openGate(t: Scope, target: string | Place): Promise<Gate> {
  const upstream = typeof target === "string" ? placeOf(target) : { host: target.host, port: target.port };
  const sockets = new Set<Socket>();
  const state = { broken: false, delayMs: 0, requests: createBarrier(), answers: createBarrier() };
  let fatal: { text: string; isSent: () => void } | undefined;

  /** Forwards data in order, and the end of the stream after the data. */
  function carry(from: Socket, to: Socket, direction: "requests" | "answers"): void {
    let way = Promise.resolve();
    const pass = (deliver: () => void) => {
      way = way.then(async () => {
        await state[direction].open;
        if (state.delayMs > 0) await delay(state.delayMs, undefined, { ref: false });
        if (!to.destroyed) deliver();
      });
    };
    from.on("data", (data) => {
      if (direction === "requests" && fatal && data.includes(fatal.text)) {
        cut();
        fatal.isSent();
      } else pass(() => to.write(data));
    });
    from.on("close", () => pass(() => to.end(() => to.destroySoon())));
  }

  const server = createServer((near) => {
    if (state.broken) return void near.destroy();
    const far = connect(upstream);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    carry(near, far, "requests");
    carry(far, near, "answers");
  });
  const port = await freePort(); // stays reserved while the gate refuses connections
  await once(server.listen(port, "127.0.0.1"), "listening");

  function cut(): void {
    state.broken = true;
    for (const socket of sockets) socket.destroy();
  }
  async function refuse(): Promise<void> {
    cut();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  }
  t.after(refuse);

  return {
    host: "127.0.0.1",
    port,
    through: (text) => Object.assign(new URL(text), { host: `127.0.0.1:${port}` }).href,
    slow: (ms) => {
      state.delayMs = ms;
    },
    swallow: (what = "everything") => {
      state.answers.shut();
      if (what === "everything") state.requests.shut();
    },
    cut,
    cutAt: (text) =>
      new Promise((resolve) => {
        fatal = { text, isSent: resolve };
      }),
    refuse,
    async mend() {
      fatal = undefined;
      Object.assign(state, { broken: false, delayMs: 0 });
      state.requests.unlock();
      state.answers.unlock();
      if (!server.listening) await once(server.listen(port, "127.0.0.1"), "listening");
    },
  };
}

function placeOf(url: string): Place {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || defaultPorts[protocol] || 0 };
}

/** Blocks callers while it is shut; initially open. */
function createBarrier() {
  let waiting: PromiseWithResolvers<void> | undefined;
  return {
    get open(): Promise<void> | undefined {
      return waiting?.promise;
    },
    shut() {
      waiting ??= Promise.withResolvers<void>();
    },
    unlock() {
      waiting?.resolve();
      waiting = undefined;
    },
  };
}
