/** `format=console`: the page's console messages, as JSON lines. */

import { runInTurns } from "../../shared/turns.ts";
import type { Work } from "../option-group.ts";
import { readConsole } from "./page-console.ts";
import { withoutSecrets } from "./secrets.ts";

const messagesMax = 5_000;
const messagesPerTurn = 50;

/** Messages of the page and of Chromium about it, oldest first: `{time, level, text, url, line, column}`, and `stack` of errors. */
export async function renderConsole({ tab, warn }: Work): Promise<Buffer> {
  const { messages, isComplete } = await readConsole(tab, messagesMax, "all");
  if (!isComplete) warn("some console messages were left out: there were too many, or they could not be read in time");
  const parts: Buffer[] = [];
  await runInTurns(
    (function* () {
      for (let start = 0; start < messages.length; start += messagesPerTurn) {
        const some = messages.slice(start, start + messagesPerTurn).map(({ at, level, text, url, line, column, stack }) => {
          const time = new Date(at).toISOString();
          const place = { url: url === null ? null : withoutSecrets(url), line, column };
          return `${JSON.stringify({ time, level, text: withoutSecrets(text), ...place, ...(stack === null ? {} : { stack: withoutSecrets(stack) }) })}\n`;
        });
        parts.push(Buffer.from(some.join("")));
        yield;
      }
    })(),
  );
  return Buffer.concat(parts);
}
