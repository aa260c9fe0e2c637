/** Errors of browsers and their pages, and our errors for Chromium's and Puppeteer's messages. */

import { AppError, type FailureCode } from "../shared/errors.ts";

/** The browser or its tab is gone: crashed, killed or closed. The capture may be retried in another browser. */
export class BrowserLost extends Error {
  override readonly name: string = "BrowserLost";
}

/** A call that doesn't depend on the page's network timed out: something in the browser has hung. */
export class BrowserHung extends BrowserLost {
  override readonly name = "BrowserHung";
}

/** For use as a timeout handler. @throws {BrowserHung} */
export function throwHung(what: string, timeoutMs: number): never {
  throw new BrowserHung(`${what} did not respond within ${timeoutMs / 1000} s`);
}

/** The error for a new browser that did not render its test page in time. */
export function noFirstImage(timeoutMs: number): BrowserHung {
  const causes = "the machine is overloaded, or Chromium's GPU process has hung";
  return new BrowserHung(`Chromium started, but rendered no image within ${timeoutMs / 1000} s: ${causes}.`);
}

/** The renderer of the captured page crashed or was killed. */
export class PageCrashed extends Error {
  override readonly name = "PageCrashed";
}

/** One of our scripts threw in the page; `message` is the exception as Chromium describes it. */
export class ScriptFailed extends Error {
  override readonly name = "ScriptFailed";
}

const lost =
  /Target closed|Session closed|Session detached|Connection closed|Browser closed|No target with given id|Session with given id not found/i;

/** Matches Puppeteer's errors for calls to a browser, session or target that is gone. */
export function isBrowserLost(error: unknown): boolean {
  return error instanceof Error && lost.test(error.message);
}

/** Matches errors from a script whose document was replaced while it was running. */
export function isDocumentReplaced(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Cannot find context|Inspected target navigated or closed|Execution context was destroyed|uniqueContextId not found|Frame with the given id/i.test(
      error.message,
    )
  );
}

/** Matches errors from scripts that were terminated by their timeout. */
export function isScriptTerminated(error: unknown): boolean {
  return error instanceof Error && /Execution was terminated/i.test(error.message);
}

const networkFailures: [RegExp, FailureCode][] = [
  [/ERR_NAME_NOT_RESOLVED|ERR_NAME_RESOLUTION_FAILED|ERR_DNS_/, "name_not_resolved"],
  [/ERR_CERT_|ERR_SSL_|ERR_BAD_SSL|ERR_ECH_/, "tls_error"],
  [/ERR_TOO_MANY_REDIRECTS/, "too_many_redirects"],
  [/ERR_TIMED_OUT|ERR_CONNECTION_TIMED_OUT/, "target_timeout"],
  [/ERR_ABORTED/, "not_a_page"],
  [/ERR_BLOCKED_BY_|ERR_ACCESS_DENIED|ERR_UNSAFE_PORT|ERR_DISALLOWED_URL_SCHEME|ERR_UNSAFE_REDIRECT/, "target_blocked"],
  [/ERR_INVALID_URL|ERR_UNKNOWN_URL_SCHEME/, "invalid_url"],
];

/** The error code for `Page.navigate`'s `errorText` (`net::ERR_…`). */
export function navigationFailure(errorText: string): FailureCode {
  return networkFailures.find(([pattern]) => pattern.test(errorText))?.[1] ?? "connection_failed";
}

const tlsMessages: [RegExp, string][] = [
  [/ERR_CERT_DATE_INVALID/, "The target's TLS certificate has expired, or is not valid yet."],
  [/ERR_CERT_COMMON_NAME_INVALID/, "The target's TLS certificate is for another host name."],
  [/ERR_CERT_AUTHORITY_INVALID/, "The target's TLS certificate is self-signed, or issued by an authority that is not trusted."],
  [/ERR_SSL_PROTOCOL_ERROR/, "The target's port does not use TLS: if the page is served without TLS, use a URL that begins with http://."],
  [/ERR_SSL_VERSION_OR_CIPHER_MISMATCH/, "The target offers no TLS version or cipher that is considered secure."],
];

/** A human-readable reason why there is no secure connection; undefined for other failures and for rare TLS errors. */
export function navigationMessage(errorText: string): string | undefined {
  return tlsMessages.find(([pattern]) => pattern.test(errorText))?.[1];
}

/** @param what that the page caused, in the plural: `events` */
export function tooMany(what: string): AppError {
  return new AppError("page_too_heavy", { message: `The page caused more ${what} than a capture allows.` });
}
