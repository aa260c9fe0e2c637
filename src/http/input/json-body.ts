/** Reads a JSON body strictly and at bounded cost: UTF-8, an object, no duplicate names, limited depth and number of values. */

import { isUtf8 } from "node:buffer";
import { AppError } from "../../shared/errors.ts";
import { turnOf } from "../../shared/turns.ts";
import { jsonProblem } from "./json-error.ts";

export type Members = Readonly<Record<string, unknown>>;

/**
 * Parsed lazily. Every access except to `byteLength` throws an `AppError` if the structure is invalid; syntax errors may surface only in
 * `members` and `read`.
 */
export interface JsonBody {
  readonly byteLength: number;
  /** The member `name` if it is a string, without parsing the others. */
  textOf(name: string): string | undefined;
  namesOfTexts(): string[];
  /** Like `members`, but parses a large body over several turns of the event loop, and then resolves in one, in which it can be validated. */
  read(account?: string): Promise<Members>;
  /** All members, parsed synchronously. */
  readonly members: Members;
}

export interface BodyBounds {
  /** Number of strings, brackets and commas, which approximates the number of names, values and brackets. */
  parts: number;
  levels: number;
}

/** Generous: options need two levels (four in a list of requests) and far fewer parts. */
const defaultBounds: BodyBounds = { parts: 20_000, levels: 6 };
/** Parsing this much takes about a millisecond. */
const bytesPerTurn = 128 * 1024;

export function createJsonBody(bytes: Buffer, bounds?: Partial<BodyBounds>): JsonBody {
  let texts: Texts | undefined;
  let members: Members | undefined;
  const scanned = () => {
    texts ??= scan(bytes, { ...defaultBounds, ...bounds });
    return texts;
  };
  return {
    byteLength: bytes.length,
    textOf(name) {
      const { start, end } = scanned().get(name) ?? {};
      return start === undefined ? undefined : (parse(bytes.toString("utf8", start, end), bytes) as string);
    },
    namesOfTexts: () => [...scanned().keys()],
    async read(account) {
      if (bytes.length <= bytesPerTurn) return this.members;
      scanned();
      await turnOf(account);
      const read = this.members;
      await turnOf(account);
      return read;
    },
    get members() {
      scanned();
      members ??= parse(bytes.toString().replace(/^\ufeff/, "")) as Members;
      return members;
    },
  };
}

/** Whether a JSON parameter has more levels or parts than a body may have. */
export function exceedsBounds(text: string): boolean {
  try {
    walk(Buffer.from(text), defaultBounds, () => ({}));
    return false;
  } catch {
    return true;
  }
}

function refused(message: string, allowed = "a JSON object"): AppError {
  return new AppError("invalid_parameters", { details: [{ parameter: "body", message: `the body ${message}`, allowed }] });
}

/**
 * Drops the parser's own message, which quotes the text: the text may contain a key, and errors are logged.
 * @param whole the body that contains `text`, for the position in the message.
 */
function parse(text: string, whole?: Buffer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(`is not valid JSON${jsonProblem(whole?.toString() ?? text) ?? ""}`);
  }
}

/** Byte ranges of the top-level string values, including their quotes. */
type Texts = Map<string, { start: number; end: number }>;

/** An object or a list around the current position. */
interface Container {
  /** Names of the members read so far; absent for a list, or if names aren't checked. */
  names?: Set<string>;
  /** Name of the current member. */
  name?: string | undefined;
}

const code = { quote: 0x22, backslash: 0x5c, comma: 0x2c, braceOpen: 0x7b, braceClose: 0x7d, listOpen: 0x5b, listClose: 0x5d };
const structural = Uint8Array.from({ length: 256 }, (_, character) => (/["{}[\],]/.test(String.fromCharCode(character)) ? 1 : 0));

/**
 * Checks the structure of a body, and locates its top-level strings, in a few milliseconds per megabyte whatever the content. Invalid
 * syntax is left to the parser.
 * @throws {AppError} `invalid_parameters` if the body is not a UTF-8 JSON object, has duplicate names, or has too many levels or parts.
 */
function scan(bytes: Buffer, bounds: BodyBounds): Texts {
  assertObject(bytes);
  return walk(bytes, bounds, () => ({ names: new Set() }));
}

/** @param object creates the container for an object. */
function walk(bytes: Buffer, { parts: partsMax, levels: levelsMax }: BodyBounds, object: () => Container): Texts {
  const texts: Texts = new Map();
  const around: Container[] = [];
  for (let at = 0, parts = 0; at < bytes.length; at += 1) {
    const character = bytes[at] as number;
    if (structural[character] === 0) continue;
    parts += 1;
    if (parts > partsMax) throw refused("has too many values", `at most ${partsMax} strings, brackets and commas`);
    const here = around.at(-1);
    if (character === code.quote) {
      const end = endOfText(bytes, at);
      if (here?.names && here.name === undefined) here.name = nameAt(bytes.toString("utf8", at, end), here.names, around, bytes);
      else if (around.length === 1 && here?.name !== undefined) texts.set(here.name, { start: at, end });
      at = end - 1;
    } else if (character === code.comma) {
      if (here) here.name = undefined;
    } else if (character === code.braceOpen || character === code.listOpen) {
      if (around.length === levelsMax) throw refused(`has more than ${levelsMax} levels`, `at most ${levelsMax} levels`);
      around.push(character === code.braceOpen ? object() : {});
    } else around.pop();
  }
  return texts;
}

const byteOrderMark = Buffer.from("\ufeff");

function assertObject(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw refused("is not UTF-8", "a JSON object in UTF-8");
  let start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  while (isBlank(bytes[start])) start += 1; // with `find`, 4 MB of blanks take 50 ms
  const first = bytes[start];
  if (first === undefined) throw refused("is empty");
  if (first !== code.braceOpen) throw refused(`must be a JSON object${first === code.listOpen ? ", not a list" : ""}`);
}

/** Space, tab, line feed or carriage return. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Position after the closing quote. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const character = bytes[at];
    if (character === code.quote) return at + 1;
    if (character === code.backslash) at += 1; // skip the escaped character
  }
  return bytes.length;
}

/** @throws {AppError} `invalid_parameters` if the object already has a member with this name. */
function nameAt(quoted: string, names: Set<string>, around: Container[], whole: Buffer): string {
  const name = quoted.includes("\\") ? (parse(quoted, whole) as string) : quoted.slice(1, -1);
  if (names.has(name)) {
    const path = [...around.flatMap((container) => container.name ?? []), name].join(".").replace(/[^\w.[\]-]/g, "?");
    throw refused(`has ${path.slice(0, 100)} twice`, "each member once");
  }
  names.add(name);
  return name;
}
