/** Opens the service's own connections, for example to webhook receivers, with TLS for https URLs. */

import { constants } from "node:crypto";
import { isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectSecure, DEFAULT_CIPHERS } from "node:tls";
import { onAbort } from "./deadline.ts";
import { AppError } from "./errors.ts";
import { turnOf } from "./turns.ts";
import { ownerOfWork } from "./work-owner.ts";

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

/**
 * Maximum number of bytes before a TLS session is established. Chains of certificates have a few thousand; OpenSSL accepts 100 KB, which can
 * take seconds to verify, even if the chain isn't trusted.
 */
const handshakeMax = 20 * 1024;

const refusal = (what: string) => new AppError("connection_failed", { message: `The server sends ${what}.` });

/** Limits on what is decrypted at once: records may have a single byte, and each change of keys takes up to 0.4 ms. */
const atOnce = { bytes: 16 * 1024, records: 64 };
/** A server may send `max` records of any length, plus one per `bytesMin` bytes. */
const recordLimit = { max: 2_000, bytesMin: 48 };

/** Divides a stream of TLS records into pieces. Each record starts with five bytes, of which the last two are its length (RFC 8446, 5.1). */
class Records {
  count = 0;
  #headerSeen = 0;
  #length = 0;
  #left = 0;

  /** Where the piece ends that starts at `start`. */
  endOfPiece(chunk: Buffer, start: number): number {
    const end = Math.min(chunk.length, start + atOnce.bytes);
    const countMax = this.count + atOnce.records;
    let at = start;
    while (at < end) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, end - at);
        this.#left -= passed;
        at += passed;
        continue;
      }
      if (this.#headerSeen === 0) {
        if (this.count === countMax) break;
        this.count += 1;
      }
      this.#length = ((this.#length << 8) | (chunk[at] as number)) & 0xffff;
      this.#headerSeen = (this.#headerSeen + 1) % 5;
      if (this.#headerSeen === 0) this.#left = this.#length;
      at += 1;
    }
    return at;
  }
}

/**
 * Passes a server's bytes on in turns of the event loop, within limits. Node would verify the certificates of all servers that answer at the
 * same time in one turn, and decrypt what they have all sent.
 */
class TurnedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #records = new Records();
  #isEstablished = false;
  #bytes = 0;
  #isPassing = false;
  #last: Promise<void> = Promise.resolve();

  constructor(socket: Socket) {
    // The reader closes the connection: if this destroyed itself at the end, `tls` would drop buffered data.
    super({ autoDestroy: false });
    this.#socket = socket;
    socket.allowHalfOpen = true; // this side ends once what the server sent has been read
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      this.#last = this.#last.then(() => this.#passOn(chunk));
    });
    socket.once("end", () => void this.#last.then(() => this.push(null)));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => socket.readableEnded || this.destroy());
  }

  endHandshake(): void {
    this.#isEstablished = true;
  }

  async #passOn(chunk: Buffer): Promise<void> {
    this.#bytes += chunk.length;
    this.#isPassing = true;
    for (let start = 0, end = 0; start < chunk.length; start = end) {
      end = this.#records.endOfPiece(chunk, start);
      if (!this.#isEstablished && this.#bytes > handshakeMax)
        return void this.destroy(refusal(`more than ${handshakeMax / 1024} KB during the TLS handshake`));
      if (this.#records.count > recordLimit.max + this.#bytes / recordLimit.bytesMin)
        return void this.destroy(refusal("too many small TLS records"));
      await turnOf(ownerOfWork());
      if (this.destroyed) return;
      this.push(chunk.subarray(start, end));
    }
    this.#isPassing = false;
    if (this.readableLength < this.readableHighWaterMark) this.#socket.resume();
  }

  override _read(): void {
    if (!this.#isPassing) this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/**
 * Excludes finite-field Diffie-Hellman: the server chooses the modulus, and one of 10,000 bits takes over a second. Few servers still
 * require it.
 */
const ciphers = `${DEFAULT_CIPHERS}:!DHE`;

function secure(raw: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new TurnedSocket(raw);
    const secureOptions = constants.SSL_OP_NO_RENEGOTIATION; // another handshake's certificates would have no limit
    const secured = connectSecure({ socket, host, ciphers, secureOptions, ...(isIP(host) ? {} : { servername: host }) });
    secured.on("error", reject); // never removed: an error without a listener would end the process
    let tickets = 0;
    secured.on("session", () => {
      tickets += 1;
      if (tickets > ticketsMax) secured.destroy(refusal(`more than ${ticketsMax} TLS session tickets`));
    });
    secured.once("close", () => {
      stop();
      reject(new Error("closed during the TLS handshake"));
    });
    secured.once("secureConnect", () => {
      stop();
      socket.endHandshake();
      resolve(secured);
    });
    const stop = onAbort(signal, () => void secured.destroy(signal.reason));
  });
}
