/** Limits what each client has in progress. */

import { isIPv6 } from "node:net";
import type { Stream } from "node:stream";

/**
 * Counts streams until they close. The function that it returns says whether the client, of this IP address, may have another one;
 * otherwise, `stream` isn't counted.
 * @param clientMax maximum for a client. Out of `all` for all clients, one gets another only while it has fewer than are left: the last ones
 *   are for those that have none.
 */
export function createClientLimit(clientMax: number, all = Number.POSITIVE_INFINITY): (ip: string, stream: Stream) => boolean {
  const counts = new Map<string, number>();
  let total = 0;
  return (ip, stream) => {
    const client = networkOf(ip);
    const count = counts.get(client) ?? 0;
    if (count >= Math.min(clientMax, all - total)) return false;
    counts.set(client, count + 1);
    total += 1;
    stream.once("close", () => {
      total -= 1;
      const left = (counts.get(client) ?? 0) - 1;
      if (left > 0) counts.set(client, left);
      else counts.delete(client);
    });
    return true;
  };
}

/** An IPv4 address, or the /64 of an IPv6 address: Internet providers usually assign each customer a whole one. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return mapped;
  const [address = ""] = ip.split("%", 1);
  if (!isIPv6(address)) return ip;
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [front, back] = [head, tail].map((part) => part.split(":").filter((group) => group !== "")) as [string[], string[]];
  const zeros = Array<string>(8 - front.length - back.length).fill("0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}
