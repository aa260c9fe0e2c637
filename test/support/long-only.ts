/** Marks tests that only the long suite runs, in files of the default suite. */

const isLong = process.env.TEST_SUITE === "long";

/**
 * Returns `cases` in the long suite, and none in the default one; for a table from which the default suite covers one entry of each kind.
 */
export function onlyLong<Case>(cases: Case[]): Case[] {
  return isLong ? cases : [];
}

/**
 * Returns `register` in the long suite, and a function that registers nothing in the default one. A file that uses it has a companion
 * `NAME.long.test.ts` that imports it, so that the long suite runs all of its tests.
 */
export function longOnly<Register extends (...given: never[]) => unknown>(register: Register): Register {
  return isLong ? register : ((() => {}) as unknown as Register);
}
