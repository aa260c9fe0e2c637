/**
 * The interface of adapters, which translate another product's requests into ours, and our responses into that product's. An adapter maps
 * parameters to our options and shapes responses and errors; the take route serves it, with the same authentication, limits and cache.
 */

import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AppError } from "../../shared/errors.ts";
import { piecesOf, readInChunks } from "../../shared/turns.ts";
import type { Members } from "../input/json-body.ts";

/** A request's parameters by name. Nested objects are flattened to dotted names: `viewport.width`. */
export type ProductParameters = Readonly<Record<string, unknown>>;

/** Translation of one of the product's parameters. */
export interface Entry {
  /** Our options that the parameter sets. */
  ours: readonly string[];
  /** How our behavior differs, or why the parameter isn't supported. Shown in the documentation, warnings and errors. */
  note?: string;
  /** Set if the parameter is rejected: `always`, or only for some values. */
  refuses?: "always" | "some";
  /** Whether the parameter affects the response rather than the capture. */
  affectsResponse?: true;
  /** Whether this name is used only by other routes of the product. */
  isForOtherRoutes?: true;
  /** @throws {Unsupported} */
  read(value: unknown, parameters: ProductParameters, name: string): Members;
}

/** Entries by parameter name. `a.*` matches names that begin with `a.` and have no entry of their own. */
export type Table = Readonly<Record<string, Entry>>;

/** A parameter or value that can't be translated; the message gives the reason. */
export class Unsupported extends Error {
  override readonly name = "Unsupported";
}

/** A value that the product itself rejects. The message continues a sentence that begins with the parameter's name. */
export class Invalid extends Unsupported {}

/** One of the product's capture routes. */
export interface AdapterRoute {
  method: "GET" | "POST";
  path: string;
  /** Parameters specific to this route; they override the adapter's table. */
  table?: Table;
  /** Defaults specific to this route, as our options; they override the adapter's. */
  defaults?(parameters: ProductParameters): Members;
}

/** A `GET` route that describes the service instead of capturing. */
export interface PlainRoute {
  path: string;
  respond(reply: FastifyReply, service: ServiceState): Promise<unknown>;
}

/** State of the service, as reported by plain routes. */
export interface ServiceState {
  version: string;
  /** Running and queued captures of this process, and their limits. */
  load: () => { running: number; waiting: number; runningMax: number; waitingMax: number };
  /** Undefined until a browser has started. */
  browser: () => { version: string; userAgent: string } | undefined;
}

export interface Adapter {
  /** The product's name. */
  title: string;
  /** URL of the product's API documentation. */
  reference: string;
  /** Differences from the product, in Markdown, for docs/compatible.md. */
  about?: string;
  routes: readonly AdapterRoute[];
  plainRoutes?: readonly PlainRoute[];
  /** Parameter or body member that carries the API key; it is not translated. */
  keyName: string;
  /** Reads the key from elsewhere, such as the path or one of the product's headers. */
  keyOf?(request: FastifyRequest): string | undefined;
  /** Whether the product's requests are signed like ours. */
  isSigned?: true;
  /** Whether the product's URLs, with the key, are embedded in public pages. If so, only keys restricted to domains are accepted. */
  isForPages?: true;
  table: Table;
  /** The product's defaults, as our options. */
  defaults(parameters: ProductParameters): Members;
  /** Runs on all of the adapter's routes before the parameters are read: sets headers common to all responses, or replaces the query. */
  prepare?(request: FastifyRequest, reply: FastifyReply): void;
  /** Parameters in the path. */
  readPath?(request: FastifyRequest): Members;
  /** Content type and parser of bodies that aren't JSON. `request.body` is a buffer. The parser ends early once `disconnected` aborts. */
  body?: { type: string; read(request: FastifyRequest, disconnected: AbortSignal | undefined): Promise<Members> };
  /** Adapts the headers and body of a successful response. */
  adaptResponse?(
    body: unknown,
    exchange: { parameters: ProductParameters; request: FastifyRequest; reply: FastifyReply },
  ): Promise<unknown>;
  /** Formats an error as the product does: body, content type, and the status if it differs from ours. */
  formatError(failure: AppError, request: FastifyRequest): { type: string; text: string; status?: number };
}

