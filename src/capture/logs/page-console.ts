/** Reads a page's console messages, and writes them for `format=console`. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../../browser/children.ts";
import type { Tab } from "../../browser/tab.ts";
import { beginningOf } from "../../shared/beginning-of.ts";
import { createPauses, joinInChunks } from "../../shared/turns.ts";
import { withoutSecrets } from "./secrets.ts";

const messagesMax = 5_000;
/** Maximum bytes of all messages as written. */
const bytesMax = 20_000_000;

/**
 * `format=console`: the page's messages, and Chromium's messages about it, oldest first. Each line is
 * `{time, level, text, url, line, column}`, with `stack` for errors.
 */
export async function renderConsole({ tab, warn }: { tab: Tab; warn(warning: string): void }): Promise<Buffer> {
  const { messages, isComplete } = await readConsole(tab, messagesMax, "all");
  const parts: Buffer[] = [];
  let used = 0;
  const pause = createPauses();
  for (const { at, level, text, url, line, column, stack } of messages) {
    await pause();
    const time = new Date(at).toISOString();
    const location = { url: url === null ? null : withoutSecrets(url), line, column };
    const shown = { time, level, text: withoutSecrets(text), ...location, ...(stack === null ? {} : { stack: withoutSecrets(stack) }) };
    const part = Buffer.from(`${JSON.stringify(shown)}\n`);
    used += part.length;
    if (used > bytesMax) break;
    parts.push(part);
  }
  if (!isComplete || used > bytesMax)
    warn("some console messages were left out: there were too many, they were too long, or they could not be read in time");
  return await joinInChunks(parts);
}

type Argument = Protocol.Runtime.RemoteObject;

export type Level = "error" | "warning" | "info" | "log" | "debug";

export interface LoggedMessage {
  level: Level;
  text: string;
  /** Milliseconds since 1970. */
  at: number;
  url: string | null;
  /** 1-based, like `column`; null if unknown. */
  line: number | null;
  column: number | null;
  /** Stack of an error that was thrown or logged. */
  stack: string | null;
}

/** Timeout for replaying the messages, and for reading their objects. On a busy machine, thousands of long messages take about a second. */
const readTimeoutMs = 2_000;
/** Maximum number of messages whose objects are shown with their properties, and how many of them are read concurrently. */
const objectsMax = 100;
const readAtOnce = 5;

export type Wanted = "problems" | "all";

/**
 * Messages from the page and, with `all`, its out-of-process frames, oldest first. `problems`: errors, warnings and uncaught exceptions in
 * the page's scripts; `all`: every level, and what Chromium itself reports, such as failed requests.
 *
 * Chromium keeps a page's latest messages and replays them when `Runtime` is enabled. Until then the page can neither detect a listener nor
 * flood it with events. `clock` enables `Runtime` earlier, so this function disables it first.
 */
export async function readConsole(
  tab: Tab,
  messagesMax: number,
  wanted: Wanted,
): Promise<{ messages: LoggedMessage[]; isComplete: boolean }> {
  const messages: LoggedMessage[] = [];
  let isComplete = true;
  const objects: { target: Target; logged: LoggedMessage; args: Argument[] }[] = [];
  const add = (target: Target, logged: LoggedMessage, args: Argument[] = []) => {
    if (wanted === "problems" && logged.level !== "error" && logged.level !== "warning") return;
    if (messages.length >= messagesMax) isComplete = false;
    else {
      messages.push(
        Object.assign(logged, { text: kept(logged.text), url: logged.url && kept(logged.url), stack: logged.stack && kept(logged.stack) }),
      );
      if (args.some(isObject) && objects.length < objectsMax) objects.push({ target, logged, args });
    }
  };
  const targets = wanted === "all" ? [tab, ...(await tab.childFrames())] : [tab];
  for (const target of targets) listen(target, (...logged) => add(target, ...logged));
  const replay = targets.map((target) =>
    Promise.all([target.send("Runtime.disable"), target.send("Runtime.enable"), ...(wanted === "all" ? [target.send("Log.enable")] : [])]),
  );
  const isInTime = await tab.within(readTimeoutMs, Promise.all(replay));
  const readNext = async () => {
    for (let next = objects.shift(); next; next = objects.shift()) await describeObjects(next);
  };
  if (wanted === "all") await tab.within(readTimeoutMs, Promise.all(Array.from({ length: readAtOnce }, readNext)));
  objects.length = 0;
  return { messages: [...messages].sort((one, other) => one.at - other.at), isComplete: isComplete && isInTime };
}

/** Chromium replays objects without their properties. */
async function describeObjects({ target, logged, args }: { target: Target; logged: LoggedMessage; args: Argument[] }) {
  const described = args.slice(0, argumentsMax).map(async (argument) => {
    if (!isObject(argument)) return argument;
    const itself = { objectId: argument.objectId ?? "", functionDeclaration: "function () { return this }", generatePreview: true };
    const preview = await target.send("Runtime.callFunctionOn", itself).then(
      ({ result }) => result.preview,
      () => undefined, // its document is gone
    );
    return preview ? { ...argument, preview } : argument;
  });
  logged.text = kept(textOf(await Promise.all(described)));
}

