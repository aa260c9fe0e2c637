/** Serves one connection of the browser: reads the SOCKS request, connects to the vetted host, and relays bytes both ways. */

import type { Socket } from "node:net";
import { abortConnection } from "./dial.ts";
import type { Refusal } from "./refusals.ts";
import { type Destination, ProtocolViolation, type ReplyCode, receiveRequest, reply } from "./socks.ts";
import { isAsUnresolved, reasonOf, type Traffic } from "./traffic.ts";

/** A working browser sends its request at once. */
const requestTimeoutMs = 10_000;

/** Never throws. If the host is refused or unreachable, sends the matching reply and closes `browser`. */
export async function tunnel(browser: Socket, traffic: Traffic): Promise<void> {
  const destination = await receiveDestination(browser, traffic);
  if (!destination) return;
  const { host, port } = destination;
  try {
    const origin = await traffic.connect(host, port);
    browser.write(reply("succeeded"));
    relay(browser, origin, (bytes) => traffic.spend(bytes, host, port));
  } catch (error) {
    const reason = reasonOf(error);
    decline(browser, reply(isAsUnresolved(error) ? "hostUnreachable" : ((reason && replies[reason]) ?? "notAllowed")));
  }
}

/** Failures of the network. All other reasons are policy. */
const replies: Partial<Record<Refusal["reason"], ReplyCode>> = {
  connection_refused: "connectionRefused",
  connect_timeout: "timeToLiveExpired",
  connection_failed: "generalFailure",
  socket_limit: "generalFailure",
};

async function receiveDestination(browser: Socket, traffic: Traffic): Promise<Destination | undefined> {
  const timeout = setTimeout(() => browser.destroy(), requestTimeoutMs);
  try {
    return await receiveRequest(browser);
  } catch (error) {
    if (error instanceof ProtocolViolation) traffic.refuse({ host: "", port: 0, reason: "invalid_request" });
    decline(browser, error instanceof ProtocolViolation ? error.reply : undefined);
    return undefined;
  } finally {
    clearTimeout(timeout);
  }
}

function decline(browser: Socket, answer: Buffer | undefined): void {
  if (browser.destroyed) return;
  if (answer) browser.write(answer);
  browser.destroySoon();
}

function relay(browser: Socket, origin: Socket, spend: (bytes: number) => void): void {
  for (const [from, to] of [
    [browser, origin],
    [origin, browser],
  ] as const) {
    from.on("data", (chunk: Buffer) => spend(chunk.length));
    from.pipe(to);
    // Data received before an orderly close is still forwarded; an aborted connection is aborted on the other side, too.
    from.once("close", (failed) => (failed ? abortConnection(to) : to.destroySoon()));
    if (from.destroyed) to.destroy();
  }
}
