/** The server's side of SOCKS5 (RFC 1928), as much of it as a browser needs: no authentication, CONNECT alone. */

import { isIPv6, type Socket } from "node:net";
import { canonicalAddress } from "./address-policy.ts";

/** Where a browser wants to go. `host` is as in a URL, IPv6 in brackets; a name is as it came and still to be judged. */
export interface Destination {
  host: string;
  port: number;
}

/** What was received is not the protocol, or not a part of it that is spoken here. */
export class NotSpoken extends Error {
  override readonly name = "NotSpoken";
  /** What it is answered with, if with anything. */
  readonly answer: Buffer | undefined;

  constructor(message: string, answer?: Buffer) {
    super(message);
    this.answer = answer;
  }
}

/** RFC 1928, 6. */
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

/** The answer to a request. The address in it would be the one that was dialled from, which no page needs to know. */
export function reply(code: ReplyCode): Buffer {
  return Buffer.from([version, codes[code], 0, addressTypes.ipv4, 0, 0, 0, 0, 0, 0]);
}

/**
 * Speaks with a browser until it has said where it wants to go, and leaves the request to be answered. Has no deadline of its own.
 * @throws {NotSpoken} when that is not SOCKS5; another error when the browser leaves or is cut.
 */
export async function receiveRequest(browser: Socket): Promise<Destination> {
  const methods = await receive(browser, readMethods);
  if (!methods.includes(noAuthentication)) throw new NotSpoken("every method asks for credentials", Buffer.from([version, 0xff]));
  browser.write(Buffer.from([version, noAuthentication]));
  return await receive(browser, readDestination);
}

/** One message, in however many pieces it comes. `read` says what it means once it is whole. */
function receive<T>(browser: Socket, read: (bytes: Buffer) => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const settle = () => void browser.off("data", listen).off("end", leave).off("close", leave).pause();
    const leave = () => {
      settle();
      reject(new Error("the browser left"));
    };
    const listen = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      try {
        const meaning = read(bytes);
        if (meaning === undefined) return;
        settle();
        resolve(meaning);
      } catch (error) {
        settle();
        reject(error);
      }
    };
    if (browser.destroyed) return leave();
    browser.on("data", listen).on("end", leave).on("close", leave).resume();
  });
}

function readMethods(bytes: Buffer): Buffer | undefined {
  const [spoken, count] = bytes;
  if (spoken !== version || count === 0) throw new NotSpoken("not a greeting");
  return count !== undefined && isWhole(bytes, 2 + count) ? bytes.subarray(2) : undefined;
}

function readDestination(bytes: Buffer): Destination | undefined {
  const [spoken, command = connectCommand, reserved = 0, type] = bytes;
  if (spoken !== version || reserved !== 0) throw new NotSpoken("not a request");
  if (command !== connectCommand) throw new NotSpoken("not a CONNECT", reply("commandNotSupported"));
  const end = endOfAddress(type, bytes[4]);
  if (end === undefined || !isWhole(bytes, end + 2)) return undefined;
  return { host: hostOf(type, bytes.subarray(4, end)), port: bytes.readUInt16BE(end) };
}

/** Undefined while it can't be told. A name begins with its length. */
function endOfAddress(type: number | undefined, length: number | undefined): number | undefined {
  if (type === undefined) return undefined;
  if (type === addressTypes.ipv4) return 8;
  if (type === addressTypes.ipv6) return 20;
  if (type !== addressTypes.name) throw new NotSpoken("an unknown type of address", reply("addressTypeNotSupported"));
  if (length === 0) throw new NotSpoken("a name without letters");
  return length === undefined ? undefined : 5 + length;
}

function hostOf(type: number | undefined, bytes: Buffer): string {
  if (type === addressTypes.ipv4) return bytes.join(".");
  if (type === addressTypes.ipv6) {
    const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
    return `[${canonicalAddress(groups.join(":"))}]`;
  }
  const name = bytes.toString("latin1", 1);
  // Chromium sends addresses as names, too, and IPv6 without its brackets.
  return isIPv6(name) ? `[${name}]` : name;
}

/** More than one message at once was sent without waiting for our answer, which the protocol does not allow. */
function isWhole(bytes: Buffer, length: number): boolean {
  if (bytes.length > length) throw new NotSpoken("more than the message");
  return bytes.length === length;
}
