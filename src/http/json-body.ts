/** Reads a JSON body strictly and at a bounded cost: UTF-8, an object, no name twice, few levels and few values. */

import { isUtf8 } from "node:buffer";
import { AppError } from "../errors.ts";

export type Members = Readonly<Record<string, unknown>>;

/** Read at its first use, which throws an `AppError` if the body is not such an object. */
export interface JsonBody {
  readonly byteLength: number;
  /** The member `name` if it is text, without parsing the others. */
  textOf(name: string): string | undefined;
  namesOfTexts(): string[];
  readonly members: Members;
}

/** Options have two levels, those in a list of requests four. */
const levelsMax = 6;
/** Values, names and brackets: far more than all options have together. */
const partsMax = 20_000;

export function createJsonBody(bytes: Buffer): JsonBody {
  let read: Scanned | undefined;
  let members: Members | undefined;
  const scanned = () => {
    read ??= scan(decode(bytes));
    return read;
  };
  return {
    byteLength: bytes.length,
    textOf(name) {
      const { text, texts } = scanned();
      const { start, end } = texts.get(name) ?? {};
      return start === undefined ? undefined : (parse(text.slice(start, end)) as string);
    },
    namesOfTexts: () => [...scanned().texts.keys()],
    get members() {
      members ??= parse(scanned().text) as Members;
      return members;
    },
  };
}

function refused(message: string, allowed = "a JSON object"): AppError {
  return new AppError("invalid_parameters", { details: [{ parameter: "body", message: `the body ${message}`, allowed }] });
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw refused("is not UTF-8", "a JSON object in UTF-8");
  const text = bytes.toString().replace(/^\ufeff/, "");
  const [first] = /[^ \t\r\n]/.exec(text) ?? [];
  if (first === undefined) throw refused("is empty");
  if (first !== "{") throw refused(`must be a JSON object${first === "[" ? ", not a list" : ""}`);
  return text;
}

/** Without the parser's own message, which quotes the text: that may hold a key, and errors are logged. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused("is not valid JSON");
  }
}

interface Scanned {
  text: string;
  /** Where the outermost members that are text have their values, quotes included. */
  texts: Map<string, { start: number; end: number }>;
}

/** An object or a list around the current position. */
interface Container {
  /** Of its members so far; absent in a list. */
  names?: Set<string>;
  /** Of the current member. */
  name?: string | undefined;
}

const code = { quote: 0x22, backslash: 0x5c, comma: 0x2c, braceOpen: 0x7b, braceClose: 0x7d, listOpen: 0x5b, listClose: 0x5d };
const structural = Uint8Array.from({ length: 128 }, (_, character) => (/["{}[\],]/.test(String.fromCharCode(character)) ? 1 : 0));

/**
 * Takes a few milliseconds for a megabyte, whatever is in it. What is not JSON at all is left to the parser.
 * @throws {AppError} for a name given twice, and for too many levels or parts.
 */
function scan(text: string): Scanned {
  const texts: Scanned["texts"] = new Map();
  const around: Container[] = [];
  for (let at = 0, parts = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (structural[character] !== 1) continue;
    parts += 1;
    if (parts > partsMax) throw refused("has too many values", `at most ${partsMax} names, values and brackets`);
    const here = around.at(-1);
    if (character === code.quote) {
      const end = endOfText(text, at);
      if (here?.names && here.name === undefined) here.name = nameAt(text.slice(at, end), here.names, around);
      else if (around.length === 1 && here?.name !== undefined) texts.set(here.name, { start: at, end });
      at = end - 1;
    } else if (character === code.comma) {
      if (here) here.name = undefined;
    } else if (character === code.braceOpen || character === code.listOpen) {
      if (around.length === levelsMax) throw refused(`has more than ${levelsMax} levels`, `at most ${levelsMax} levels`);
      around.push(character === code.braceOpen ? { names: new Set() } : {});
    } else around.pop();
  }
  return { text, texts };
}
/** Behind the closing quote. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === code.quote) return at + 1;
    if (character === code.backslash) at += 1; // it escapes what follows
  }
  return text.length;
}

/** @throws {AppError} if the object has the name already. */
function nameAt(quoted: string, names: Set<string>, around: Container[]): string {
  const name = quoted.includes("\\") ? (parse(quoted) as string) : quoted.slice(1, -1);
  if (names.has(name)) {
    const path = [...around.flatMap((container) => container.name ?? []), name].join(".").replace(/[^\w.[\]-]/g, "?");
    throw refused(`has ${path.slice(0, 100)} twice`, "each member once");
  }
  names.add(name);
  return name;
}
