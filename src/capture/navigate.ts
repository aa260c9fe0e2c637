/** Takes the tab to the target, and says in our words why when it doesn't get there. */

import { BrowserHung, isErrorPage, navigationFailure } from "../browser/chromium-errors.ts";
import type { Tab } from "../browser/tab.ts";
import { AppError, type FailureCode } from "../errors.ts";
import { documentFacts } from "./in-page/document-facts.ts";
import type { Work } from "./option-group.ts";

/**
 * Navigates and waits until the answer's document replaces the blank one.
 * @throws {AppError} what kept the page from being shown. After a failed navigation a picture could still be taken, of nothing.
 */
export async function navigate(work: Work): Promise<void> {
  const { tab, url, lifecycle } = work;
  finishWhatBreaksOff(work);
  let download: string | undefined;
  const downloading = tab.once("Page.downloadWillBegin").then(({ suggestedFilename }) => {
    download = suggestedFilename;
  });
  downloading.catch(() => {}); // the capture ended without one
  const answer = tab.send("Page.navigate", { url: url.href }, Number.POSITIVE_INFINITY);
  if (!(await tab.within(firstConnectionMs, answer)) && !tab.hasConnected())
    throw new BrowserHung("The browser did not go out for its page");
  const { errorText, loaderId, isDownload } = await answer;
  if (isDownload) {
    await tab.within(eventGraceMs, downloading); // its name comes a moment later
    throw new AppError("not_a_page", { message: downloadMessage(download) });
  }
  if (errorText) {
    // A renderer that dies makes its navigation end like a download; word of the death comes a moment later, and `within` throws it.
    await tab.within(eventGraceMs, new Promise(() => {}));
    throw failed(tab, url, navigationFailure(errorText), errorText);
  }
  if (loaderId) lifecycle.begin(loaderId);
  work.waitsFor = "the page to be ready";
  tab.prepareWorld(); // while the page loads
}

/** A browser that works connects within milliseconds, however slow the target is. */
const firstConnectionMs = 5_000;

const eventGraceMs = 100;

function downloadMessage(name: string | undefined): string {
  if (name && /\.pdf$/i.test(name)) return "The target is a PDF, not a web page.";
  return `The target is a download${name ? ` (${name.slice(0, 100)})` : ""}, not a web page.`;
}

/** An answer that breaks off leaves a document that never has loaded. What is there of it is all that will come: nobody need wait for more. */
function finishWhatBreaksOff({ tab, lifecycle, warn }: Work): void {
  let loaded = false;
  lifecycle.reached("load").then(() => {
    loaded = true;
  });
  const finish = async () => {
    if (!(await tab.evaluate(documentFacts)).begins) return;
    warn("the target closed the connection before the page was complete");
    await tab.send("Page.stopLoading");
  };
  tab.on("Page.frameStoppedLoading", ({ frameId }) => {
    if (!loaded && frameId === tab.frameId) finish().catch(() => {}); // the capture ended first
  });
}

/** Facts of the document that is shown, read together with the shot. */
export interface TargetFacts {
  /** HTTP status of the main document, 0 when unknown. */
  status: number;
  /** Address after every redirect. */
  url: string;
  title: string;
}

/**
 * @throws {AppError} when what is shown is no page: an image that is none, nothing, or Chromium's own error page.
 * @throws {Error} when the document is being replaced by another one.
 */
export async function readFacts({ tab, url, warn }: Work): Promise<TargetFacts> {
  const facts = await tab.evaluate(documentFacts);
  const { empty, begins, hadNoWebgl, broken, ...told } = facts;
  if (empty && begins) throw new Error("The document has only begun");
  if (empty) throw new AppError("not_a_page", { message: "The target returned an empty document." });
  if (broken) throw new AppError("not_a_page", { message: `The target is declared as ${broken}, but it can't be decoded.` });
  if (isErrorPage(facts.url)) throw failed(tab, url, "connection_failed", "the page led to an address that could not be reached");
  if (hadNoWebgl) warn("the page uses WebGL, which is disabled: WebGL content is missing");
  return told;
}

/** The wall's own reason is exact where Chromium only sees a connection that was closed. */
const wallReasons: Record<string, FailureCode> = {
  connect_timeout: "target_timeout",
  connection_failed: "connection_failed",
  connection_refused: "connection_failed",
  byte_budget: "page_too_heavy",
  socket_limit: "page_too_heavy",
};

function failed(tab: Tab, url: URL, code: FailureCode, words: string): AppError {
  const refusal = tab.refusals().findLast(({ host }) => host === url.hostname) ?? tab.refusals().at(-1);
  const refused = refusal?.asUnresolved ? "name_not_resolved" : (wallReasons[refusal?.reason ?? ""] ?? "target_blocked");
  return new AppError(refusal ? refused : code, {
    cause: new Error(refusal ? `${words}; ${refusal.host}:${refusal.port} ${refusal.reason}` : words),
  });
}
