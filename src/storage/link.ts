/** Keys of stored captures, and signed links to them. The service serves the images itself, regardless of the storage. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "../shared/clock.ts";
import { contentTypes, extensions, type Format, formats } from "../shared/formats.ts";

/** Lifetime of links in responses. */
export const linkLifetimeSeconds = 24 * 3600;

export interface Links {
  /** Path and query of a link that is valid for `lifetimeSeconds`: `/v1/screenshots/<id>.<ext>?expires=…&signature=…`. */
  sign(id: string, format: Format, lifetimeSeconds: number): string;
  /** Whether this service signed exactly this link, and the link has not expired. `expires` and `signature` are raw query values. */
  verify(id: string, ext: string, expires: string, signature: string): boolean;
}

/** @param secret `AUTH_SECRET`; a dedicated key is derived from it, so that the service's other signatures are not accepted for links. */
export function createLinks(secret: string, clock: Clock): Links {
  // RFC 5869. No salt is needed, because the secret is random.
  const key = Buffer.from(hkdfSync("sha256", secret, "", "tintype picture links", 32));
  const signatureOf = (file: string, expires: string) => createHmac("sha256", key).update(`${file}\n${expires}`).digest("base64url");

  return {
    sign(id, format, lifetimeSeconds) {
      const file = `${id}.${extensions[format]}`;
      const expires = String(Math.floor(clock.now() / 1000 + lifetimeSeconds));
      return `/v1/screenshots/${file}?expires=${expires}&signature=${signatureOf(file, expires)}`;
    },
    verify(id, ext, expires, signature) {
      if (!/^[1-9]\d{0,11}$/.test(expires) || !/^[\w-]{43}$/.test(signature)) return false;
      // Compared as text: the last base64url character has two unused bits, so decoding would accept several spellings.
      const right = timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(`${id}.${ext}`, expires)));
      return right && Number(expires) * 1000 > clock.now();
    },
  };
}

/** Content type for the key's extension. */
export function contentTypeOf(key: string): string {
  const format = formats.find((one) => key.endsWith(`.${extensions[one]}`));
  return format ? contentTypes[format] : "application/octet-stream";
}

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether `text` is a UUIDv7 (RFC 9562) in lower case with hyphens, the only accepted form. */
export function isImageId(text: string): boolean {
  return uuidV7.test(text);
}

/**
 * `screenshots/YYYY/MM/DD/<id>.<ext>`: the date (UTC) comes from the id's timestamp, so the id and the format determine the key.
 * @param id UUIDv7 in lower case.
 * @throws {TypeError} for any other id: a key must never contain text from a caller.
 */
export function objectKey(id: string, format: Format): string {
  if (!isImageId(id)) throw new TypeError("a capture id must be a UUIDv7");
  const day = new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  const parts = [padded(day.getUTCFullYear(), 4), padded(day.getUTCMonth() + 1, 2), padded(day.getUTCDate(), 2)];
  return `screenshots/${parts.join("/")}/${id}.${extensions[format]}`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
