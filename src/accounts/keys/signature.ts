/** Verifies signed requests: a signed link can be used by anyone who sees it, but not changed. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../shared/clock.ts";
import { AppError } from "../../shared/errors.ts";
import type { ApiKey } from "./caller.ts";

export interface Signatures {
  /**
   * The key's signing secret, 64 hex digits; the HMAC's key is this text. Separate from the API key, which is visible in every link.
   * Derived from `AUTH_SECRET`, not stored: it changes only with `AUTH_SECRET`.
   */
  secretOf(keyId: string): string;
  /** @throws {AppError} `signature_invalid` if the signature is wrong, or missing although the key requires one, or if the request has expired. */
  assertSigned(key: Pick<ApiKey, "id" | "requireSignature">, query: readonly SentParameter[]): void;
}

/** One `&`-separated part of the query, as sent and decoded. Joined in order, the parts are the query. */
export interface SentParameter {
  text: string;
  name: string;
  value(): string;
}

export function createSignatures(secret: string, clock: Clock): Signatures {
  // RFC 5869; needs no salt, as the secret is random.
  const secretOf = (keyId: string) =>
    Buffer.from(hkdfSync("sha256", secret, "", `tintype request signatures ${keyId}`, 32)).toString("hex");

  return {
    secretOf,
    assertSigned({ id, requireSignature }, query) {
      const [signature, ...others] = valuesOf("signature", query);
      if (signature === undefined) {
        if (requireSignature) throw new AppError("signature_invalid", { message: "The API key accepts only signed requests." });
      } else if (others.length > 0 || !isEqual(signature, sign(secretOf(id), withoutSignature(query)))) {
        const message = `The signature does not match the request${/[A-F]/.test(signature) ? "; it must be lower case" : ""}.`;
        throw new AppError("signature_invalid", { message });
      }
      // Text that is not a number is reported with the other invalid parameters.
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

/** The remaining text exactly as it was sent. */
function withoutSignature(query: readonly SentParameter[]): string {
  const signed = query.filter(({ name }) => name !== "signature");
  return signed.map(({ text }) => text).join("&");
}

/** Blank values count as absent. */
function valuesOf(wanted: string, query: readonly SentParameter[]): string[] {
  const sent = query.filter(({ name }) => name === wanted);
  return sent.map(({ value }) => value()).filter((value) => value.trim() !== "");
}

/** Compares text rather than bytes, so that a signature has only one valid form. */
function isEqual(given: string, expected: string): boolean {
  return /^[0-9a-f]{64}$/.test(given) && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
