/** Fails captures for reasons that the caller specifies: text, console errors and failed requests. */

import { AppError } from "../shared/errors.ts";
import { patternProblem, readPattern } from "./blocking/patterns.ts";
import { linearPattern } from "./in-page/linear-pattern.ts";
import { networkError, reportRequests, withoutQuery } from "./loading/traffic.ts";
import { readConsole } from "./logs/page-console.ts";
import type { Work } from "./option-group.ts";
import { rangeOf } from "./verdict/verdict.ts";

export interface ReasonOptions {
  fail_on_text?: string[] | undefined;
  fail_without_text?: string[] | undefined;
  fail_on_console_error?: boolean | undefined;
  fail_on_failed_request?: string[] | undefined;
  mask_selectors?: string[] | undefined;
}

/** Source and flag of a pattern written as `/…/` or `/…/i`; undefined for plain text. */
function patternIn(text: string): { source: string; ignoresCase: boolean } | undefined {
  const end = text.lastIndexOf("/");
  const flags = text.slice(end + 1);
  if (!text.startsWith("/") || end < 1 || (flags !== "" && flags !== "i")) return undefined;
  return { source: text.slice(1, end), ignoresCase: flags === "i" };
}

/** The problem with plain text or a pattern, as the rest of a sentence that begins with the parameter's name; undefined if it is valid. */
export function textProblem(text: string): string | undefined {
  const pattern = patternIn(text);
  try {
    if (pattern) linearPattern(pattern.source, pattern.ignoresCase);
    return text.trim() === "" ? "contains an empty line" : undefined;
  } catch (error) {
    return `contains ${JSON.stringify(text.slice(0, 100))}, which ${(error as Error).message}`;
  }
}

/** Splits a line of `fail_on_failed_request` into its URL pattern and the failures that it applies to. */
function requestIn(line: string): { pattern: string; statuses: string[] } {
  const [pattern = "", statuses = "400-599,failed"] = line.trim().split(" ");
  return { pattern, statuses: statuses.split(",") };
}

/** Like `textProblem`, for a line of `fail_on_failed_request`. */
export function requestProblem(line: string): string | undefined {
  const { pattern, statuses } = requestIn(line);
  if (line.trim().split(" ").length > 2 || !statuses.every((one) => one === "failed" || /^[1-5]\d\d(-[1-5]\d\d)?$/.test(one)))
    return `contains ${JSON.stringify(line.slice(0, 100))}: expected a pattern, optionally followed by failures, as in */api/* 500-599,failed`;
  return pattern === "*" ? undefined : patternProblem(pattern);
}

/** The first failed request that matches a pattern, as the end of a sentence. */
export interface FailedRequests {
  first?: string;
  /** Like `first`, with the pattern in place of the URL. */
  firstUnquoted?: string;
}

const urlsMax = 5_000;

/** Matches no request whose URL is unknown, because too many were under way. */
function matcherOf(pattern: string): (url?: string) => boolean {
  const { matches } = readPattern(pattern);
  return (url) => url !== undefined && matches(url);
}

/** Call before the navigation. */
export async function followFailedRequests({ tab }: Pick<Work, "tab">, lines: readonly string[]): Promise<FailedRequests> {
  const wanted = lines.map(requestIn).map(({ pattern, statuses }) => ({
    pattern,
    ranges: statuses.filter((one) => one !== "failed").map(rangeOf),
    isForFailures: statuses.includes("failed"),
    matches: pattern === "*" ? () => true : matcherOf(pattern),
  }));
  const failed: FailedRequests = {};
  /** URLs of the requests that are under way. */
  const urls = new Map<string, string>();
  const note = (url: string | undefined, outcome: string, isMeant: (one: (typeof wanted)[number]) => boolean) => {
    const found = failed.first ? undefined : wanted.find((one) => isMeant(one) && one.matches(url));
    if (!found) return;
    failed.first = `${url === undefined ? "a request" : withoutQuery(url).slice(0, 200)} ${outcome}`;
    failed.firstUnquoted = `a request that matches ${found.pattern.slice(0, 200)} ${outcome}`;
  };
  tab.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (urls.size < urlsMax) urls.set(requestId, request.url);
  });
  tab.on("Network.responseReceived", ({ response: { url, status } }) =>
    note(url, `failed with status ${status}`, ({ ranges }) => ranges.some(([from, to]) => from <= status && status <= to)),
  );
  tab.on("Network.loadingFinished", ({ requestId }) => void urls.delete(requestId));
  tab.on("Network.loadingFailed", ({ requestId, canceled, blockedReason, errorText }) => {
    const url = urls.get(requestId);
    urls.delete(requestId);
    if (!canceled && !blockedReason) note(url, `failed: ${networkError(errorText)}`, ({ isForFailures }) => isForFailures);
  });
  await reportRequests(tab);
  return failed;
}

