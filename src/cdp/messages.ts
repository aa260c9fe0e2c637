/** Limits, parses and builds messages of the DevTools protocol. */

import type { ClientCommand } from "./policy.ts";

/** A message that ends the connection, with the WebSocket close code and a human-readable reason. */
export class BadMessage extends Error {
  override readonly name = "BadMessage";
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

const invalidPayload = 1007;
const policyViolation = 1008;
/** Chromium's command IDs are 32-bit integers. */
const idMax = 2 ** 31 - 1;

/** Method names and session IDs are limited because responses echo them. In Chromium, they have under 60 and exactly 32 characters. */
export const methodLengthMax = 100;
const sessionIdLengthMax = 100;

/** @throws {BadMessage} if the text is not a command. */
export function parseCommand(text: string): ClientCommand {
  const message = parse(text);
  const { id, method, params = {}, sessionId, guid } = message;
  if (guid !== undefined)
    throw new BadMessage(policyViolation, "This is Chromium's DevTools protocol, not Playwright's own: use connectOverCDP.");
  if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id > idMax)
    throw new BadMessage(invalidPayload, `Each message needs an id, an integer from 0 to ${idMax}.`);
  if (typeof method !== "string") throw new BadMessage(invalidPayload, "Each message needs a method.");
  if (method.length > methodLengthMax) throw new BadMessage(invalidPayload, `A method must have at most ${methodLengthMax} characters.`);
  if (!isObject(params)) throw new BadMessage(invalidPayload, "params must be an object.");
  if (sessionId === undefined) return { id, method, params };
  if (typeof sessionId !== "string") throw new BadMessage(invalidPayload, "sessionId must be a string.");
  if (sessionId.length > sessionIdLengthMax)
    throw new BadMessage(invalidPayload, `A sessionId must have at most ${sessionIdLengthMax} characters.`);
  return { id, method, params, sessionId };
}

function parse(text: string): Record<string, unknown> {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new BadMessage(invalidPayload, "The message is not JSON.");
  }
  if (!isObject(message)) throw new BadMessage(invalidPayload, "The message is not a JSON object.");
  return message;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Our own response to a command that is not forwarded to Chromium. */
export function answerTo(
  { id, sessionId }: ClientCommand,
  content: { result: object } | { error: { code: number; message: string } },
): string {
  return JSON.stringify({ id, ...content, ...(sessionId === undefined ? {} : { sessionId }) });
}

/** An error response with JSON-RPC's generic server error, like Chromium's. */
export function refusalOf(command: ClientCommand, message: string): string {
  return answerTo(command, { error: { code: -32_000, message } });
}

/** Replaces the ID, which comes first in Chromium's response, with the client's. */
export function withId(response: Buffer, id: number): Buffer {
  const rest = response.indexOf(",");
  return Buffer.concat([Buffer.from(`{"id":${id}`), response.subarray(rest)]);
}

const mebibyte = 1024 * 1024;
/** Maximum nesting depth; Chromium's own limit. */
const levelsMax = 300;
/** Maximum number of strings, brackets and commas. Script arguments have a few thousand; parsing a hundred thousand takes about 20 ms. */
const partsMax = 100_000;

/**
 * Maximum length in bytes. Checking, parsing and reserializing the longest message takes about 100 ms, in three turns of the event loop.
 */
export const lengthMax = { text: 8 * mebibyte, other: mebibyte };
/** Commands that carry a document, script, style sheet, response body, `data:` URL or other text of arbitrary length. */
const textMethods = new Set(
  "CSS.addRule CSS.setStyleSheetText CSS.setStyleTexts DOM.setAttributeValue DOM.setAttributesAsText DOM.setNodeValue DOM.setOuterHTML DOMStorage.setDOMStorageItem Debugger.evaluateOnCallFrame Debugger.setScriptSource Fetch.continueRequest Fetch.fulfillRequest Input.dispatchDragEvent Input.imeSetComposition Input.insertText Network.setCookies Page.addScriptToEvaluateOnLoad Page.addScriptToEvaluateOnNewDocument Page.navigate Page.printToPDF Page.setDocumentContent Runtime.callFunctionOn Runtime.compileScript Runtime.evaluate Storage.setCookies Target.createTarget".split(
    " ",
  ),
);

const code = { quote: 0x22, backslash: 0x5c, colon: 0x3a, comma: 0x2c, braceOpen: 0x7b, listOpen: 0x5b };
const structural = Uint8Array.from({ length: 256 }, (_, character) => (/["{}[\],]/.test(String.fromCharCode(character)) ? 1 : 0));

/** Checks the limits in about 1 ms per megabyte. The JSON is validated by the parser. @throws {BadMessage} if a limit is exceeded. */
export function assertBounded(message: Buffer): void {
  let parts = 0;
  let level = 0;
  let method = "";
  let isMethod = false;
  for (let at = 0; at < message.length; at += 1) {
    const character = message[at] as number;
    if (structural[character] === 0) continue;
    parts += 1;
    if (parts > partsMax) throw new BadMessage(1009, `A message must have at most ${partsMax} strings, brackets and commas.`);
    if (character === code.quote) {
      const start = at + 1;
      at = endOfText(message, start);
      if (level !== 1) continue;
      if (isMethod) method = message.toString("latin1", start, Math.min(at, start + methodLengthMax));
      isMethod = message[at + 1] === code.colon && message.toString("latin1", start, Math.min(at, start + 7)) === "method";
    } else if (character === code.braceOpen || character === code.listOpen) {
      level += 1;
      if (level > levelsMax) throw new BadMessage(1007, `The message is nested too deeply: it has more than ${levelsMax} levels.`);
    } else if (character !== code.comma) level -= 1;
  }
  const max = lengthMax[textMethods.has(method) ? "text" : "other"];
  if (message.length > max) throw new BadMessage(1009, `A message with this command must not exceed ${max / mebibyte} MB.`);
}

/** Index of the closing quote. */
function endOfText(message: Buffer, start: number): number {
  for (let at = start; at < message.length; at += 1) {
    if (message[at] === code.quote) return at;
    if (message[at] === code.backslash) at += 1; // escapes the next character
  }
  return message.length;
}
