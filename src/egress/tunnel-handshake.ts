/** Messages of a proxy that opens a tunnel: bounded in length, from a proxy that may be slow, broken or hostile. */

import type { Socket } from "node:net";

export type ProxyFailure = "proxy_unreachable" | "proxy_timeout" | "proxy_authentication" | "proxy_refused" | "proxy_invalid";

const messages: Record<ProxyFailure, string> = {
  proxy_unreachable: "the proxy can't be reached",
  proxy_timeout: "the proxy didn't connect in time",
  proxy_authentication: "the proxy refuses the user name and password",
  proxy_refused: "the proxy refuses to connect to the target",
  proxy_invalid: "the proxy closed the connection, or is not of the protocol in its URL",
};

/** The proxy between this service and the target failed. The message contains neither its address nor its credentials. */
export class ProxyFailed extends Error {
  override readonly name = "ProxyFailed";
  readonly reason: ProxyFailure;

  constructor(reason: ProxyFailure, cause: unknown) {
    super(messages[reason], { cause });
    this.reason = reason;
  }
}

/** A message, and the number of its bytes. Undefined until it is complete. */
export type Parsed<T> = { message: T; length: number } | undefined;

/**
 * Receives one message, in any number of chunks; bytes after it stay in the socket. Has no timeout: the caller destroys the socket.
 * @param max bytes that the message may have.
 * @throws {ProxyFailed} if it has more, or the proxy disconnects; the error of `parse`.
 */
export function receiveMessage<T>(socket: Socket, max: number, parse: (bytes: Buffer) => Parsed<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => void socket.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onError).pause();
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    const onEnd = () => fail(new ProxyFailed("proxy_invalid", new Error("it closed the connection")));
    const onError = (error: Error) => fail(new ProxyFailed("proxy_invalid", error));
    const onData = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      try {
        const parsed = parse(bytes);
        if (parsed && parsed.length <= max) {
          stop();
          if (bytes.length > parsed.length) socket.unshift(bytes.subarray(parsed.length));
          return resolve(parsed.message);
        }
        if (parsed || bytes.length >= max) fail(new ProxyFailed("proxy_invalid", new Error("its response is too long")));
      } catch (error) {
        fail(error);
      }
    };
    if (socket.destroyed) return onEnd();
    socket.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onError).resume();
  });
}