const always = "always";

/** Maps to the `name` option, with the value converted by `convert`. */
export function as(
  name: string,
  convert: (value: unknown, parameters: ProductParameters) => unknown = (value) => value,
  note?: string,
): Entry {
  return { ours: [name], ...(note ? { note } : {}), read: (value, parameters) => ({ [name]: convert(value, parameters) }) };
}

/** Maps to any number of options. */
export function into(ours: string[], read: Entry["read"], note?: string): Entry {
  return { ours, ...(note ? { note } : {}), read };
}

/** A parameter that is accepted but has no effect. */
export function ignored(note: string): Entry {
  return { ours: [], note, read: () => ({}) };
}

/** A flag that affects the response rather than the capture. */
export function responseFlag(note: string): Entry {
  return { ...flag([], undefined, note), affectsResponse: true };
}

/** Ignores the parameters of other routes, as the product does. */
export function ignoredFromOtherRoutes(table: Table, own: Table, note: string): Table {
  const names = Object.keys(table).filter((name) => !Object.hasOwn(own, name));
  return Object.fromEntries(names.map((name) => [name, { ...ignored(note), isForOtherRoutes: true }]));
}

/** A parameter that is rejected with a 400. */
export function refused(note: string): Entry {
  const read = () => {
    throw new Unsupported(note);
  };
  return { ours: [], note, refuses: always, read };
}

/** A parameter that is rejected with a 400 unless `off` includes its value, or `isPossible` accepts the value for this request. */
export function refusedUnless(
  off: readonly unknown[],
  note: string,
  isPossible: (value: unknown, parameters: ProductParameters) => boolean = () => false,
): Entry {
  const read = (value: unknown, parameters: ProductParameters) => {
    if (off.map(String).includes(String(value)) || isPossible(value, parameters)) return {};
    throw new Unsupported(note);
  };
  return { ours: [], note, refuses: "some", read };
}

/** Maps a boolean; any other value is rejected with a 400. */
export function flag(ours: string[], read: (isSet: boolean, parameters: ProductParameters) => Members = () => ({}), note?: string): Entry {
  const strictly = (value: unknown, parameters: ProductParameters) => {
    if (Array.isArray(value) || (!isOn(value) && !offs.includes(String(value).toLowerCase()))) throw new Invalid("must be true or false");
    return read(isOn(value), parameters);
  };
  return into(ours, strictly, note);
}

/** Whether a flag from a query or from JSON is set. */
export function isOn(value: unknown): boolean {
  return value === true || ["true", "1", "yes", "on"].includes(String(value).toLowerCase());
}

const offs = ["false", "0", "no", "off"];

/** Wraps a single value in a list. */
export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Buffers the payload of Fastify's `onSend` hook. */
export async function bytesOf(body: unknown): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  return typeof body === "string" ? Buffer.from(body) : await readInChunks(body as Readable);
}

/** Bytes encoded at a time. Each response that isn't read keeps about two such pieces, encoded. */
const encodedAtOnce = 48 * 1024;

/**
 * Encodes an image as Base64 while the client reads it, from memory or from storage. The whole text of an image would be uncounted memory
 * until the client has read it, and would take a long turn of the event loop. The stream ends with the error of `body`.
 */
export function inBase64(body: Buffer | Readable): Readable {
  return Readable.from(encoded(Buffer.isBuffer(body) ? piecesOf(body, encodedAtOnce) : body));
}

async function* encoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0); // at most two bytes: three are encoded together
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const whole = bytes.length - (bytes.length % 3);
    rest = Buffer.from(bytes.subarray(whole)); // copied, so as not to keep the chunk
    if (whole > 0) yield Buffer.from(bytes.toString("base64", 0, whole), "latin1");
  }
  if (rest.length > 0) yield Buffer.from(rest.toString("base64"), "latin1");
}

/** False if an object in the value has a member with a built-in name: `toString` in JSON, for example, breaks conversion to a string. */
export function isConvertible(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, own]) => !(name in Object.prototype) && isConvertible(own));
}
