/**
 * A door: another product's requests, translated into ours and back. It has a table from the product's names to our options and a shape for
 * answers; keys, limits and errors are those of the take route, which serves it.
 */

import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AppError } from "../../errors.ts";
import type { Members } from "../json-body.ts";

/** What a request sent, by name; the members of an object have names with dots: `viewport.width`. */
export type Given = Readonly<Record<string, unknown>>;

/** How one of the product's names is translated. */
export interface Entry {
  /** The options of ours that it sets. */
  ours: readonly string[];
  /** For the documentation: what differs, or why it isn't served. */
  note?: string;
  /** Whether it is refused, always or for some values only. */
  refuses?: "always" | "some";
  /** Whether it asks for something in the answer, rather than of the capture. */
  isOfAnswer?: true;
  /** Whether the name means something to other routes of the product only. */
  isForOthers?: true;
  /** @throws {NotServed} */
  read(value: unknown, given: Given, name: string): Members;
}

/** By name; `a.*` is for the names that begin with `a.` and have no entry of their own. */
export type Table = Readonly<Record<string, Entry>>;

/** A value that can't be translated: why not. */
export class NotServed extends Error {
  override readonly name = "NotServed";
}

/** A value that is wrong with the product, too: the message goes on after the name. */
export class Invalid extends NotServed {}

/** A route of the product, and what its requests have besides those of the other routes. */
export interface DoorRoute {
  method: "GET" | "POST";
  path: string;
  /** Names that only this route has, or that mean something else here. */
  table?: Table;
  /** What its requests mean where they say nothing, in our options. */
  defaults?(given: Given): Members;
}

/** A route for `GET` that tells of the service, without a capture. */
export interface PlainRoute {
  path: string;
  answer(reply: FastifyReply, service: ServiceState): Promise<unknown>;
}

/** What plain routes tell of the service. */
export interface ServiceState {
  version: string;
  /** Captures that run and wait in this process, and their limits. */
  load: () => { running: number; waiting: number; runningMax: number; waitingMax: number };
  /** Of the browsers, once one has started. */
  browser: () => { version: string; userAgent: string } | undefined;
}

export interface Door {
  /** Of the product. */
  title: string;
  /** Of its documentation. */
  reference: string;
  /** For docs/compatible.md: what is different, in Markdown. */
  about?: string;
  routes: readonly DoorRoute[];
  plainRoutes?: readonly PlainRoute[];
  /** Of the parameter or member with the key; it is not translated. */
  keyName: string;
  /** The key elsewhere, such as in a header of the product's own, or in the path. */
  keyOf?(request: FastifyRequest): string | undefined;
  /** Whether the product's requests are signed like ours. */
  isSigned?: true;
  /** Whether the addresses stand in pages, so that only keys that are bound to domains are accepted. */
  isForPages?: true;
  table: Table;
  /** What the product does where a request says nothing, in our options. */
  defaults(given: Given): Members;
  /** Runs before anything is read of a request, on all routes; sets headers that every answer has. */
  prepare?(request: FastifyRequest, reply: FastifyReply): void;
  /** What the path says. */
  readPath?(request: FastifyRequest): Members;
  /** The type of its bodies, if they aren't JSON, and how they are read; they are given as bytes. */
  body?: { type: string; read(request: FastifyRequest): Promise<Members> };
  /** Adjusts headers and body of a successful answer. */
  answer?(body: unknown, exchange: { given: Given; request: FastifyRequest; reply: FastifyReply }): Promise<unknown>;
  /** The product's error: its body as text, its content type, and its status where it isn't ours. */
  failure(failure: AppError, request: FastifyRequest): { type: string; text: string; status?: number };
}

const always = "always";

/** Sets `name` to the value, or to what `convert` makes of it. */
export function as(name: string, convert: (value: unknown, given: Given) => unknown = (value) => value, note?: string): Entry {
  return { ours: [name], ...(note ? { note } : {}), read: (value, given) => ({ [name]: convert(value, given) }) };
}

/** Sets several options. */
export function into(ours: string[], read: Entry["read"], note?: string): Entry {
  return { ours, ...(note ? { note } : {}), read };
}

/** Is accepted without effect. */
export function ignored(note: string): Entry {
  return { ours: [], note, read: () => ({}) };
}

/** Asks for something in the answer. */
export function inAnswer(note: string): Entry {
  return { ...flag([], undefined, note), isOfAnswer: true };
}

/** Names of other routes, which this one ignores as the product does. */
export function ofOthers(table: Table, own: Table, note: string): Table {
  const names = Object.keys(table).filter((name) => !Object.hasOwn(own, name));
  return Object.fromEntries(names.map((name) => [name, { ...ignored(note), isForOthers: true }]));
}

/** Is a 400. */
export function refused(note: string): Entry {
  const read = () => {
    throw new NotServed(note);
  };
  return { ours: [], note, refuses: always, read };
}

/** Is a 400, unless it has one of the values that mean that it is off, or is possible in this request. */
export function refusedUnless(
  off: readonly unknown[],
  note: string,
  isPossible: (value: unknown, given: Given) => boolean = () => false,
): Entry {
  const read = (value: unknown, given: Given) => {
    if (off.map(String).includes(String(value)) || isPossible(value, given)) return {};
    throw new NotServed(note);
  };
  return { ours: [], note, refuses: "some", read };
}

/** What a flag means when it is on, and when it is off; anything else is a 400. */
export function flag(ours: string[], read: (isSet: boolean, given: Given) => Members = () => ({}), note?: string): Entry {
  const strictly = (value: unknown, given: Given) => {
    if (Array.isArray(value) || (!isOn(value) && !offs.includes(String(value).toLowerCase())))
      throw new NotServed("it must be true or false");
    return read(isOn(value), given);
  };
  return into(ours, strictly, note);
}

/** Whether a flag is set, in a query or in JSON. */
export function isOn(value: unknown): boolean {
  return value === true || ["true", "1", "yes", "on"].includes(String(value).toLowerCase());
}

const offs = ["false", "0", "no", "off"];

/** One value or a list, as a list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** What Fastify is about to send, whole. */
export async function bytesOf(body: unknown): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  return typeof body === "string" ? Buffer.from(body) : await buffer(body as Readable);
}

/** Whether text can be made of the value: an object of JSON may have a `toString` that is no function. */
export function isReadable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, own]) => !(name in Object.prototype) && isReadable(own));
}
