/** Searches text in any language for the phrases of walls. */

import type { WallKind } from "../wall-kind.ts";
import { aboutChecks, aboutConsent, aboutDomains, aboutErrors, aboutSignIn } from "./about.ts";
import { age, human } from "./checks.ts";
import { agree, consent, noSite } from "./consent.ts";
import { failed, maintenance, notFound, otherRegion, suspended } from "./errors.ts";
import { contains, plain } from "./plain.ts";
import { members, next, signIn, signOut, signUp } from "./sign-in.ts";

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

/** @param text normalised by `plain`. */
export function says(text: string, subject: Subject): boolean {
  return phrases[subject].some((phrase) => contains(text, phrase));
}

/** Whether a sentence contains words typical of walls of this kind; `text` as for `says`. */
export function isAbout(text: string, kind: WallKind): boolean {
  return about[kind].some((phrase) => contains(text, phrase));
}
