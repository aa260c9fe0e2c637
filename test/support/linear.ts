/** Whether work grows in proportion to its input. */

import assert from "node:assert/strict";

const shortLength = 8_000;
const longLength = 64_000;
/** Linear work on the long text takes far less; quadratic work takes at least ten times as long. */
const allowedMs = 50;
const triesMax = 3;

/**
 * Asserts that `work` on a text of 64,000 characters is quick, or takes at most three times as long as expected from the time for 8,000.
 * @param repeated the text is made by repeating this.
 */
export function assertLinear(work: (text: string) => unknown, repeated: string, around: { before?: string; after?: string } = {}): void {
  const textOf = (length: number) =>
    (around.before ?? "") + repeated.repeat(Math.ceil(length / repeated.length)).slice(0, length) + (around.after ?? "");
  const [short, long] = [textOf(shortLength), textOf(longLength)];
  let taken: [number, number] = [0, 0];
  for (let tries = 0; tries < triesMax; tries += 1) {
    taken = [cpuMs(() => work(short)), cpuMs(() => work(long))];
    if (taken[1] <= allowedMs || taken[1] <= 3 * (longLength / shortLength) * taken[0]) return;
  }
  assert.fail(`8,000 characters of ${JSON.stringify(repeated)} take ${taken[0]} ms, 64,000 take ${taken[1]} ms`);
}

/** CPU time of this process, which other processes don't affect. */
function cpuMs(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
