/** Navigates to the target, stops loading, and maps failures to our errors. */

import {
  BrowserHung,
  BrowserLost,
  isDocumentReplaced,
  navigationFailure,
  navigationMessage,
  PageCrashed,
  ScriptFailed,
} from "../../browser/chromium-errors.ts";
import type { Tab } from "../../browser/tab.ts";
import { AppError, type FailureCode } from "../../shared/errors.ts";
import { documentFacts } from "../in-page/document-facts.ts";
import { pageSignals } from "../in-page/page-signals.ts";
import type { Work } from "../option-group.ts";
import type { PageSignals } from "../verdict/page-facts.ts";
import { reportRequests } from "./traffic.ts";

/**
 * Navigates and waits until the target's document replaces the blank one.
 * @throws {AppError} `not_a_page` for a download, otherwise the code of the network failure; {BrowserHung} if the browser doesn't connect.
 */
export async function navigate(work: Work): Promise<void> {
  const { tab, url, lifecycle } = work;
  finishTruncatedDocuments(work);
  let download: string | undefined;
  const downloading = tab.once("Page.downloadWillBegin").then(({ suggestedFilename }) => {
    download = suggestedFilename;
  });
  downloading.catch(() => {}); // the capture has ended without a download
  const response = tab.send("Page.navigate", { url: url.href }, Number.POSITIVE_INFINITY);
  if (!(await tab.within(firstConnectionMs, response)) && !tab.hasConnected())
    throw new BrowserHung("The browser didn't open a connection for the navigation");
  const { errorText, loaderId, isDownload } = await response;
  if (isDownload) {
    await tab.within(downloadGraceMs, downloading); // the event with the download's name follows
    throw new AppError("not_a_page", { message: downloadMessage(download) });
  }
  if (errorText) {
    // The error may be due to a renderer crash, in which case the crash event follows and makes `pause` throw.
    await tab.pause(crashGraceMs);
    throw failed(tab, url, navigationFailure(errorText), errorText);
  }
  if (loaderId) lifecycle.begin(loaderId);
  work.recorder?.step("the target responded");
  work.waitsFor = "the page to be ready";
  tab.prepareWorld(); // this runs while the page is loading
}

/** A working browser connects to its proxy within milliseconds, no matter how slow the target is. */
const firstConnectionMs = 5_000;

const crashGraceMs = 100;
/** May be long, because the event always follows. */
const downloadGraceMs = 1_000;

function downloadMessage(name: string | undefined): string {
  if (name && /\.pdf$/i.test(name)) return "The target is a PDF, not a web page.";
  return `The target is a download${name ? ` (${name.slice(0, 100)})` : ""}, not a web page.`;
}

/**
 * Stops loading a document whose response was truncated, because it would never fire its load event. Adds a warning. Unless network events
 * are enabled, Chromium may lose a short response that fails immediately, so an empty document is requested a second time.
 */
function finishTruncatedDocuments({ tab, lifecycle, warnAll }: Work): void {
  let loaded = false;
  let isStopped = false;
  let isRepeated = false;
  lifecycle.reached("load").then(() => {
    loaded = true;
  });
  const finish = async () => {
    const { isLoading, isEmpty } = await tab.evaluate(documentFacts);
    if (!isLoading || !isStopped) return;
    if (isEmpty && !isRepeated) {
      isRepeated = true;
      await reportRequests(tab);
      await tab.send("Page.reload");
      return;
    }
    warnAll("the target closed the connection before the page was complete");
    await tab.send("Page.stopLoading");
  };
  tab.on("Page.frameStartedLoading", ({ frameId }) => {
    if (frameId === tab.frameId) isStopped = false;
  });
  tab.on("Page.frameStoppedLoading", ({ frameId }) => {
    if (frameId !== tab.frameId) return;
    isStopped = true;
    if (!loaded) finish().catch(() => {}); // the capture has ended
  });
}

/** Stops the page's scripts and loading, then waits `ms`. A document that was stopped before it had any content is reloaded. */
export async function stopPage(tab: Tab, ms: number): Promise<void> {
  await Promise.all([tab.send("Emulation.setScriptExecutionDisabled", { value: true }), tab.send("Page.stopLoading").catch(() => {})]);
  const reloadIfEmpty = async () => {
    if ((await tab.evaluate(documentFacts)).isEmpty) await tab.send("Page.reload");
  };
  reloadIfEmpty().catch(() => {}); // the next attempt will fail as well
  await tab.pause(ms);
}

/** Facts about the shown document, read at the same time as the image. */
export interface TargetFacts {
  /** HTTP status of the main document; 0 if unknown. */
  status: number;
  /** URL after all redirects. */
  url: string;
  title: string;
}

const emptyRecheckMs = 100;

/** The document is empty, and still loading. */
export class StillEmpty extends Error {}

export function emptyDocument(): AppError {
  return new AppError("not_a_page", { message: "The target returned an empty document." });
}

