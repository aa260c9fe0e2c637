/** Classifies what a screenshot shows: the page, or something in its place. */

import { AppError } from "../../shared/errors.ts";
import { STATUS_CODES } from "../../shared/node-http.ts";
import { createPauses } from "../../shared/turns.ts";
import { isTraditional, toSimplified } from "./chinese.ts";
import { evidence, round } from "./evidence.ts";
import type { PageFacts } from "./page-facts.ts";
import type { Rule, RuleOfKind, WallKind } from "./rule.ts";
import { applicationErrors } from "./rules/application-errors.ts";
import { bareErrors } from "./rules/bare-pages.ts";
import { botChecks } from "./rules/bot-checks.ts";
import { vendorBotWalls } from "./rules/bot-walls.ts";
import { captchas } from "./rules/captchas.ts";
import { closedSites } from "./rules/closed-sites.ts";
import { comingSoon } from "./rules/coming-soon.ts";
import { consentWalls } from "./rules/consent-walls.ts";
import { domainsForSale } from "./rules/domains-for-sale.ts";
import { errorPages } from "./rules/error-pages.ts";
import { loginWalls } from "./rules/login-walls.ts";
import { membersOnly } from "./rules/members-only.ts";
import { notices, signInNotices } from "./rules/notices.ts";
import { parked } from "./rules/parked.ts";

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

/** Markdown, shown in the documentation. */
export const verdictMeanings: Record<VerdictKind, string> = {
  ok: "The page itself.",
  blank: "A single-color image of a page without visible content.",
  error_page: "An error page: a status of 400 or higher, or an error message with another status.",
  bot_wall: "A bot check, or a page that blocks the visitor as a bot.",
  login_wall: "A sign-in page instead of the requested page.",
  consent_wall:
    "A dialog that covers the page and asks for consent, or for the visitor's age. `block_cookie_banners` removes most of those that ask for consent.",
  parked: "A parked domain, a domain for sale or a server's default page: there is no site.",
  partial: "The page before it was ready: `timeout` was reached, and `on_timeout=partial` was given.",
  unknown: "Too little to classify: hardly any text, and no images.",
};

export interface Verdict {
  kind: VerdictKind;
  /** From 0 to 1. */
  confidence: number;
  /** Human-readable sentences, strongest reason first. */
  reasons: string[];
}

/** Minimum confidence for a wall's verdict; below this, the wall is only named in a warning. */
export const confidenceMin = 0.75;
/** Minimum confidence for the warning. */
const warningMin = 0.4;

export interface Judged {
  verdict: Verdict;
  /** Names the wall that the page may be, if the evidence isn't enough for a verdict. */
  warning?: string;
}

/** Pauses between rules: together they take 0.1 s for a page that is made for it, and are compiled for the first page. */
export async function classify(facts: PageFacts): Promise<Judged> {
  const text = withoutQuotations(facts);
  const mainLines = text === facts.text ? facts.mainLines : facts.mainLines.filter((line) => !isQuoted(line, facts));
  const heading = facts.heading || mainLines.slice(0, 2).join(" ");
  const read = isTraditional(facts.title + facts.text) ? (part: string) => toSimplified(ownWords(part)) : ownWords;
  const page = {
    ...facts,
    title: read(facts.title),
    heading: read(heading),
    text: read(text),
    mainLines: mainLines.map(read).filter(Boolean),
  };
  // For consent walls, quotations are kept, because consent dialogs quote the names of their own buttons.
  const found: ReturnType<typeof evidence> = [];
  const pause = createPauses();
  for (const rule of rules) {
    await pause();
    found.push(...evidence(rule, rule.kind === "consent_wall" ? facts : page));
  }
  const sure = found.filter(({ confidence }) => confidence >= confidenceMin);
  const kind = sure[0]?.rule.kind; // sorted by kind, the most specific first
  if (kind) {
    const ofKind = sure.filter(({ rule }) => rule.kind === kind).sort((a, b) => b.confidence - a.confidence);
    const reasons = [...new Set(ofKind.map(({ rule }) => rule.reason))];
    return {
      verdict: { kind, confidence: ofKind[0]?.confidence ?? 0, reasons: kind === "error_page" ? withStatus(reasons, page) : reasons },
    };
  }
  const verdict = withoutWall(page);
  const [doubt] = found.sort((a, b) => b.confidence - a.confidence);
  if (verdict.kind !== "ok" || !doubt || doubt.confidence < warningMin) return { verdict };
  const warning = `the verdict might be ${doubt.rule.kind} (confidence ${doubt.confidence}): ${doubt.rule.reason}`;
  return { verdict: { ...verdict, confidence: round(1 - doubt.confidence) }, warning };
}

