/** Opens the service's own connections, for example to webhook receivers, with TLS for https URLs. */

import { isIP, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { onAbort } from "./deadline.ts";

/**
 * Connects to a host (spelled as in `URL`), but only at vetted addresses.
 * @throws {AppError} with a public message; the signal's reason if it aborts.
 */
export type ConnectTo = (host: string, port: number, signal: AbortSignal) => Promise<Socket>;

/**
 * Refuses a forbidden target early, with a clear error; the egress filter checks each connection again. Created in start/network.ts.
 * @throws {AppError} `target_blocked`, `name_not_resolved`, without details of the internal network; the signal's reason if it aborts.
 */
export type VetTarget = (url: URL, signal: AbortSignal) => Promise<void>;

/** The caller destroys the socket. @throws any error from `connect`; TLS errors; the signal's reason if it aborts. */
export async function openConnection({ protocol, hostname, port }: URL, connect: ConnectTo, signal: AbortSignal): Promise<Socket> {
  const isSecure = protocol === "https:";
  const socket = await connect(hostname, port === "" ? (isSecure ? 443 : 80) : Number(port), signal);
  return isSecure ? await secure(socket, hostname.replace(/^\[|\]$/g, ""), signal) : socket;
}

/** Maximum number of session tickets on a connection, for resuming sessions, which these don't. Servers send two; each takes 20 µs. */
const ticketsMax = 20;

function secure(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secured = connectSecure({ socket, host, ...(isIP(host) ? {} : { servername: host }) });
    secured.on("error", reject); // never removed: an error without a listener would end the process
    let tickets = 0;
    secured.on("session", () => {
      tickets += 1;
      if (tickets > ticketsMax) secured.destroy(new Error(`The server sent more than ${ticketsMax} session tickets`));
    });
    secured.once("close", () => reject(new Error("closed during the TLS handshake")));
    secured.once("secureConnect", () => {
      stop();
      resolve(secured);
    });
    const stop = onAbort(signal, () => void secured.destroy(signal.reason));
  });
}