/**
 * Reads facts about the document, and the signals for its verdict.
 * @throws {AppError} `not_a_page` for an empty document or an image that can't be decoded; the code of the network failure if Chromium's
 *   own error page is shown.
 * @throws {Error} if the document is being replaced.
 */
export async function readFacts({ tab, url, warn, written }: Work): Promise<{ target: TargetFacts; signals: PageSignals }> {
  const [facts, signals] = await tab.evaluateBoth(documentFacts, pageSignals);
  const { isEmpty, isLoading, isErrorPage, hadNoWebgl, undecodable, ...target } = facts;
  if (isEmpty && isLoading) throw new StillEmpty("The document has just started to load");
  if (isEmpty) {
    // A page that replaces itself is also empty between documents.
    await tab.pause(emptyRecheckMs);
    if (!(await tab.evaluate(documentFacts)).isEmpty) throw new Error("The document was being replaced");
    throw emptyDocument();
  }
  if (undecodable) throw new AppError("not_a_page", { message: `The target was served as ${undecodable}, but it can't be decoded.` });
  if (isErrorPage) throw failed(tab, url, "connection_failed", "the page navigated to a URL that could not be reached");
  if (hadNoWebgl) warn("the page uses WebGL, which is disabled: WebGL content is missing");
  return { target: written === undefined ? target : { ...target, url: url.href, status: 200 }, signals };
}

/** Error codes for the egress filter's refusals. They are more precise than Chromium's report of a closed connection. */
const refusalCodes: Record<string, FailureCode> = {
  connect_timeout: "target_timeout",
  connection_failed: "connection_failed",
  connection_refused: "connection_failed",
  byte_budget: "page_too_heavy",
  socket_limit: "page_too_heavy",
  proxy_unreachable: "proxy_failed",
  proxy_timeout: "proxy_failed",
  proxy_authentication: "proxy_failed",
  proxy_refused: "proxy_failed",
  proxy_invalid: "proxy_failed",
};

/** Messages for refusals that involve the capture's own proxy. */
const proxyMessages: Record<string, string> = {
  proxy_unreachable: "The proxy could not be reached.",
  proxy_timeout: "The proxy did not open a connection to the target in time.",
  proxy_authentication: "The proxy refused the user name and password.",
  proxy_refused: "The proxy refused to open a connection to the target.",
  proxy_invalid: "The proxy closed the connection, or does not speak the protocol in its URL.",
  not_encrypted: "The page is not encrypted, so the request's proxy could read the session's cookies.",
};

function failed(tab: Tab, url: URL, code: FailureCode, detail: string): AppError {
  // A certificate error means that the target was reached: refusals concern other URLs, such as issuer URLs in the certificate.
  const refusals = /ERR_CERT_/.test(detail) ? [] : tab.refusals();
  const refusal = refusals.findLast(({ host }) => host === url.hostname) ?? refusals.at(-1);
  const refused = refusal?.asUnresolved ? "name_not_resolved" : (refusalCodes[refusal?.reason ?? ""] ?? "target_blocked");
  const message = refusal ? proxyMessages[refusal.reason] : navigationMessage(detail);
  return new AppError(refusal ? refused : code, {
    ...(message ? { message } : {}),
    ...(refusal?.reason === "proxy_authentication" ? { retryable: false } : {}),
    cause: new Error(refusal ? `${detail}; ${refusal.host}:${refusal.port} ${refusal.reason}` : detail),
  });
}

/** A page that takes longer is stuck in a long computation. */
const responseTimeoutMs = 2_000;

/** Whether the page responds and its document is older than `ms`: it is neither stuck in a computation nor reloading endlessly. */
export async function respondsAfter(tab: Tab, ms: number): Promise<boolean> {
  const age = tab.evaluate(() => performance.now()).catch(() => 0);
  return ((await tab.resultWithin(responseTimeoutMs, age)) ?? 0) > ms;
}

export function unstablePage(cause: unknown): AppError {
  return new AppError("target_timeout", { message: "The page kept navigating or changing and could not be captured.", cause });
}

/** Whether the error may have been caused by another document replacing the page. */
export function mayBeReplaced(error: unknown): boolean {
  return error instanceof ScriptFailed || isDocumentReplaced(error);
}

/** Returns the error for the caller. `error` can take many forms if the page was replaced. */
export async function pageFailureOf(error: unknown, work: Work): Promise<unknown> {
  if (!mayBeReplaced(error)) return error;
  try {
    await readFacts(work);
  } catch (other) {
    if (other instanceof AppError) return other; // more precise: for example, the document is empty
  }
  return unstablePage(error);
}

/** Returns the error for the caller once no other browser will be tried. */
export function failureOf(error: unknown): unknown {
  if (error instanceof PageCrashed) return new AppError("page_crashed", { cause: error });
  // The page hung in several browsers, so it is the cause.
  if (error instanceof BrowserHung) return new AppError("target_timeout", { cause: error });
  if (error instanceof BrowserLost) return new AppError("unavailable", { cause: error, retryAfterSeconds: 2 });
  return error;
}
