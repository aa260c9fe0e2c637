/** Recognizes pages that are nothing but a notice, whatever its sentences are. Pure. */

import { toSimplified } from "./chinese.ts";
import type { PageFacts } from "./page-facts.ts";
import { noticeAdvice, noticeExcuse } from "./phrases/notice-answers.ts";
import { noticeState, noticeSubject } from "./phrases/notices.ts";
import { soon } from "./phrases/placeholders.ts";
import type { Notice } from "./rule.ts";
import { containsAny, plain } from "./vocabulary.ts";

/** Words of notices in one language. */
interface Words {
  subject: string[];
  state: string[];
  soon: string[];
  /** Excuses and advice. */
  answers: string[];
}

const wordsIn = (byLanguage: Record<string, string>, language: string) => {
  const list = byLanguage[language] ?? "";
  return plain(language === "zh" ? toSimplified(list) : list)
    .split(" | ")
    .filter(Boolean);
};
const languages: Words[] = Object.keys(noticeState).map((language) => ({
  subject: wordsIn(noticeSubject, language),
  state: wordsIn(noticeState, language),
  soon: wordsIn(soon, language),
  answers: [...wordsIn(noticeExcuse, language), ...wordsIn(noticeAdvice, language)],
}));

/** Pages that explain an error or maintenance, such as entries in a glossary. */
const explanation =
  /(\bmeans\b|status codes?\b|\bwhat is\b|definition|glossary|\bfaq\b|\bhow (to|do)\b|bedeutet|glossar|signifie|significa|betekent|oznacza|означает|意味|意思是)/i;
/** Four numbers with a word each: days, hours, minutes and seconds in any language. */
const countdown = /(\b\d{1,3}[ :]{0,2}[^\d\s]{1,14}\s){3}\d{1,3}[ :]{0,2}[^\d\s]{1,14}/;
/** Other numbers are facts, such as dates, prices and addresses: not error codes, IP addresses and the years of a copyright. */
const codes = /\b[45]\d\d\b|\b\d{1,3}(\.\d{1,3}){3}\b|(©|\(c\)|copyright).{0,20}/gi;

/** Length of the main part in characters. */
const [mainMin, mainMax] = [15, 350];
const headlineMax = 120;
/** Characters that a headline may have besides the phrase that it consists of. */
const besidesMax = 14;
/** Share of the main part, in characters, that must be in sentences with words of notices. */
const shareMin = 0.75;

/**
 * Whether the main part of a page is a short text whose headline says what is wrong, or that there is no site yet, and which names a part of
 * the web, has an excuse or says what to do, and says hardly anything else: all in the same language. There are too many such sentences to list.
 */
export function saysNotice(page: PageFacts, notice: Notice): boolean {
  if (!isBare(page, notice)) return false;
  const headlines = [page.title, page.heading, ...page.mainLines.slice(0, 2)]
    .flatMap(sentencesOf)
    .filter(({ length }) => length <= headlineMax);
  const text = `${page.title} ${page.mainLines.join(" ")}`;
  if (headlines.some((line) => /[?？؟]/.test(line)) || explanation.test(text)) return false;
  const hasCountdown = countdown.test(text);
  if (/\d/.test(text.replace(codes, " ").replace(notice === "soon" ? countdown : "", " "))) return false;
  const sentences = page.mainLines.flatMap(sentencesOf).filter((one) => /\p{L}/u.test(one));
  return languages.some((words) =>
    notice === "wrong" ? isWrong(words, headlines, sentences) : isSoon(words, headlines, sentences, hasCountdown),
  );
}

function sentencesOf(line: string): string[] {
  return plain(line).split(/(?<=[.!?。！？…])(?=\s|$)|(?<=[。！？])/);
}

function isBare({ mainLines, mainActions, ...page }: PageFacts, notice: Notice): boolean {
  const length = mainLines.reduce((sum, line) => sum + line.length, 0);
  return (
    length >= mainMin &&
    length <= mainMax &&
    page.textLength <= 600 &&
    page.headings <= 3 &&
    page.fields <= (notice === "soon" ? 2 : 0) &&
    page.passwordFields === 0 &&
    page.buttons <= 3 &&
    page.media <= 2 &&
    mainActions.length <= 5 &&
    page.items <= 2 &&
    page.articleLength <= length
  );
}

function isWrong({ subject, state, answers }: Words, headlines: string[], sentences: string[]): boolean {
  return (
    headlines.some((line) => containsAny(line, state)) &&
    [...headlines, ...sentences].some((one) => containsAny(one, state) && containsAny(one, subject)) &&
    sentences.some((one) => containsAny(one, answers)) &&
    shareOf(sentences, [state, answers]) >= shareMin
  );
}

function isSoon({ subject, state, soon, answers }: Words, headlines: string[], sentences: string[], hasCountdown: boolean): boolean {
  const isOnly = (line: string) => soon.some((phrase) => line.length <= phrase.length + besidesMax && containsAny(line, [phrase]));
  const parts = headlines.flatMap((line) => line.split(/ [-–—|·:] /));
  const isOfSite = [...headlines, ...sentences].some((one) => containsAny(one, soon) && containsAny(one, subject));
  if (!isOfSite && !parts.some(isOnly)) return false;
  if (hasCountdown) return true;
  const namesSite = isOfSite || sentences.some((one) => containsAny(one, subject));
  // a site that is back soon exists
  return namesSite && !sentences.some((one) => containsAny(one, state)) && shareOf(sentences, [soon, subject, answers]) >= shareMin;
}

/** @returns the fraction (0 to 1) of the text's characters that are in sentences with a word of the lists. */
function shareOf(sentences: readonly string[], lists: string[][]): number {
  const lengthOf = (some: readonly string[]) => some.reduce((sum, { length }) => sum + length, 0);
  return lengthOf(sentences.filter((sentence) => lists.some((list) => containsAny(sentence, list)))) / Math.max(1, lengthOf(sentences));
}
