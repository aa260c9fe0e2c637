/** Listens for mDNS queries (RFC 6762), which leave the machine by multicast, without a connection. */

import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { Scope } from "../../support/scope.ts";

const group = "224.0.0.251";
const port = 5353;

/** Calls `onQuery` when a name starting with `label` is queried. */
export type MdnsListener = (label: string, onQuery: () => void) => void;

/** `t` closes it when the test ends. Receives nothing on a machine without multicast. */
export async function listenForMdns(t: Scope): Promise<MdnsListener> {
  const listeners = new Map<string, () => void>();
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  socket.on("error", () => {});
  socket.on("message", (message) => {
    // A label is encoded as its length and its characters.
    for (const [label, onQuery] of listeners) if (message.includes(Buffer.from([label.length, ...Buffer.from(label)]))) onQuery();
  });
  t.after(() => socket.close());
  socket.bind(port);
  await Promise.race([once(socket, "listening"), new Promise((resolve) => socket.once("error", resolve))]);
  try {
    socket.addMembership(group);
  } catch {
    // no interface supports it
  }
  return (label, onQuery) => void listeners.set(label, onQuery);
}
