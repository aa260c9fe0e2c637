/** The state of a browser context in the format of Playwright's `storageState`: cookies, and each origin's storage. */

import { z } from "zod";
import { parseUrl } from "./urls.ts";

/** Also used as a path segment. */
export const sessionName = z.string().regex(/^[\w-]{1,64}$/);

/** Maximum length of a state as JSON, in characters. */
export const stateLengthMax = 1024 * 1024;
export const cookiesMax = 300;
/** Maximum total length of a state's hosts, because lists of sessions include them. */
const hostsLengthMax = 4_096;
const originsMax = 20;
export const itemsMax = 1_000;
const databasesMax = 20;
/** Chromium's limit on a cookie's name and value together. */
const cookieLengthMax = 4_096;

/** Keeps errors from quoting any part of a state. */
const secret = { secret: true } as const;
const text = (max: number) => z.string().max(max).meta(secret);
const flag = z.boolean().default(false).meta(secret);
const list = <T extends z.ZodType>(item: T, max: number) => z.array(item).max(max).default([]).meta(secret);

const cookie = z
  .object({
    name: text(cookieLengthMax),
    value: text(cookieLengthMax),
    domain: z
      .string()
      .max(255, { abort: true })
      .regex(/^\.?[^\s/@?#:.][^\s/@?#]*$|^\[[0-9a-f:.]+\]$/i)
      .toLowerCase()
      .meta(secret),
    path: text(1_024).default("/"),
    expires: z
      .number()
      .default(-1)
      .meta({ ...secret, description: "Unix seconds; -1 for a session cookie." }),
    httpOnly: flag,
    secure: flag,
    sameSite: z.enum(["Strict", "Lax", "None"]).optional().meta(secret),
    partitionKey: text(300)
      .optional()
      .meta({ ...secret, description: "Top-level site of a partitioned cookie." }),
    _crHasCrossSiteAncestor: z.boolean().optional().meta(secret),
  })
  .meta(secret);

const keyPaths = { keyPath: text(1_024).optional(), keyPathArray: z.array(text(1_024)).max(100).optional().meta(secret) };
/** A value is JSON, or encoded the way Playwright does it: see `decode` in in-page/storage.ts. */
const value = z.unknown().optional().meta(secret);
const record = z.object({ key: value, keyEncoded: value, value, valueEncoded: value }).meta(secret);
const index = z.object({ name: text(1_024), ...keyPaths, unique: flag, multiEntry: flag }).meta(secret);
const store = z
  .object({ name: text(1_024), ...keyPaths, autoIncrement: flag, indexes: list(index, 100), records: list(record, itemsMax) })
  .meta(secret);
const version = z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta(secret);
const storedDatabase = z.object({ name: text(1_024), version, stores: list(store, 100) }).meta(secret);

const origin = z
  .object({
    origin: z
      .string()
      .max(300, { abort: true })
      .refine((text) => /^https?:/.test(text) && parseUrl(text)?.origin === text, "must be an http or https origin")
      .meta(secret),
    localStorage: list(z.object({ name: z.string().meta(secret), value: z.string().meta(secret) }).meta(secret), itemsMax),
    indexedDB: list(storedDatabase, databasesMax),
  })
  .meta(secret);

export const storageState = z
  .object({ cookies: list(cookie, cookiesMax), origins: list(origin, originsMax) })
  .refine(({ cookies, origins }) => cookies.length + origins.length > 0, "must contain at least one cookie or origin")
  .refine(
    (state) => hostsOf(state).join().length <= hostsLengthMax,
    `must not be for hosts whose names total more than ${hostsLengthMax} characters`,
  )
  .meta(secret);

export type StorageState = z.output<typeof storageState>;
export type StoredOrigin = StorageState["origins"][number];

/** Hosts for which the state may be used, without duplicates; a leading dot includes subdomains. */
export function hostsOf({ cookies, origins }: { cookies: { domain: string }[]; origins: { origin: string }[] }): string[] {
  return [...new Set([...cookies.map(({ domain }) => domain), ...origins.map(({ origin }) => parseUrl(origin)?.hostname ?? "")])].sort();
}

/** @param hosts in the format of {@link hostsOf}. */
export function isForHost(hosts: readonly string[], hostname: string): boolean {
  return hosts.some((host) => hostname === host || (host.startsWith(".") && `.${hostname}`.endsWith(host)));
}