/** Adds the target's status, which may be the strongest reason or may contradict the others. */
function withStatus(reasons: string[], { status }: PageFacts): string[] {
  if (status >= 400) return [returned(status), ...reasons];
  return status === 0 ? reasons : [...reasons, `The target returned status ${statusText(status)}, which is not an error.`];
}

function withoutWall(page: PageFacts): Verdict {
  if (page.status >= 400) return { kind: "error_page", confidence: 0.9, reasons: [returned(page.status)] };
  if (page.isBlank)
    return { kind: "blank", confidence: 0.9, reasons: ["The image has a single color, and the page has no visible content."] };
  if (page.textLength < textMin && page.media === 0)
    return {
      kind: "unknown",
      confidence: 0.5,
      reasons: ["The page has hardly any text and no images, and doesn't match any known wall or error."],
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
  throw new AppError("host_returned_error", { message: returned(status), retryable: isTemporary(status) });
}

/** `500-599` → 500 and 599; `404` → 404 twice. */
export function rangeOf(item: string): [from: number, to: number] {
  const [from = 0, to = from] = item.split("-").map(Number);
  return [from, to];
}

function returned(status: number): string {
  return `The target returned status ${statusText(status)}.`;
}

/** For example, `404 Not Found`. */
function statusText(status: number): string {
  return [status, STATUS_CODES[status]].filter(Boolean).join(" ");
}

/** Whether the status is temporary (RFC 9110, 15; RFC 6585; RFC 8470). */
function isTemporary(status: number): boolean {
  return [408, 425, 429].includes(status) || (status >= 500 && status !== 501);
}

/** The visible text without code and quotations, unless there is hardly anything else: some servers put their errors in `pre`. */
function withoutQuotations({ text, quotations }: PageFacts): string {
  const rest = quotations.filter(Boolean).reduce((left, quotation) => left.replace(quotation, " "), text);
  return rest.trim().length >= 100 ? rest : text;
}

function isQuoted(line: string, { quotations }: PageFacts): boolean {
  return line !== "" && quotations.some((quotation) => quotation.includes(line));
}

/** `text` with straight apostrophes and without quotations, since articles and help pages quote sentences typical of walls. */
function ownWords(text: string): string {
  return text
    .replace(/[‘’]/g, "'")
    .replace(/["“„«「『][^"“”„«»「」『』]{1,120}["”“»」』]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Minimum length of the text in characters. A page with less text may still be loading, may be an error without a message, or may be
 * complete.
 */
const textMin = 40;

/** The most specific kind comes first: an error page with a bot check is a bot wall. */
const byKind: [WallKind, RuleOfKind[]][] = [
  ["bot_wall", [...vendorBotWalls.map((rule) => ({ ...rule, isUnmistakable: true as const })), ...captchas, ...botChecks]],
  ["parked", [...domainsForSale, ...parked, ...comingSoon]],
  ["login_wall", [...loginWalls, ...signInNotices, ...membersOnly]],
  ["consent_wall", consentWalls],
  ["error_page", [...errorPages, ...closedSites, ...applicationErrors, ...bareErrors, ...notices]],
];

export const rules: readonly Rule[] = byKind.flatMap(([kind, list]) => list.map((rule) => ({ ...rule, kind })));