/** Maximum number of characters of the page's text that are searched. */
const textMax = 100_000;
const messagesMax = 1_000;

/**
 * @throws {AppError} `unwanted_page`, quoting what was found. With masks, or after a password was typed, the error quotes only what was
 *   searched for, because text, messages and request URLs may contain masked content or the password.
 */
export async function assertReasons(work: Work, options: ReasonOptions): Promise<void> {
  const { fail_on_text = [], fail_without_text = [], fail_on_console_error, mask_selectors = [] } = options;
  const isMasked = mask_selectors.length > 0 || work.typedPassword === true;
  const fail = (parameter: string, found: string): never => {
    throw new AppError("unwanted_page", { message: `The page is not what was requested: ${found} (${parameter}).` });
  };
  if (fail_on_text.length + fail_without_text.length > 0)
    await work.tab.evaluate((await import("./in-page/serialize.ts")).collectText, false);
  for (const text of fail_on_text) {
    const found = await search(work, text);
    if (found !== undefined) fail("fail_on_text", `it contains ${JSON.stringify(isMasked ? text.slice(0, 200) : found)}`);
  }
  for (const text of fail_without_text)
    if ((await search(work, text)) === undefined) fail("fail_without_text", `it doesn't contain ${JSON.stringify(text.slice(0, 200))}`);
  const { first, firstUnquoted } = work.failedRequests ?? {};
  if (first && firstUnquoted) fail("fail_on_failed_request", isMasked ? firstUnquoted : first);
  if (!fail_on_console_error) return;
  const error = (await readConsole(work.tab, messagesMax, "problems")).messages.find(({ level }) => level === "error");
  const quoted = error && !isMasked ? `the error ${JSON.stringify(error.text.slice(0, 200))}` : "an error";
  if (error) fail("fail_on_console_error", `its console contains ${quoted}`);
}

/** Returns the text found, with some of its surroundings. Searches in the page, one string per call, so that each call is short. */
async function search({ tab }: Work, wanted: string): Promise<string | undefined> {
  const { source, ignoresCase } = patternIn(wanted) ?? { source: wanted, ignoresCase: false };
  const script = `(...wanted) => (${findText})(${linearPattern}, ...wanted)`;
  return (await tab.evaluateSource(script, source, ignoresCase, patternIn(wanted) !== undefined, textMax)) as string | undefined;
}

/** Runs in the page, so it is self-contained. */
function findText(pattern: typeof linearPattern, source: string, ignoresCase: boolean, isPattern: boolean, max: number) {
  const spaced = (text: string) => text.replace(/\s+/g, " ");
  const kept = String(globalThis.tintypeText ?? "").slice(0, max);
  const text = isPattern ? kept : spaced(kept);
  const literal = spaced(source).trim();
  const at = text.indexOf(literal);
  const [start, end] = (isPattern ? pattern(source, ignoresCase)(text) : [at, at + literal.length]) ?? [-1, -1];
  return start < 0 ? undefined : spaced(text.slice(Math.max(0, start - 40), Math.min(start + 200, end + 40))).trim();
}
