/** Signs requests and tells whether one is signed: who sees a signed link can use it as it is, and change nothing of it. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { AppError } from "../../errors.ts";
import type { ApiKey } from "./caller.ts";

export interface Signatures {
  /**
   * The key's signing secret, 64 hex digits; the HMAC's key is this text. It is another one than the API key, which stands in every
   * link. Derived, not stored: it is the same each time, and another one when `AUTH_SECRET` changes.
   */
  secretOf(keyId: string): string;
  /** @throws {AppError} `signature_invalid` when a signature is there and wrong, when the key requires one, and when the request has expired. */
  assertSigned(key: Pick<ApiKey, "id" | "requireSignature">, query: readonly SentParameter[]): void;
}

/** One part of a query between two `&`: as it was sent, and decoded. All of them in their order are the query. */
export interface SentParameter {
  text: string;
  name: string;
  value(): string;
}

export function createSignatures(secret: string, clock: Clock): Signatures {
  // RFC 5869; the salt may be empty because the secret is random already.
  const secretOf = (keyId: string) =>
    Buffer.from(hkdfSync("sha256", secret, "", `tintype request signatures ${keyId}`, 32)).toString("hex");

  return {
    secretOf,
    assertSigned({ id, requireSignature }, query) {
      const [signature, ...others] = valuesOf("signature", query);
      if (signature === undefined) {
        if (requireSignature) throw new AppError("signature_invalid", { message: "The API key accepts signed requests only." });
      } else if (others.length > 0 || !isRight(signature, sign(secretOf(id), withoutSignature(query)))) {
        const message = `The signature does not match the request${/[A-F]/.test(signature) ? "; it must be lower case" : ""}.`;
        throw new AppError("signature_invalid", { message });
      }
      // What is no number is named with the other parameters.
      if (valuesOf("expires", query).some((text) => Number(text) * 1000 <= clock.now())) {
        throw new AppError("signature_invalid", { message: "The request has expired." });
      }
    },
  };
}

/** HMAC-SHA256 of `query`, 64 hex digits in lower case. */
function sign(secret: string, query: string): string {
  return createHmac("sha256", secret).update(query).digest("hex");
}

/** Byte by byte as it was sent. */
function withoutSignature(query: readonly SentParameter[]): string {
  const signed = query.filter(({ name }) => name !== "signature");
  return signed.map(({ text }) => text).join("&");
}

/** Blank ones count as absent. */
function valuesOf(wanted: string, query: readonly SentParameter[]): string[] {
  const sent = query.filter(({ name }) => name === wanted);
  return sent.map(({ value }) => value()).filter((value) => value.trim() !== "");
}

/** As text, so that a signed request has one form only. */
function isRight(given: string, right: string): boolean {
  return /^[0-9a-f]{64}$/.test(given) && timingSafeEqual(Buffer.from(given), Buffer.from(right));
}
