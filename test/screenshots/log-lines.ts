/** A log that a test can read. */

import { type Logger, pino } from "pino";

export interface LogLines {
  log: Logger;
  lines: Record<string, unknown>[];
  /** The messages with a given level (30 info, 40 warn, 50 error), in order. */
  messages(level: number): unknown[];
  /** Resolves with the first line in the log whose message is `message`. */
  seen(message: string): Promise<Record<string, unknown>>;
}

export function logLines(): LogLines {
  const lines: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const write = (text: string) => {
    lines.push(JSON.parse(text));
    for (const look of waiting) look();
  };
  return {
    log: pino({ level: "debug", base: null }, { write }),
    lines,
    messages: (level) => lines.filter((line) => line.level === level).map((line) => line.msg),
    seen: (message) =>
      new Promise((resolve) => {
        const look = () => {
          const line = lines.find(({ msg }) => msg === message);
          if (line) resolve(line);
        };
        waiting.add(look);
        look();
      }),
  };
}
