/** Tests that only the long suite runs, in a file whose other tests the default suite runs. */

/**
 * `register` in the long suite; a function that registers nothing in the default one. A file that uses it has a companion
 * `NAME.long.test.ts` that imports it, so that the long suite runs all of its tests.
 */
export function longOnly<Register extends (...given: never[]) => unknown>(register: Register): Register {
  return process.env.TEST_SUITE === "long" ? register : ((() => {}) as unknown as Register);
}
