/** Computes a rule's confidence for a page. Pure. */

import type { PageSignals } from "../in-page/page-signals.ts";
import { plain, says } from "./phrases/says.ts";
import type { Rule } from "./rule.ts";
import { shareAbout } from "./topics.ts";

/** Facts about a captured page. */
export interface PageFacts extends PageSignals {
  requested: URL;
  /** After redirects. */
  shown: URL;
  /** HTTP status, 0 if unknown. */
  status: number;
  /** Whether the image has a single color and the page no visible content. */
  isBlank: boolean;
}

/** Share of the main text that must be about the wall: an ordinary page may contain a single sentence that is also found on walls. */
const shareMin = 0.5;
/** An article of this length, or a list with this many rows, is content, no matter what else the page says. */
const articleMin = 300;
const itemsMin = 5;
const besideContent = 0.6;

/**
 * The rule with its confidence on this page, if it matches; the confidence is lower if little of the page is about the wall, or if there is
 * content as well.
 */
export function evidence(rule: Rule, page: PageFacts): { rule: Rule; confidence: number }[] {
  if (!matchesConditions(rule, page)) return [];
  if (rule.kind === "login_wall" && says(plain(page.text), "signOut")) return [];
  if (rule.isUnmistakable || !isByWords(rule)) return [{ rule, confidence: rule.confidence }];
  const { overlay, overlaySays, outsideFormMax } = rule.when;
  const isLayer = overlay !== undefined || overlaySays !== undefined;
  const share = outsideFormMax !== undefined ? 1 : shareAbout(rule.kind, isLayer ? [page.overlay] : page.mainLines);
  const hasContent = !isLayer && (page.articleLength >= articleMin || page.items >= itemsMin);
  return [{ rule, confidence: round(rule.confidence * Math.min(1, share / shareMin) * (hasContent ? besideContent : 1)) }];
}

export function round(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}

function mainLength({ mainLines }: PageFacts): number {
  return mainLines.reduce((sum, { length }) => sum + length, 0);
}

/** Whether a rule recognizes its wall only by sentences, or a form, that ordinary pages may also contain. */
function isByWords({ when }: Rule): boolean {
  if (when.mainMax !== undefined || (when.password !== undefined && when.password !== false)) return true;
  const hasWords = [when.text, when.headline, when.overlay, when.says, when.headlineSays, when.overlaySays].some(
    (one) => one !== undefined,
  );
  return (
    hasWords && when.resource === undefined && when.shownPath === undefined && (when.status === undefined || when.status.includes(200))
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
    (when.fieldsMin === undefined || page.fields >= when.fieldsMin) &&
    (when.fieldsMax === undefined || page.fields <= when.fieldsMax) &&
    (when.buttonsMax === undefined || page.buttons <= when.buttonsMax) &&
    (when.overlayAction === undefined || page.overlayActions.some((action) => when.overlayAction?.test(action))) &&
    (when.mediaMax === undefined || page.media <= when.mediaMax) &&
    (when.password === undefined || (when.password === 1 ? page.passwordFields === 1 : page.passwordFields > 0 === when.password)) &&
    (when.newPassword === undefined || choosesPassword(page) === when.newPassword) &&
    (when.outsideFormMax === undefined || (page.passwordForm !== null && page.passwordForm.outside <= when.outsideFormMax)) &&
    (when.mainMax === undefined || mainLength(page) <= when.mainMax) &&
    saysAll(when, page)
  );
}

function choosesPassword({ passwordForm, title, heading, mainLines }: PageFacts): boolean {
  if (passwordForm?.isNew) return true;
  const action = plain(passwordForm?.action ?? "");
  if (says(action, "signUp") && !says(action, "signIn")) return true;
  return [title, heading, mainLines[0] ?? ""].some((line) => says(plain(line), "signUp"));
}

function saysAll({ headlineSays, says: all, actionSays, overlaySays, overlayActionSays }: Rule["when"], page: PageFacts): boolean {
  const headlines = () => [page.title, page.heading, page.mainLines[0] ?? ""];
  return (
    (headlineSays === undefined || headlines().some((line) => says(plain(line), headlineSays))) &&
    (all === undefined || all.every((subject) => says(plain(page.text), subject))) &&
    (actionSays === undefined || page.mainActions.some((action) => says(plain(action), actionSays))) &&
    (overlaySays === undefined || says(plain(page.overlay), overlaySays)) &&
    (overlayActionSays === undefined || page.overlayActions.some((action) => says(plain(action), overlayActionSays)))
  );
}
