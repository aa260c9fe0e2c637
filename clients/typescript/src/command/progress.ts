/** A progress bar on standard error; without a terminal, a line for every tenth. */

import { say } from "./say.ts";

const width = 30;

export interface Progress {
  /** Counts one more as ended. `problem` is a line to print about it. */
  step(problem?: string): void;
  end(): void;
}

export function createProgress(total: number): Progress {
  const { isTTY } = process.stderr;
  const started = performance.now();
  let count = 0;
  let failed = 0;

  function text(): string {
    const filled = Math.round((count / total) * width);
    const secondsLeft = Math.ceil((((performance.now() - started) / count) * (total - count)) / 1000);
    const left = count === total ? "" : `, about ${secondsLeft} s left`;
    return `[${"#".repeat(filled).padEnd(width, ".")}] ${count} of ${total}${failed > 0 ? `, ${failed} failed` : ""}${left}`;
  }

  return {
    step(problem) {
      count += 1;
      if (problem !== undefined) failed += 1;
      if (isTTY) process.stderr.write("\r\u001b[K");
      if (problem !== undefined) say(problem);
      if (isTTY) process.stderr.write(text());
      else if (Math.floor((count * 10) / total) > Math.floor(((count - 1) * 10) / total)) say(text());
    },
    end: () => void (isTTY && process.stderr.write("\n")),
  };
}
