/** The format of API keys: `<prefix>_<30 base62><6 base62 of a CRC-32>`. Pure, except for generating a key. */

import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const bodyLength = 30;
const checksumLength = 6;
const prefixLengthMax = 20;
const keyLengthMax = prefixLengthMax + 1 + bodyLength + checksumLength;
const prefixPattern = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const tailPattern = /^[0-9A-Za-z]{36}$/;

/**
 * Generates a key from 178 random bits, with a checksum of prefix and body.
 * @throws when `prefix` is not `[a-z][a-z0-9]*(_[a-z0-9]+)*` of at most 20 characters.
 */
export function generateKey(prefix: string): string {
  if (!isPrefix(prefix))
    throw new Error("The prefix of an API key must consist of at most 20 lower-case letters, digits and single underscores.");
  const body = Array.from({ length: bodyLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  return `${prefix}_${body}${checksumOf(`${prefix}_${body}`)}`;
}

/** Whether `text` has the format of a key, with any prefix. Filters garbage and typos before a lookup. */
export function isWellFormedKey(text: string): boolean {
  if (text.length > keyLengthMax) return false;
  const end = text.lastIndexOf("_");
  if (!tailPattern.test(text.slice(end + 1)) || !isPrefix(text.slice(0, Math.max(end, 0)))) return false;
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** SHA-256 of the whole key, 32 bytes. Unsalted, as 178 random bits can't be guessed. */
export function hashKey(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** Abbreviates a key for display: `ss_Ab12…x9Zk`. */
export function keyHint(key: string): string {
  const body = key.lastIndexOf("_") + 1;
  return `${key.slice(0, body + 4)}…${key.slice(-4)}`;
}

function isPrefix(text: string): boolean {
  return text.length <= prefixLengthMax && prefixPattern.test(text);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let checksum = "";
  for (let digit = 0; digit < checksumLength; digit++) {
    checksum = alphabet.charAt(rest % alphabet.length) + checksum;
    rest = Math.floor(rest / alphabet.length);
  }
  return checksum;
}
