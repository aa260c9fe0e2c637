/** Signs requests and tells whether one is signed: who sees a signed link can use it as it is, and change nothing of it. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock.ts";
import { AppError } from "../errors.ts";
import type { ApiKey } from "./keys.ts";

export interface Signatures {
  /**
   * The key's signing secret, 64 hex digits; the HMAC's key is this text. It is another one than the API key, which stands in every
   * link. Derived, not stored: it is the same each time, and another one when `AUTH_SECRET` changes.
   */
  secretOf(keyId: string): string;
  /**
   * @param query as it was sent, without the question mark.
   * @throws {AppError} `signature_invalid` when a signature is there and wrong, when the key requires one, and when the request has expired.
   */
  assertSigned(key: Pick<ApiKey, "id" | "requireSignature">, query: string): void;
}

export function createSignatures(secret: string, clock: Clock): Signatures {
  // RFC 5869; the salt may be empty because the secret is random already.
  const secretOf = (keyId: string) =>
    Buffer.from(hkdfSync("sha256", secret, "", `tintype request signatures ${keyId}`, 32)).toString("hex");

  return {
    secretOf,
    assertSigned({ id, requireSignature }, query) {
      const { signed, signatures, expires } = split(query);
      const [signature] = signatures;
      if (signature === undefined) {
        if (requireSignature) throw new AppError("signature_invalid", { message: "The API key takes signed requests only." });
      } else if (signatures.length > 1 || !isRight(signature, sign(secretOf(id), signed))) {
        throw new AppError("signature_invalid", { message: "The signature does not fit the request." });
      }
      // What is no number is named with the other parameters.
      if (expires.some((text) => Number(text) * 1000 <= clock.now())) {
        throw new AppError("signature_invalid", { message: "The request has expired." });
      }
    },
  };
}

/** HMAC-SHA256 of `query`, 32 bytes. */
function sign(secret: string, query: string): Buffer {
  return createHmac("sha256", secret).update(query).digest();
}

/** The query without its signature, byte by byte as it was sent, and what it says of signature and time. */
function split(query: string): { signed: string; signatures: string[]; expires: string[] } {
  const pairs = query.split("&").map((text) => ({ text, name: nameOf(text) }));
  const valuesOf = (wanted: string) =>
    pairs
      .flatMap(({ text, name }) => (name === wanted ? [...new URLSearchParams(text).values()] : []))
      .filter((value) => value.trim() !== "");
  const signed = pairs.filter(({ name }) => name !== "signature").map(({ text }) => text);
  return { signed: signed.join("&"), signatures: valuesOf("signature"), expires: valuesOf("expires") };
}

/** Most names are written as they are, and reading a pair is the dear part. */
function nameOf(pair: string): string {
  const [name = ""] = pair.split("=", 1);
  return /[%+?]/.test(name) ? ([...new URLSearchParams(pair).keys()][0] ?? "") : name;
}

function isRight(given: string, right: Buffer): boolean {
  return /^[0-9a-f]{64}$/i.test(given) && timingSafeEqual(Buffer.from(given, "hex"), right);
}
