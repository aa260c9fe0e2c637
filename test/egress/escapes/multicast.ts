/** Hears what is asked of the whole network segment by mDNS (RFC 6762), which leaves the machine without a connection. */

import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { Scope } from "../../support/scope.ts";

const group = "224.0.0.251";
const port = 5353;

/** Calls `heard` when somebody asks for `label`, the first part of a name. */
export type Ear = (label: string, heard: () => void) => void;

/** Closed by `t`. Deaf on a machine without multicast. */
export async function createEar(t: Scope): Promise<Ear> {
  const wanted = new Map<string, () => void>();
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  socket.on("error", () => {});
  socket.on("message", (message) => {
    // A part of a name travels as its length and its characters.
    for (const [label, heard] of wanted) if (message.includes(Buffer.from([label.length, ...Buffer.from(label)]))) heard();
  });
  t.after(() => socket.close());
  socket.bind(port);
  await Promise.race([once(socket, "listening"), new Promise((resolve) => socket.once("error", resolve))]);
  try {
    socket.addMembership(group);
  } catch {
    // no interface takes it
  }
  return (label, heard) => void wanted.set(label, heard);
}
