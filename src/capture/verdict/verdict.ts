/** Classifies what a screenshot shows: the page, or something in its place. Pure. */

import { AppError } from "../../errors.ts";
import { STATUS_CODES } from "../../node-http.ts";
import type { PageSignals } from "../in-page/page-signals.ts";
import type { Rule } from "./rule.ts";
import { rules } from "./rules.ts";
import { shareAbout } from "./topics.ts";

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

export function judge(facts: PageFacts): Verdict {
  const page = { ...facts, title: ownWords(facts.title), heading: ownWords(facts.heading), text: ownWords(withoutQuotations(facts)) };
  // Consent dialogs quote the names of their own buttons.
  const matching = rules.filter((rule) => matches(rule, rule.kind === "consent_wall" ? facts : page)); // sorted by kind, the most specific first
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

/** The visible text without code and quotations, unless it is hardly anything else: some servers set their errors in `pre`. */
function withoutQuotations({ text, quotations }: PageFacts): string {
  const rest = quotations.filter(Boolean).reduce((left, quotation) => left.replace(quotation, " "), text);
  return rest.trim().length >= 100 ? rest : text;
}

/** `text` with straight apostrophes and without quotations: articles and help pages quote the sentences of walls. */
function ownWords(text: string): string {
  return text
    .replace(/[‘’]/g, "'")
    .replace(/["“„«「『][^"“”„«»「」『』]{1,120}["”“»」』]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Characters. A page with less text may be still loading, an error without a message, or complete. */
const textMin = 40;

/** Share of the main text that must be about the wall: one sentence of an ordinary page may be the same as a wall's. */
const shareMin = 0.5;

function matches(rule: Rule, page: PageFacts): boolean {
  if (!matchesConditions(rule, page)) return false;
  if (rule.isUnmistakable || !isByWords(rule)) return true;
  return shareAbout(rule.kind, rule.when.overlay ? [page.overlay] : page.mainLines) >= shareMin;
}

/** Whether a rule recognises its wall only by sentences or a form that ordinary pages may also have. */
function isByWords({ when }: Rule): boolean {
  if (when.mainMax !== undefined) return true;
  return (
    (when.text !== undefined || when.headline !== undefined || when.overlay !== undefined) &&
    when.resource === undefined &&
    when.shownPath === undefined &&
    when.password !== true &&
    (when.status === undefined || when.status.includes(200))
  );
}

function matchesConditions({ when }: Rule, page: PageFacts): boolean {
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
    (when.buttonsMax === undefined || page.buttons <= when.buttonsMax) &&
    (when.overlayAction === undefined || page.overlayActions.some((action) => when.overlayAction?.test(action))) &&
    (when.mediaMax === undefined || page.media <= when.mediaMax) &&
    (when.password === undefined || (when.password === 1 ? page.passwordFields === 1 : page.passwordFields > 0 === when.password)) &&
    (when.mainMax === undefined || page.mainLines.reduce((sum, { length }) => sum + length, 0) <= when.mainMax)
  );
}
