/** Keeps descriptors free for captures, storage and the database, however many connections clients open. */

import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { addressBucket } from "../../accounts/usage/rate-limit.ts";
import { createOwnerSums, type OwnerSums } from "../../shared/owner-sums.ts";

/** Of all servers in this process, which share its descriptors, by address. */
const openOfProcess = createOwnerSums();

/** More are never needed, and closing one takes 20 µs: all clients may disconnect in the same turn of the event loop. */
const connectionsMax = 16_384;

/**
 * Closes connections beyond `openMax`, by default half of the process's descriptors and at most 16,384. An address (of IPv6, a network) gets
 * another one only while it has fewer than are left: one address at most half of them, and each further address about half of the rest.
 */
export function limitConnections(
  server: Server,
  openMax = Math.min(halfOfDescriptors(), connectionsMax),
  open: OwnerSums = openOfProcess,
): void {
  server.on("connection", (socket) => {
    const address = addressBucket(socket.remoteAddress);
    if (open.of(address) >= openMax - open.total()) return void socket.destroy();
    open.add(address, 1);
    socket.once("close", () => open.add(address, -1));
  });
}

/** Infinity where the limit is unknown: other systems than Linux are for development. */
function halfOfDescriptors(): number {
  try {
    const [, softLimit = ""] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return softLimit === "" ? Number.POSITIVE_INFINITY : Math.floor(Number(softLimit) / 2);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