/** More than is shown of a text of a message, and little enough for thousands of them. */
const kept = (text: string) => beginningOf(text, textMax);

function isObject({ objectId, subtype }: Argument): boolean {
  return objectId !== undefined && (subtype === undefined || subtype === "array");
}

/** @param add receives each message, with the arguments of a console call. */
function listen(target: Target, add: (message: LoggedMessage, args?: Argument[]) => void): void {
  target.on("Runtime.consoleAPICalled", ({ type, args, stackTrace, timestamp }) => {
    const level = levels[type];
    const stack = args.map(stackOf).find((one) => one !== null) ?? null;
    if (!level) return;
    add({ level, text: textOf(args), at: timestamp, ...locationOf(stackTrace?.callFrames[0]), stack }, args);
  });
  target.on("Runtime.exceptionThrown", ({ timestamp, exceptionDetails: { text, exception, stackTrace, ...details } }) => {
    const location = locationOf(stackTrace?.callFrames[0] ?? { url: details.url ?? "", ...details });
    const thrown = exception?.description?.split("\n", 1)[0] ?? text;
    add({ level: "error", text: thrown, at: timestamp, ...location, stack: exception ? stackOf(exception) : null });
  });
  target.on("Log.entryAdded", ({ entry: { level, text, timestamp, url = "", lineNumber } }) => {
    const location = url === "" ? locationOf() : { url, line: lineNumber === undefined ? null : lineNumber + 1, column: null };
    add({
      level: level === "verbose" ? "debug" : level,
      text: text.replace(proxyError, "the connection failed or was refused"),
      at: timestamp,
      ...location,
      stack: null,
    });
  });
}

/** Chromium's error would name the service's own proxy. */
const proxyError = /net::ERR_(PROXY|SOCKS|TUNNEL)_\w{1,60}/;

/** Console methods that log nothing are left out. */
const levels: Partial<Record<Protocol.Runtime.ConsoleAPICalledEvent["type"], Level>> = {
  error: "error",
  assert: "error",
  warning: "warning",
  info: "info",
  debug: "debug",
  log: "log",
  dir: "log",
  dirxml: "log",
  table: "log",
  trace: "log",
  startGroup: "log",
  startGroupCollapsed: "log",
  count: "log",
  timeEnd: "log",
};

function locationOf(frame?: { url: string; lineNumber: number; columnNumber: number }): Pick<LoggedMessage, "url" | "line" | "column"> {
  return frame?.url
    ? { url: frame.url, line: frame.lineNumber + 1, column: frame.columnNumber + 1 }
    : { url: null, line: null, column: null };
}

function stackOf({ subtype, description = "" }: Argument): string | null {
  return subtype === "error" && description.includes("\n") ? description : null;
}

/** Placeholders in the Console standard (https://console.spec.whatwg.org/#formatter); `%c` takes a style and shows nothing. */
const placeholder = /%[sdifoOc%]/g;

/** Maximum number of arguments shown per message, and of characters per argument: a page can log any number of them. */
const argumentsMax = 20;
const textMax = 10_000;

/** Joins the arguments as browsers' developer tools do. The first one may contain placeholders for the others. */
function textOf(all: readonly Argument[]): string {
  const args = all.slice(0, argumentsMax);
  const [first, ...rest] = args;
  if (first?.type !== "string" || rest.length === 0) return args.map(argumentText).join(" ");
  const formatted = argumentText(first).replace(placeholder, (found) => {
    if (found === "%%") return "%";
    const next = rest.shift();
    if (!next) return found;
    if (found === "%c") return "";
    return found === "%d" || found === "%i" ? String(Number.parseInt(argumentText(next), 10)) : argumentText(next);
  });
  return rest.length > 0 ? `${formatted} ${rest.map(argumentText).join(" ")}` : formatted;
}

/** Shows only the first line of an error. */
function argumentText({ type, subtype, value, description, preview }: Argument): string {
  if (preview && (subtype === undefined || subtype === "array")) return previewOf(preview).slice(0, textMax);
  const [line] = (description ?? "").slice(0, textMax).split("\n", 1);
  if (subtype === "error") return line || "Error";
  return line || String(value ?? type).slice(0, textMax);
}

function previewOf({ subtype, properties, overflow, description }: Protocol.Runtime.ObjectPreview): string {
  const parts = properties.map(({ name, type, value = type }) => {
    const shown = type === "string" ? JSON.stringify(value) : value;
    return subtype === "array" ? shown : `${name}: ${shown}`;
  });
  if (overflow) parts.push("…");
  if (subtype === "array") return `[${parts.join(", ")}]`;
  return `${description && description !== "Object" ? `${description} ` : ""}{${parts.join(", ")}}`;
}
