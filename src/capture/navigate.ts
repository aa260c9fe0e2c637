/** Takes the tab to the target, and says in our words why when it doesn't get there. */

import { BrowserHung, isErrorPage, navigationFailure } from "../browser/chrome-words.ts";
import type { Tab } from "../browser/tab.ts";
import { AppError, type FailureCode } from "../errors.ts";
import type { Work } from "./option-group.ts";

/**
 * Navigates and waits until the answer's document replaces the blank one.
 * @throws {AppError} what kept the page from being shown. After a failed navigation a picture could still be taken, of nothing.
 */
export async function navigate({ tab, url, lifecycle }: Work): Promise<void> {
  const answer = tab.send("Page.navigate", { url: url.href }, Number.POSITIVE_INFINITY);
  if (!(await tab.within(firstConnectionMs, answer)) && !tab.hasConnected())
    throw new BrowserHung("The browser did not go out for its page");
  const { errorText, loaderId, isDownload } = await answer;
  if (isDownload) throw new AppError("not_a_page", { message: "The target is a download, not a page." });
  if (errorText) {
    // A renderer that dies makes its navigation end like a download; word of the death comes a moment later, and `within` throws it.
    await tab.within(crashWordMs, new Promise(() => {}));
    throw failed(tab, url, navigationFailure(errorText), errorText);
  }
  if (loaderId) lifecycle.begin(loaderId);
}

/** A browser that works connects within milliseconds, however slow the target is. */
const firstConnectionMs = 5_000;

const crashWordMs = 100;

/** Facts of the document that is shown, read together with the shot. */
export interface TargetFacts {
  /** HTTP status of the main document, 0 when unknown. */
  status: number;
  /** Address after every redirect. */
  url: string;
  title: string;
}

/** @throws {AppError} when what is shown is Chromium's own error page, after a redirect by script for one. */
export async function readFacts({ tab, url }: Work): Promise<TargetFacts> {
  const facts = await tab.evaluate(() => {
    const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return { status: entry?.responseStatus ?? 0, url: location.href, title: document.title.slice(0, 1000) };
  });
  if (isErrorPage(facts.url)) throw failed(tab, url, "connection_failed", "the page led to an address that could not be reached");
  return facts;
}

/** The wall's own reason is exact where Chromium only sees a connection that was closed. */
const wallReasons: Record<string, FailureCode> = {
  name_not_resolved: "name_not_resolved",
  dns_timeout: "name_not_resolved",
  connect_timeout: "target_timeout",
  connection_failed: "connection_failed",
  connection_refused: "connection_failed",
  byte_budget: "page_too_heavy",
  socket_limit: "page_too_heavy",
};

function failed(tab: Tab, url: URL, code: FailureCode, words: string): AppError {
  const refusal = tab.refusals().findLast(({ host }) => host === url.hostname.replace(/^\[|\]$/g, "")) ?? tab.refusals().at(-1);
  return new AppError(refusal ? (wallReasons[refusal.reason] ?? "target_blocked") : code, {
    cause: new Error(refusal ? `${words}; ${refusal.host}:${refusal.port} ${refusal.reason}` : words),
  });
}
