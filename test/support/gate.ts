/** A way to a server, in TCP, that a test can slow down, hold up, cut and mend without touching the server that others use. */

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../scripts/stack/ports.ts";
import type { Scope } from "./scope.ts";

export interface Gate {
  host: "127.0.0.1";
  port: number;
  /** `url` with the gate in the place of its host. */
  through(url: string): string;
  /** Each piece of data takes this long, one after the other, in both directions. */
  slow(ms: number): void;
  /**
   * Holds everything back, or only the answers: connections are accepted and nothing comes. What is held arrives late, after `mend`,
   * also from clients that have left, as from a server that was frozen or a network that was gone; a cut throws it away.
   */
  swallow(what?: "everything" | "answers"): void;
  /** Breaks every connection; new ones are accepted and broken at once. */
  cut(): void;
  /** Breaks every connection; new ones are refused. */
  refuse(): Promise<void>;
  /** All is well again for what is still open and for what comes. */
  mend(): Promise<void>;
}

const defaultPorts: Record<string, number> = { "redis:": 6379, "postgresql:": 5432, "postgres:": 5432, "http:": 80 };

interface Place {
  host: string;
  port: number;
}

/** Leads to the server that `target`, perhaps a URL, names. Closed, with what is open, by `t`. */
export async function openGate(t: Scope, target: string | Place): Promise<Gate> {
  const upstream = typeof target === "string" ? placeOf(target) : { host: target.host, port: target.port };
  const sockets = new Set<Socket>();
  const state = { broken: false, delayMs: 0, requests: openDoor(), answers: openDoor() };

  /** In order, whatever happens on the way; the end comes after the data. */
  function carry(from: Socket, to: Socket, direction: "requests" | "answers"): void {
    let way = Promise.resolve();
    const pass = (deliver: () => void) => {
      way = way.then(async () => {
        await state[direction].open;
        if (state.delayMs > 0) await delay(state.delayMs, undefined, { ref: false });
        if (!to.destroyed) deliver();
      });
    };
    from.on("data", (data) => pass(() => to.write(data)));
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
  const port = await freePort(); // which nobody takes while the gate refuses
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
    refuse,
    async mend() {
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

/** Something to wait at; open at first. */
function openDoor() {
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
