/** What an authenticator app shows (RFC 6238), independent of the code under test. */

import { createHmac } from "node:crypto";

/** The current code of an `otpauth://` URI. @param later how many codes later: the next one is accepted as well. */
export function codeOf(uri: string, later = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const digest = createHmac("sha1", decodeBase32(secretOf(uri)))
    .update(counter)
    .digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

export function secretOf(uri: string): string {
  return new URL(uri).searchParams.get("secret") ?? "";
}

function decodeBase32(text: string): Buffer {
  const bits = [...text].map((character) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(character).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
