/** Searches text in any language for phrases typical of walls. */

import { aboutChecks, aboutConsent, aboutDomains, aboutErrors, aboutSignIn } from "./about.ts";
import { age, human } from "./checks.ts";
import { agree, consent, noSite } from "./consent.ts";
import { failed, maintenance, notFound, otherRegion, suspended } from "./errors.ts";
import { members, next, signIn, signOut, signUp } from "./sign-in.ts";

/** The verdicts that rules can give. */
export type WallKind = "bot_wall" | "login_wall" | "consent_wall" | "parked" | "error_page";

const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]/g;
/** Letters that Unicode doesn't decompose into a base letter and an accent. */
const letters: Record<string, string> = { đ: "d", ł: "l", ı: "i", ø: "o", "’": "'" };

/** Lower case without accents: headings may be set in capitals, which have no accents in Greek. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(accents, "")
    .replace(/[đłıø’]/g, (letter) => letters[letter] ?? letter)
    .normalize("NFC");
}

const listOf = (byLanguage: Record<string, string>) => [...new Set(Object.values(byLanguage).flatMap((list) => plain(list).split(" | ")))];

const phrases = {
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
  consent: listOf(consent),
  agree: listOf(agree),
  noSite: listOf(noSite),
};

export type Subject = keyof typeof phrases;

const about: Record<WallKind, string[]> = {
  error_page: [
    ...phrases.notFound,
    ...phrases.failed,
    ...phrases.maintenance,
    ...phrases.otherRegion,
    ...phrases.suspended,
    ...listOf(aboutErrors),
  ],
  login_wall: [...phrases.members, ...phrases.signIn, ...listOf(aboutSignIn)],
  bot_wall: [...phrases.human, ...listOf(aboutChecks)],
  consent_wall: [...phrases.consent, ...phrases.agree, ...phrases.age, ...listOf(aboutConsent)],
  parked: [...phrases.noSite, ...listOf(aboutDomains)],
};

/** @param text normalized by `plain`. */
export function says(text: string, subject: Subject): boolean {
  return phrases[subject].some((phrase) => contains(text, phrase));
}

/** Whether a sentence contains words typical of walls of this kind; `text` as for `says`. */
export function isAbout(text: string, kind: WallKind): boolean {
  return about[kind].some((phrase) => contains(text, phrase));
}

const spacedLetter = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/**
 * Whether `text` contains the phrase at the beginning of a word or, in scripts that don't put spaces between words or whose words take
 * prefixes, anywhere.
 */
function contains(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
    if (at === 0 || !spacedLetter.test(text[at - 1] as string) || !spacedLetter.test(phrase[0] as string)) return true;
  return false;
}
