/** The server side of SOCKS5 (RFC 1928), limited to what a browser uses: no authentication, CONNECT only. */

import { isIPv6, type Socket } from "node:net";
import { canonicalAddress } from "./address-policy.ts";

/** The requested target. `host` is spelled as in a URL, with IPv6 in brackets; names have not been validated yet. */
export interface Destination {
  host: string;
  port: number;
}

/** The peer sent something that isn't SOCKS5, or a part of SOCKS5 that isn't supported here. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
  /** The reply to send before closing, if any. */
  readonly reply: Buffer | undefined;

  constructor(message: string, reply?: Buffer) {
    super(message);
    this.reply = reply;
  }
}

/** RFC 1928, section 6. */
const codes = {
  succeeded: 0,
  generalFailure: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  connectionRefused: 5,
  timeToLiveExpired: 6,
  commandNotSupported: 7,
  addressTypeNotSupported: 8,
} as const;

export type ReplyCode = keyof typeof codes;

const version = 5;
const noAuthentication = 0;
const connectCommand = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** Reply to a request. The bound address is all zeros: pages don't need to know this machine's address. */
export function reply(code: ReplyCode): Buffer {
  return Buffer.from([version, codes[code], 0, addressTypes.ipv4, 0, 0, 0, 0, 0, 0]);
}

/**
 * Performs the handshake and reads the request, to which the caller responds with `reply`. Has no timeout.
 * @throws {ProtocolViolation} for anything that isn't SOCKS5 or isn't supported; another error if the browser disconnects.
 */
export async function receiveRequest(browser: Socket): Promise<Destination> {
  const methods = await receive(browser, readMethods);
  if (!methods.includes(noAuthentication)) {
    throw new ProtocolViolation("every offered method requires credentials", Buffer.from([version, 0xff]));
  }
  browser.write(Buffer.from([version, noAuthentication]));
  return await receive(browser, readDestination);
}

/** Receives one message, in any number of chunks. `read` returns undefined until the message is complete. */
function receive<T>(browser: Socket, read: (bytes: Buffer) => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => void browser.off("data", onData).off("end", onEnd).off("close", onEnd).pause();
    const onEnd = () => {
      stop();
      reject(new Error("the browser disconnected"));
    };
    const onData = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      try {
        const message = read(bytes);
        if (message === undefined) return;
        stop();
        resolve(message);
      } catch (error) {
        stop();
        reject(error);
      }
    };
    if (browser.destroyed) return onEnd();
    browser.on("data", onData).on("end", onEnd).on("close", onEnd).resume();
  });
}

function readMethods(bytes: Buffer): Buffer | undefined {
  const [receivedVersion, count] = bytes;
  if (receivedVersion !== version || count === 0) throw new ProtocolViolation("not a greeting");
  return count !== undefined && isComplete(bytes, 2 + count) ? bytes.subarray(2) : undefined;
}

function readDestination(bytes: Buffer): Destination | undefined {
  const [receivedVersion, command = connectCommand, reserved = 0, type] = bytes;
  if (receivedVersion !== version || reserved !== 0) throw new ProtocolViolation("not a request");
  if (command !== connectCommand) throw new ProtocolViolation("not a CONNECT", reply("commandNotSupported"));
  const end = endOfAddress(type, bytes[4]);
  if (end === undefined || !isComplete(bytes, end + 2)) return undefined;
  return { host: hostOf(type, bytes.subarray(4, end)), port: bytes.readUInt16BE(end) };
}

/** Offset at which the address ends; undefined until enough bytes have arrived to tell, since names are length-prefixed. */
function endOfAddress(type: number | undefined, length: number | undefined): number | undefined {
  if (type === undefined) return undefined;
  if (type === addressTypes.ipv4) return 8;
  if (type === addressTypes.ipv6) return 20;
  if (type !== addressTypes.name) throw new ProtocolViolation("unknown address type", reply("addressTypeNotSupported"));
  if (length === 0) throw new ProtocolViolation("empty name");
  return length === undefined ? undefined : 5 + length;
}

function hostOf(type: number | undefined, bytes: Buffer): string {
  if (type === addressTypes.ipv4) return bytes.join(".");
  if (type === addressTypes.ipv6) {
    const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
    return `[${canonicalAddress(groups.join(":"))}]`;
  }
  const name = bytes.toString("latin1", 1);
  // Chromium also sends addresses as names, with IPv6 addresses unbracketed.
  return isIPv6(name) ? `[${name}]` : name;
}

/** @throws {ProtocolViolation} if data follows the message: the peer must wait for our reply. */
function isComplete(bytes: Buffer, length: number): boolean {
  if (bytes.length > length) throw new ProtocolViolation("data after the message");
  return bytes.length === length;
}
