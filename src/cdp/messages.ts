/** Parses and builds messages of the DevTools protocol. */

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
/** Chromium's ids are 32-bit integers. */
const idMax = 2 ** 31 - 1;

/** Limited because responses echo both. Chromium's method names are under 60 characters long, its session ids are 32. */
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

/** Replaces the id, which comes first in Chromium's response, with the client's. */
export function withId(response: Buffer, id: number): Buffer {
  const rest = response.indexOf(",");
  return Buffer.concat([Buffer.from(`{"id":${id}`), response.subarray(rest)]);
}
