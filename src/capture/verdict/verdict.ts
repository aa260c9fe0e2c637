/** Says what a screenshot shows: the page, or something in its place. Pure. */

import { STATUS_CODES } from "node:http";
import { AppError } from "../../errors.ts";
import type { PageSignals } from "../in-page/page-signals.ts";
import type { Rule } from "./rule.ts";
import { rules } from "./rules.ts";

export const verdictKinds = ["ok", "blank", "error_page", "bot_wall", "login_wall", "consent_wall", "parked", "unknown"] as const;

export type VerdictKind = (typeof verdictKinds)[number];

/** For the documents; Markdown. */
export const verdictMeanings: Record<VerdictKind, string> = {
  ok: "The page itself.",
  blank: "An image of one color, of a page that has nothing to show.",
  error_page: "An error: a status from 400 on, or a page that says so with another status.",
  bot_wall: "A check for robots, or a refusal for being one.",
  login_wall: "A sign-in page in place of the one that was requested.",
  consent_wall: "A request for consent that covers the page. `block_cookie_banners` answers most of them.",
  parked: "A parking page, a domain market or a server's default page: there is no site.",
  unknown: "Hardly any text and no image: nothing can be said of it.",
};

export interface Verdict {
  kind: VerdictKind;
  /** From 0 to 1. */
  confidence: number;
  /** Why, in sentences for a person; the strongest first. */
  reasons: string[];
}

/** What is known of a captured page. */
export interface PageFacts extends PageSignals {
  requested: URL;
  /** After redirects. */
  shown: URL;
  /** HTTP status, 0 if unknown. */
  status: number;
  /** Whether the image has one colour and the page nothing to show. */
  isBlank: boolean;
}

export function judge(page: PageFacts): Verdict {
  const matching = rules.filter((rule) => matches(rule, page)); // the rules of the most specific kind come first
  const kind = matching[0]?.kind;
  if (kind) {
    const found = matching.filter((rule) => rule.kind === kind).sort((a, b) => b.confidence - a.confidence);
    return { kind, confidence: found[0]?.confidence ?? 0, reasons: [...new Set(found.map(({ reason }) => reason))] };
  }
  if (page.status >= 400) {
    const status = [page.status, STATUS_CODES[page.status]].filter(Boolean).join(" ");
    return { kind: "error_page", confidence: 0.9, reasons: [`The target answered with status ${status}.`] };
  }
  if (page.isBlank) return { kind: "blank", confidence: 0.9, reasons: ["The image has one color, and the page has nothing to show."] };
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

/** In characters. Less than this may be a loading page, an error without words, or all that the page has. */
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
    (when.mediaMax === undefined || page.media <= when.mediaMax) &&
    (when.password === undefined || page.passwordFields > 0 === when.password)
  );
}
