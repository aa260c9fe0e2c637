/** Signs and verifies links to stored images. The service serves the images itself, whatever the storage is. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "../shared/clock.ts";
import { extensions, type Format } from "../shared/formats.ts";

/** Lifetime of links in responses. */
export const linkLifetimeSeconds = 24 * 3600;

export interface Links {
  /** Path and query of a link that is valid for `lifetimeSeconds`: `/v1/screenshots/<id>.<ext>?expires=…&signature=…`. */
  sign(id: string, format: Format, lifetimeSeconds: number): string;
  /** Whether this service signed exactly this link, and the link has not expired. `expires` and `signature` are raw query values. */
  verify(id: string, ext: string, expires: string, signature: string): boolean;
}

/** @param secret `AUTH_SECRET`; a dedicated key is derived from it, so that other signatures of the service are not accepted for links. */
export function createLinks(secret: string, clock: Clock): Links {
  // RFC 5869. Needs no salt, since the secret is random.
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
