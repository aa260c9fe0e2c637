/** Classifies what a screenshot shows: the page, or something in its place. Pure. */

import { AppError } from "../../errors.ts";
import { STATUS_CODES } from "../../node-http.ts";
import type { PageSignals } from "../in-page/page-signals.ts";
import type { Rule } from "./rule.ts";
import { rules } from "./rules.ts";

export const verdictKinds = [
  "ok",
  "blank",
  "error_page",
  "bot_wall",
  "login_wall",
  "consent_wall",
  "parked",
  "partial",
  "unknown",
] as const;

export type VerdictKind = (typeof verdictKinds)[number];

/** For the documentation; Markdown. */
export const verdictMeanings: Record<VerdictKind, string> = {
  ok: "The page itself.",
  blank: "A single-colour image of a page without visible content.",
  error_page: "An error: a status of 400 or above, or an error message with another status.",
  bot_wall: "A bot check, or a page that blocks the visitor as a bot.",
  login_wall: "A sign-in page instead of the requested page.",
  consent_wall: "A consent dialog that covers the page. `block_cookie_banners` removes most of them.",
  parked: "A parked domain, a domain for sale or a server's default page: there is no site.",
  partial: "The page before it was ready: `timeout` was over, and `on_timeout=partial` was given.",
  unknown: "Too little to classify: hardly any text, and no images.",
};

export interface Verdict {
  kind: VerdictKind;
  /** From 0 to 1. */
  confidence: number;
  /** Human-readable sentences, the strongest reason first. */
  reasons: string[];
}

/** Facts about a captured page. */
export interface PageFacts extends PageSignals {
  requested: URL;
  /** After redirects. */
  shown: URL;
  /** HTTP status, 0 if unknown. */
  status: number;
  /** Whether the image has a single colour and the page no visible content. */
  isBlank: boolean;
}

export function judge(page: PageFacts): Verdict {
  const matching = rules.filter((rule) => matches(rule, page)); // sorted by kind, the most specific first
  const kind = matching[0]?.kind;
  if (kind) {
    const found = matching.filter((rule) => rule.kind === kind).sort((a, b) => b.confidence - a.confidence);
    return { kind, confidence: found[0]?.confidence ?? 0, reasons: [...new Set(found.map(({ reason }) => reason))] };
  }
  if (page.status >= 400) {
    return { kind: "error_page", confidence: 0.9, reasons: [`The target returned status ${statusText(page.status)}.`] };
  }
  if (page.isBlank)
    return { kind: "blank", confidence: 0.9, reasons: ["The image has a single colour, and the page has no visible content."] };
  if (page.textLength < textMin && page.media === 0)
    return {
      kind: "unknown",
      confidence: 0.5,
      reasons: ["The page has hardly any text and no images, and matches no known wall or error."],
    };
  return { kind: "ok", confidence: 0.9, reasons: [] };
}

/** @throws {AppError} `unwanted_page` if the verdict is one of `unwanted`. */
export function assertWanted({ kind, reasons }: Verdict, unwanted: readonly VerdictKind[] = []): void {
  if (!unwanted.includes(kind)) return;
  throw new AppError("unwanted_page", { message: [`The page is not what was requested (${kind}).`, ...reasons].join(" ") });
}

/** @throws {AppError} `host_returned_error` if `status` is one of `failing`: statuses and ranges, such as `500-599`. */
export function assertStatus(status: number, failing: readonly string[] = []): void {
  if (!failing.map(rangeOf).some(([from, to]) => from <= status && status <= to)) return;
  const message = `The target returned status ${statusText(status)}.`;
  throw new AppError("host_returned_error", { message, retryable: isTemporary(status) });
}

/** `500-599` → 500 and 599; `404` → 404 twice. */
export function rangeOf(item: string): [from: number, to: number] {
  const [from = 0, to = from] = item.split("-").map(Number);
  return [from, to];
}

/** `404 Not Found` */
function statusText(status: number): string {
  return [status, STATUS_CODES[status]].filter(Boolean).join(" ");
}

/** Whether the status is temporary (RFC 9110, 15; RFC 6585; RFC 8470). */
function isTemporary(status: number): boolean {
  return [408, 425, 429].includes(status) || (status >= 500 && status !== 501);
}

/** Characters. A page with less text may be still loading, an error without a message, or complete. */
const textMin = 40;

function matches({ when }: Rule, page: PageFacts): boolean {
  return (
    (when.status === undefined || when.status.includes(page.status)) &&
    (when.title === undefined || when.title.test(page.title)) &&
    (when.headline === undefined || when.headline.test(page.title) || when.headline.test(page.heading)) &&
    (when.text === undefined || when.text.every((pattern) => pattern.test(page.text))) &&
    (when.overlay === undefined || when.overlay.every((pattern) => pattern.test(page.overlay))) &&
    (when.resource === undefined || page.resources.some((url) => when.resource?.test(url))) &&
    (when.shownHost === undefined || when.shownHost.test(page.shown.hostname)) &&
    (when.shownPath === undefined || when.shownPath.test(page.shown.pathname)) &&
    (when.requestedPath === undefined || !when.requestedPath.not.test(page.requested.pathname + page.requested.hash)) &&
    (when.leftHost !== true || page.requested.hostname !== page.shown.hostname) &&
    (when.textMax === undefined || page.textLength <= when.textMax) &&
    (when.headingsMax === undefined || page.headings <= when.headingsMax) &&
    (when.fieldsMax === undefined || page.fields <= when.fieldsMax) &&
    (when.overlayAction === undefined || page.overlayActions.some((action) => when.overlayAction?.test(action))) &&
    (when.mediaMax === undefined || page.media <= when.mediaMax) &&
    (when.password === undefined || page.passwordFields > 0 === when.password)
  );
}
