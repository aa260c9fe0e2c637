/** Secrets on loopback that no page should reach; records any access by TCP or UDP. */

import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { Scope } from "../../support/scope.ts";

export interface Secret {
  port: number;
  /** The kind of the first access, if any. */
  visitor(): Visit | undefined;
  /** Resolves at the first access. */
  visited: Promise<void>;
  /** Records an access detected elsewhere. */
  visit(how: Visit): void;
}

export type Visit = "tcp" | "udp" | "mdns";

const answer = "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/** Listens on one port for TCP and UDP until `t` ends. Responds with HTTP, because some ways need a response to continue. */
export async function createSecret(t: Scope): Promise<Secret> {
  const { promise: visited, resolve } = Promise.withResolvers<void>();
  let visitor: Visit | undefined;
  const visit = (how: Visit) => {
    visitor ??= how;
    resolve();
  };
  const [udp, tcp] = await bindBoth();
  udp.on("message", () => visit("udp"));
  tcp.on("connection", (socket) => {
    visit("tcp");
    socket.on("error", () => {});
    socket.once("data", () => socket.end(answer));
    socket.setTimeout(5_000, () => socket.destroy());
  });
  t.after(() => {
    udp.close();
    tcp.close();
  });
  return { port: udp.address().port, visitor: () => visitor, visited, visit };
}

async function bindBoth(triesLeft = 20): Promise<[UdpSocket, Server]> {
  const tcp = createServer();
  await once(tcp.listen(0, "127.0.0.1"), "listening");
  const udp = createSocket("udp4");
  udp.bind((tcp.address() as AddressInfo).port, "127.0.0.1");
  try {
    await once(udp, "listening");
    return [udp, tcp];
  } catch (error) {
    tcp.close(); // the port is in use for UDP
    if (triesLeft === 0) throw error;
    return await bindBoth(triesLeft - 1);
  }
}
