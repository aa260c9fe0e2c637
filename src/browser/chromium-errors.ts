/** The one place where Chromium's words are matched: error texts of the protocol and of the network, to failures of ours. */

import type { FailureCode } from "../errors.ts";

/** The browser or its tab is gone: crashed, killed or closed. The capture may be tried again in another one. */
export class BrowserLost extends Error {
  override readonly name: string = "BrowserLost";
}

/** A call had no answer in time though nothing of it waits for the page's network: something in the browser hangs. */
export class BrowserHung extends BrowserLost {
  override readonly name = "BrowserHung";
}

/** For a deadline of `what`. @throws {BrowserHung} */
export function throwHung(what: string, timeoutMs: number): never {
  throw new BrowserHung(`${what} had no answer after ${timeoutMs / 1000} s`);
}

/** The renderer of the captured page died, by its own doing or not. */
export class PageCrashed extends Error {
  override readonly name = "PageCrashed";
}

const lost =
  /Target closed|Session closed|Session detached|Connection closed|Browser closed|No target with given id|Session with given id not found/i;

/** The launcher's own errors for calls that a vanished browser can't answer. */
export function meansBrowserLost(error: unknown): boolean {
  return error instanceof Error && lost.test(error.message);
}

/** A document was replaced while a script ran in it. */
export function meansDocumentReplaced(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Cannot find context|Inspected target navigated or closed|Execution context was destroyed|uniqueContextId not found|Frame with the given id/i.test(
      error.message,
    )
  );
}

/** A script was ended because it took longer than it was given. */
export function meansScriptEnded(error: unknown): boolean {
  return error instanceof Error && /Execution was terminated/i.test(error.message);
}

/** What Chromium draws in place of a page that did not load. */
export function isErrorPage(url: string): boolean {
  return url.startsWith("chrome-error:");
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

/** The failure that `Page.navigate`'s `errorText` (`net::ERR_…`) stands for. */
export function navigationFailure(errorText: string): FailureCode {
  return networkFailures.find(([pattern]) => pattern.test(errorText))?.[1] ?? "connection_failed";
}
