/** Recognizes typical phrases and words in many languages. Pure. */

import { toSimplified } from "./chinese.ts";
import { aboutBrowsers, aboutChecks, aboutConsent, aboutDomains, aboutErrors, aboutSignIn } from "./phrases/about.ts";
import { internet, oldBrowser } from "./phrases/access.ts";
import { defaultPage, denied, suspicion } from "./phrases/blocks.ts";
import { adult, age, human } from "./phrases/checks.ts";
import { agree, consent, noSite } from "./phrases/consent.ts";
import { failed, maintenance, notFound, otherRegion, suspended } from "./phrases/errors.ts";
import { members, next, signIn, signOut, signUp } from "./phrases/sign-in.ts";
import type { Subject, WallKind } from "./rule.ts";

const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]/g;
/** Letters that Unicode doesn't decompose into a base letter and an accent, and the curly apostrophe. */
const letters: Record<string, string> = { đ: "d", ł: "l", ı: "i", ø: "o", ə: "e", "’": "'" };

/** Converts to lower case and removes accents: headings may be in capitals, which Greek writes without accents. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(accents, "")
    .replace(/[đłıøə’]/g, (letter) => letters[letter] ?? letter)
    .normalize("NFC");
}

/** Rules read Chinese texts in simplified characters. */
const listOf = ({ zh = "", ...others }: Record<string, string>) => {
  const lists = [...Object.values(others), zh, toSimplified(zh)];
  return [...new Set(lists.flatMap((list) => plain(list).split(" | ")))].filter(Boolean);
};

const phrases: Record<Subject, string[]> = {
  notFound: listOf(notFound),
  failed: listOf(failed),
  maintenance: listOf(maintenance),
  otherRegion: listOf(otherRegion),
  suspended: listOf(suspended),
  members: listOf(members),
  signIn: listOf(signIn),
  signUp: listOf(signUp),
  signOut: listOf(signOut),
  next: listOf(next),
  human: listOf(human),
  age: listOf(age),
  adult: listOf(adult),
  consent: listOf(consent),
  agree: listOf(agree),
  noSite: listOf(noSite),
  denied: listOf(denied),
  suspicion: listOf(suspicion),
  defaultPage: listOf(defaultPage),
  oldBrowser: listOf(oldBrowser),
  internet: listOf(internet),
};

const about: Record<WallKind, string[]> = {
  error_page: [
    ...phrases.notFound,
    ...phrases.failed,
    ...phrases.maintenance,
    ...phrases.otherRegion,
    ...phrases.suspended,
    ...phrases.denied,
    ...phrases.oldBrowser,
    ...listOf(aboutErrors),
    ...listOf(aboutBrowsers),
  ],
  login_wall: [...phrases.members, ...phrases.signIn, ...phrases.internet, ...listOf(aboutSignIn)],
  bot_wall: [...phrases.human, ...phrases.denied, ...phrases.suspicion, ...listOf(aboutChecks)],
  consent_wall: [...phrases.consent, ...phrases.agree, ...phrases.age, ...phrases.adult, ...listOf(aboutConsent)],
  parked: [...phrases.noSite, ...phrases.defaultPage, ...listOf(aboutDomains)],
};

/** @param text normalized by `plain`. */
export function says(text: string, subject: Subject): boolean {
  return phrases[subject].some((phrase) => contains(text, phrase));
}

/** Whether a sentence contains words typical of walls of this kind. @param text normalized by `plain`. */
export function isAbout(text: string, kind: WallKind): boolean {
  return about[kind].some((phrase) => contains(text, phrase));
}

const spacedLetter = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/**
 * Whether `text` contains the phrase. In Latin, Greek and Cyrillic script, it must be at the beginning of a word; other languages may not
 * separate words by spaces, or may add prefixes.
 */
function contains(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
    if (at === 0 || !spacedLetter.test(text[at - 1] as string) || !spacedLetter.test(phrase[0] as string)) return true;
  return false;
}
