/** Signed links: anyone who sees one can use it, but not alter it. */

import type { TakeRequest } from "./api.generated.ts";

export interface Signing {
  /** The key's signing secret. Keep it on your server. */
  secret: string;
  /** When the link expires; if absent, it is valid as long as the secret. */
  expiresAt?: Date | undefined;
}

/**
 * The signature is the HMAC-SHA256 of the query as sent, without `signature`. Lists are sent as JSON.
 * @param base URL of the service, without a trailing slash.
 */
export async function signedUrl(
  base: string,
  key: string,
  options: Omit<TakeRequest, "signature">,
  { secret, expiresAt }: Signing,
): Promise<string> {
  const expires = expiresAt && Math.floor(expiresAt.getTime() / 1000);
  const query = Object.entries({ api_key: key, ...options, expires: expires ?? options.expires })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : String(value))}`)
    .join("&");
  const encoder = new TextEncoder();
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(query)));
  const digits = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${base}/v1/screenshots/take?${query}&signature=${digits}`;
}
