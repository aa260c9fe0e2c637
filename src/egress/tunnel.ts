/** Connects a page's tunnel (https, wss, ws) to its host and passes bytes both ways. */

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Traffic } from "./traffic.ts";
import { EgressRefused } from "./vet.ts";

/** Answers a CONNECT: 200 and the tunnel, 403 when it is refused, 502 when the host cannot be reached. Never throws. */
export async function tunnel(req: IncomingMessage, browser: Socket, head: Buffer, traffic: Traffic): Promise<void> {
  const target = targetOf(req.url ?? "");
  if (!target) {
    traffic.refuse({ host: "", port: 0, reason: "invalid_request" });
    return decline(browser, "403 Forbidden");
  }
  const { host, port } = target;
  try {
    const origin = await traffic.connect(host, port);
    browser.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) {
      traffic.spend(head.length, host, port);
      origin.write(head);
    }
    join(browser, origin, (bytes) => traffic.spend(bytes, host, port));
  } catch (error) {
    decline(browser, isRefusal(error) ? "403 Forbidden" : "502 Bad Gateway");
  }
}

function join(browser: Socket, origin: Socket, spend: (bytes: number) => void): void {
  for (const [from, to] of [
    [browser, origin],
    [origin, browser],
  ] as const) {
    from.on("data", (chunk: Buffer) => spend(chunk.length));
    from.pipe(to);
    // What was received before the other side closed is still handed on; after an error nothing is.
    from.once("close", (failed) => (failed ? to.destroy() : to.destroySoon()));
    if (from.destroyed) to.destroy();
  }
}

function decline(browser: Socket, status: string): void {
  if (browser.destroyed) return;
  browser.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  browser.destroySoon();
}

/** A name that has no address was not refused, it does not exist. */
function isRefusal(error: unknown): boolean {
  return error instanceof EgressRefused && error.reason !== "name_not_resolved" && error.reason !== "dns_timeout";
}

/** `host:port`, both required, IPv6 in brackets (RFC 9110, 9.3.6). */
function targetOf(authority: string): { host: string; port: number } | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:[\]/?#@\s]+):(\d{1,5})$/i.exec(authority) ?? [];
  return host === undefined ? undefined : { host: host.toLowerCase(), port: Number(port) };
}
