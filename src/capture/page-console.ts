/** Reads a page's console messages. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../browser/tab.ts";

interface LoggedMessage {
  level: "error" | "warning";
  text: string;
  /** URL without its query, and line; null if unknown. */
  source: string | null;
}

/** Timeout for replaying the messages; several thousand long ones take about a second on a busy machine. */
const readTimeoutMs = 2_000;

/**
 * The page's errors and warnings, including uncaught exceptions, in order. Chromium keeps a page's latest messages and replays them when
 * `Runtime` is enabled. Until then, the page can neither detect a listener nor flood it with events. `clock` enables `Runtime` earlier, so
 * it is disabled first.
 */
export async function readConsole(tab: Tab, messagesMax: number): Promise<LoggedMessage[]> {
  const messages: LoggedMessage[] = [];
  const add = (level: LoggedMessage["level"], text: string, trace?: Protocol.Runtime.StackTrace) => {
    if (messages.length < messagesMax) messages.push({ level, text, source: sourceOf(trace?.callFrames[0]) });
  };
  tab.on("Runtime.consoleAPICalled", ({ type, args, stackTrace }) => {
    const level = type === "assert" ? "error" : type;
    if (level === "error" || level === "warning") add(level, args.map(textOf).join(" "), stackTrace);
  });
  tab.on("Runtime.exceptionThrown", ({ exceptionDetails: { text, exception, stackTrace } }) =>
    add("error", exception?.description?.split("\n", 1)[0] ?? text, stackTrace),
  );
  await tab.within(readTimeoutMs, Promise.all([tab.send("Runtime.disable"), tab.send("Runtime.enable")]));
  return messages;
}

function textOf({ value, description, type }: Protocol.Runtime.RemoteObject): string {
  return String(description?.split("\n", 1)[0] ?? value ?? type);
}

function sourceOf(frame?: Protocol.Runtime.CallFrame): string | null {
  return frame?.url ? `${frame.url.split("?", 1)[0]}:${frame.lineNumber + 1}` : null;
}
