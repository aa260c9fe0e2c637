/** Progress on standard error, as a bar if the total is known; without a terminal, a line for every tenth, or for every ten. */

import { say } from "./say.ts";

const width = 30;

export interface Progress {
  /** Counts one more as ended. `problem` is a line to print about it. */
  step(problem?: string): void;
  end(): void;
}

/** @param total undefined if it isn't known yet. */
export function createProgress(total: number | undefined): Progress {
  const { isTTY } = process.stderr;
  const started = performance.now();
  let count = 0;
  let failed = 0;

  function text(): string {
    const ofFailed = failed > 0 ? `, ${failed} failed` : "";
    if (total === undefined) return `${count} captured${ofFailed}`;
    const filled = Math.round((count / total) * width);
    const secondsLeft = Math.ceil((((performance.now() - started) / count) * (total - count)) / 1000);
    const left = count === total ? "" : `, about ${secondsLeft} s left`;
    return `[${"#".repeat(filled).padEnd(width, ".")}] ${count} of ${total}${ofFailed}${left}`;
  }

  const tenths = (number: number) => Math.floor(total === undefined ? number / 10 : (number * 10) / total);

  return {
    step(problem) {
      count += 1;
      if (problem !== undefined) failed += 1;
      if (isTTY) process.stderr.write("\r\u001b[K");
      if (problem !== undefined) say(problem);
      if (isTTY) process.stderr.write(text());
      else if (tenths(count) > tenths(count - 1)) say(text());
    },
    end: () => void (isTTY && process.stderr.write("\n")),
  };
}
