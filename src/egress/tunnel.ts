/** Serves one connection of the browser: asks where it leads, has it vetted and dialled, and passes bytes both ways. */

import type { Socket } from "node:net";
import { breakOff } from "./break-off.ts";
import { type Destination, NotSpoken, type ReplyCode, receiveRequest, reply } from "./socks.ts";
import { isAsUnresolved, type Refusal, reasonOf, type Traffic } from "./traffic.ts";

/** A browser that works says where it wants to go at once. */
const requestTimeoutMs = 10_000;

/** Never throws; `browser` is closed when the host is refused or can't be reached, after an answer that says so. */
export async function tunnel(browser: Socket, traffic: Traffic): Promise<void> {
  const asked = await destinationOf(browser, traffic);
  if (!asked) return;
  const { host, port } = asked;
  try {
    const origin = await traffic.connect(host, port);
    browser.write(reply("succeeded"));
    join(browser, origin, (bytes) => traffic.spend(bytes, host, port));
  } catch (error) {
    const reason = reasonOf(error);
    decline(browser, reply(isAsUnresolved(error) ? "hostUnreachable" : ((reason && replies[reason]) ?? "notAllowed")));
  }
}

/** All others are of the wall's making. */
const replies: Partial<Record<Refusal["reason"], ReplyCode>> = {
  connection_refused: "connectionRefused",
  connect_timeout: "timeToLiveExpired",
  connection_failed: "generalFailure",
  socket_limit: "generalFailure",
};

async function destinationOf(browser: Socket, traffic: Traffic): Promise<Destination | undefined> {
  const overdue = setTimeout(() => browser.destroy(), requestTimeoutMs);
  try {
    return await receiveRequest(browser);
  } catch (error) {
    if (error instanceof NotSpoken) traffic.refuse({ host: "", port: 0, reason: "invalid_request" });
    decline(browser, error instanceof NotSpoken ? error.answer : undefined);
    return undefined;
  } finally {
    clearTimeout(overdue);
  }
}

function decline(browser: Socket, answer: Buffer | undefined): void {
  if (browser.destroyed) return;
  if (answer) browser.write(answer);
  browser.destroySoon();
}

function join(browser: Socket, origin: Socket, spend: (bytes: number) => void): void {
  for (const [from, to] of [
    [browser, origin],
    [origin, browser],
  ] as const) {
    from.on("data", (chunk: Buffer) => spend(chunk.length));
    from.pipe(to);
    // What was received before the other side closed is still handed on; what broke off breaks off here, too.
    from.once("close", (failed) => (failed ? breakOff(to) : to.destroySoon()));
    if (from.destroyed) to.destroy();
  }
}
