/** Connects to vetted addresses. The only code that opens connections for pages. */

import { connect as connectSocket, isIP, type Socket } from "node:net";

export type ConnectFailure = "connection_failed" | "connection_refused" | "connect_timeout";

/** No address accepted the connection, or a proxy couldn't reach the target. `dial` sets `reason` and `cause` from its first attempt. */
export class ConnectFailed extends Error {
  override readonly name = "ConnectFailed";
  readonly reason: ConnectFailure;

  constructor(reason: ConnectFailure, cause: unknown) {
    super("no address accepted the connection", { cause });
    this.reason = reason;
  }
}

export type OpenSocket = (options: {
  host: string;
  port: number;
  noDelay: boolean;
  allowHalfOpen: boolean;
  autoSelectFamily: boolean;
}) => Socket;

interface DialOptions {
  /** Total time for all addresses. */
  timeoutMs: number;
  signal: AbortSignal;
  connect?: OpenSocket;
}

/** Maximum number of addresses to try, since a name may have hundreds. */
const addressesMax = 4;

/**
 * Tries the vetted `addresses` in order, each with an equal share of the timeout, and returns the first socket that connects. The caller
 * closes it.
 * @throws {ConnectFailed} if none connects; the signal's reason if it aborts.
 */
export async function dial(addresses: readonly string[], port: number, options: DialOptions): Promise<Socket> {
  const { timeoutMs, signal, connect = connectSocket } = options;
  const tried = addresses.slice(0, addressesMax);
  let failure: ConnectFailed | undefined;
  for (const address of tried) {
    const deadline = AbortSignal.timeout(Math.ceil(timeoutMs / tried.length));
    try {
      return await dialOne(address, port, AbortSignal.any([signal, deadline]), connect);
    } catch (error) {
      signal.throwIfAborted();
      failure ??= new ConnectFailed(failureOf(error, deadline), error);
    }
  }
  throw failure ?? new ConnectFailed("connection_failed", new Error("no address to dial"));
}

function dialOne(address: string, port: number, signal: AbortSignal, connect: OpenSocket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // `connect` would resolve a name again, possibly to an address that was never checked.
    if (!isIP(address)) return reject(new Error(`${address} is not an address`));
    if (signal.aborted) return reject(signal.reason);
    const socket = connect({ host: address, port, noDelay: true, allowHalfOpen: true, autoSelectFamily: false });
    const abort = () => void socket.destroy(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    socket.on("error", reject); // never removed: an error without a listener ends the process
    socket.once("close", () => reject(new Error("closed before it connected")));
    socket.once("connect", () => {
      signal.removeEventListener("abort", abort);
      resolve(socket);
    });
  });
}

function failureOf(error: unknown, deadline: AbortSignal): ConnectFailure {
  const { code } = error as { code?: unknown };
  if (deadline.aborted || code === "ETIMEDOUT") return "connect_timeout";
  return code === "ECONNREFUSED" ? "connection_refused" : "connection_failed";
}

/** Resets the connection. After an orderly close, a response without a length would look complete. */
export function abortConnection(socket: Socket): void {
  // Once the socket has ended and everything has been written, the FIN is on its way: libuv refuses to reset such a socket, and Node would
  // never release it.
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy();
  else socket.resetAndDestroy();
}
