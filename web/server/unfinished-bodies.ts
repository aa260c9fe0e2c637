/** Limits the number of request bodies of each client that haven't arrived completely. */

import { isIPv6 } from "node:net";
import type { Stream } from "node:stream";

/** The API's limit per IP address: even many clients behind one proxy need fewer. */
const unfinishedMax = 256;

const unfinished = new Map<string, number>();

/**
 * Counts `body` until it closes.
 * @param ip the client's address. @returns whether the client may send another body; otherwise, it isn't counted.
 */
export function countUnfinished(ip: string, body: Stream): boolean {
  const client = networkOf(ip);
  const count = unfinished.get(client) ?? 0;
  if (count >= unfinishedMax) return false;
  unfinished.set(client, count + 1);
  body.once("close", () => {
    const left = (unfinished.get(client) ?? 0) - 1;
    if (left > 0) unfinished.set(client, left);
    else unfinished.delete(client);
  });
  return true;
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
