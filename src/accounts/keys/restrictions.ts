/** A key's restrictions: the websites that may use it, the targets it may capture, and whether requests must be signed. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../shared/clock.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { parseUrl } from "../../shared/urls.ts";
import type { ApiKey, Caller } from "./caller.ts";

const originPattern = /^https?:\/\/[^/\\?#@\s]+$/i;

interface CallerHeaders {
  origin?: string | undefined;
  referer?: string | undefined;
}

/**
 * Origin or URL of the page that sent the request: `missing` if there is neither a Referer nor an Origin other than `null`, `unreadable` if
 * the header isn't an http(s) URL.
 */
export function callerOrigin(headers: CallerHeaders): URL | "missing" | "unreadable" {
  if (headers.origin && headers.origin !== "null") {
    // Browsers send only an origin here.
    return originPattern.test(headers.origin) ? webUrl(headers.origin) : "unreadable";
  }
  return headers.referer ? webUrl(headers.referer) : "missing";
}

/**
 * Checks the page that sent the request against the key's `allowedDomains`. Call this only if the list isn't empty: an empty list allows
 * every request.
 * @throws {AppError} `domain_not_allowed`.
 */
export function assertCallerAllowed(key: Pick<ApiKey, "allowedDomains" | "allowMissingOrigin">, headers: CallerHeaders): void {
  const { origin } = headers;
  if (origin !== undefined && allowedBefore.get(key.allowedDomains) === origin) return;
  const caller = callerOrigin(headers);
  if (caller === "missing") {
    if (key.allowMissingOrigin) return;
    throw new AppError("domain_not_allowed", {
      message: "The API key is restricted to certain domains, and the request has neither an Origin nor a Referer header.",
    });
  }
  if (caller === "unreadable" || matchingEntry(key.allowedDomains, caller) === undefined) throw new AppError("domain_not_allowed");
  if (origin && origin !== "null" && origin.length <= rememberedOriginMax) allowedBefore.set(key.allowedDomains, origin);
}

/** Caches the last `Origin` that each domain list allowed, since most keys are used on one site. Entries live as long as their list. */
const allowedBefore = new WeakMap<string[], string>();
/** A host name has at most 253 characters. */
const rememberedOriginMax = 300;

/**
 * Refuses keys with allowed domains. Every visitor to those sites can read the key, so it must not reveal or change anything about its
 * other uses.
 * @param what completes the message "it …". @throws {AppError} `domain_not_allowed`.
 */
export function assertNotPublic({ allowedDomains }: Pick<Caller, "allowedDomains">, what: string): void {
  if (allowedDomains.length === 0) return;
  throw new AppError("domain_not_allowed", {
    message: `The API key is restricted to domains, so visitors to their pages can see it: it ${what}.`,
  });
}

/**
 * Refuses `har_secrets` where visitors to a page could send the request: with keys that they can see, and in signed links.
 * @throws {AppError} `domain_not_allowed`; `invalid_parameters`.
 */
export function assertSecretsAllowed(
  caller: Pick<Caller, "allowedDomains">,
  requests: readonly { options: { har_secrets: boolean; signature?: string | undefined } }[],
): void {
  for (const { options } of requests) {
    if (!options.har_secrets) continue;
    assertNotPublic(caller, "can't use har_secrets");
    if (options.signature === undefined) continue;
    throw wrongParameter(
      "har_secrets",
      "can't be part of a signed link: visitors to the page with the link could read the secrets",
      "false",
    );
  }
}

/** The first entry that matches `url`. */
export function matchingEntry(entries: string[], url: URL): string | undefined {
  const host = url.hostname.replace(/\.$/, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return entries.find((entry) => matches(entry, url.protocol, host, port));
}

/** Whether `url`, requested by the caller or navigated to by the main frame, may be captured. An empty list allows all URLs. */
export function targetAllowed(entries: string[], url: URL): boolean {
  if (entries.length === 0) return true;
  return isWeb(url) && matchingEntry(entries, url) !== undefined;
}

/** Whether the caller may receive an image of `url`, the requested page or the page that it redirected to. */
export function mayCapture({ allowedTargets }: Pick<Caller, "allowedTargets">, url: string | URL): boolean {
  return allowedTargets.length === 0 || targetAllowed(allowedTargets, new URL(url));
}

/** @throws {AppError} `target_not_allowed`. */
export function assertMayCapture(caller: Pick<Caller, "allowedTargets">, url: URL): void {
  if (!mayCapture(caller, url)) throw new AppError("target_not_allowed");
}

/** An entry that isn't normalized matches nothing. */
function matches(entry: string, protocol: string, host: string, port: string): boolean {
  const [, scheme, wildcard, entryHost = "", entryPort] = /^(?:(https?):\/\/)?(\*\.)?(\[[^\]]+\]|[^:[\]]+)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryHost === "") return false;
  if (scheme !== undefined && protocol !== `${scheme}:`) return false;
  if (entryPort !== undefined && port !== entryPort) return false;
  return wildcard === undefined ? host === entryHost : host.endsWith(`.${entryHost}`);
}

function webUrl(text: string): URL | "unreadable" {
  const url = parseUrl(text);
  return url && isWeb(url) ? url : "unreadable";
}

function isWeb(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** Request signatures: anyone who sees a signed link can use it, but not change it. */
export interface Signatures {
  /**
   * The key's signing secret: 64 hex digits, used as the HMAC key without being decoded. Separate from the API key, which is visible in
   * every link. Derived from `AUTH_SECRET`, not stored: it changes only with `AUTH_SECRET`.
   */
  secretOf(keyId: string): string;
  /**
   * @throws {AppError} `signature_invalid` if the signature is wrong, if it is missing but required by the key, or if the request has
   *   expired.
   */
  assertSigned(key: Pick<ApiKey, "id" | "requireSignature">, query: readonly SentParameter[]): void;
}

/** One `&`-separated part of the query: `text` as sent, `name` and `value` decoded. The query is all texts in order, joined with `&`. */
export interface SentParameter {
  text: string;
  name: string;
  value(): string;
}

export function createSignatures(secret: string, clock: Clock): Signatures {
  // RFC 5869. Needs no salt, since the secret is random.
  const secretOf = (keyId: string) =>
    Buffer.from(hkdfSync("sha256", secret, "", `tintype request signatures ${keyId}`, 32)).toString("hex");

  return {
    secretOf,
    assertSigned({ id, requireSignature }, query) {
      const [signature, ...others] = valuesOf("signature", query);
      if (signature === undefined) {
        if (requireSignature) throw new AppError("signature_invalid", { message: "The API key accepts only signed requests." });
      } else if (others.length > 0 || !isEqual(signature, sign(secretOf(id), withoutSignature(query)))) {
        const message = `The signature does not match the request${/[A-F]/.test(signature) ? "; it must be in lower case" : ""}.`;
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

/** The query without its signature, otherwise exactly as it was sent. */
function withoutSignature(query: readonly SentParameter[]): string {
  const signed = query.filter(({ name }) => name !== "signature");
  return signed.map(({ text }) => text).join("&");
}

/** Omits blank values. */
function valuesOf(wanted: string, query: readonly SentParameter[]): string[] {
  const values: string[] = [];
  for (const parameter of query) {
    const value = parameter.name === wanted ? parameter.value() : "";
    if (value.trim() !== "") values.push(value);
  }
  return values;
}

/** Compares text rather than bytes, so that a signature has only one valid form. */
function isEqual(given: string, expected: string): boolean {
  return /^[0-9a-f]{64}$/.test(given) && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
