/** What an API key looks like: `<prefix>_<30 base62><6 base62 of a CRC-32>`. Pure, but for the randomness of a new one. */

import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const bodyLength = 30;
const checkLength = 6;
const prefixLengthMax = 20;
const keyLengthMax = prefixLengthMax + 1 + bodyLength + checkLength;
const prefixPattern = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const tailPattern = /^[0-9A-Za-z]{36}$/;

/**
 * A new key: 178 random bits and a check of prefix and body.
 * @throws when `prefix` is not `[a-z][a-z0-9]*(_[a-z0-9]+)*` of at most 20 characters.
 */
export function generateKey(prefix: string): string {
  if (!isPrefix(prefix))
    throw new Error("The prefix of an API key is lower-case letters, digits and single underscores, at most 20 characters.");
  const body = Array.from({ length: bodyLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  return `${prefix}_${body}${checkOf(`${prefix}_${body}`)}`;
}

/** Whether `text` can be a key of any prefix: garbage and typing errors end here, without a look-up. */
export function isWellFormedKey(text: string): boolean {
  if (text.length > keyLengthMax) return false;
  const end = text.lastIndexOf("_");
  if (!tailPattern.test(text.slice(end + 1)) || !isPrefix(text.slice(0, Math.max(end, 0)))) return false;
  return checkOf(text.slice(0, -checkLength)) === text.slice(-checkLength);
}

/** SHA-256 of the whole key, 32 bytes. No salt: there is nothing to guess in 178 random bits. */
export function hashKey(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** What people recognise a key by: `ss_Ab12…x9Zk`. */
export function keyHint(key: string): string {
  const body = key.lastIndexOf("_") + 1;
  return `${key.slice(0, body + 4)}…${key.slice(-4)}`;
}

function isPrefix(text: string): boolean {
  return text.length <= prefixLengthMax && prefixPattern.test(text);
}

function checkOf(text: string): string {
  let rest = crc32(text);
  let check = "";
  for (let digit = 0; digit < checkLength; digit++) {
    check = alphabet.charAt(rest % alphabet.length) + check;
    rest = Math.floor(rest / alphabet.length);
  }
  return check;
}
