/** Signs and verifies links to stored pictures, which this service serves itself, whatever the storage. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock.ts";
import { extensions, type ImageFormat } from "./object-key.ts";

export interface Links {
  /** Path and query of a link that is valid for `lifetimeSeconds`: `/v1/screenshots/<id>.<ext>?expires=…&signature=…`. */
  sign(id: string, format: ImageFormat, lifetimeSeconds: number): string;
  /** Whether this service signed exactly this link and its time is not over; `expires` and `signature` as they stand in the query. */
  verify(id: string, ext: string, expires: string, signature: string): boolean;
}

/** @param secret `AUTH_SECRET`; the links' own key is derived from it, so that no other signature of the service passes for a link. */
export function createLinks(secret: string, clock: Clock): Links {
  // RFC 5869; the salt may be empty because the secret is random already.
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
      // As text: the last character has two bits more than the bytes need.
      const right = timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(`${id}.${ext}`, expires)));
      return right && Number(expires) * 1000 > clock.now();
    },
  };
}
