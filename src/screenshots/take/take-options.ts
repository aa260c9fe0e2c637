/** All options of a screenshot request, and the parsed request, which has the same form for every interface. */

import { createHash } from "node:crypto";
import type { z } from "zod";
import type { Caller } from "../../accounts/keys/caller.ts";
import { mayCapture } from "../../accounts/keys/restrictions.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { RequestedSignIn } from "../../accounts/sessions/requested-sign-in.ts";
import type { SignInAttempts } from "../../accounts/sessions/sign-in-attempts.ts";
import type { Limits, OptionGroup } from "../../capture/option-group.ts";
import { addressOf, groups, hasNoHost, type SchemaOf, schemaOf } from "../../capture/options.ts";
import type { CaptureRequest } from "../../capture/request.ts";
import type { UpstreamProxy } from "../../shared/proxy-url.ts";
import { comparison, delivery } from "./delivery-options.ts";

export const takeGroups = [...groups, comparison, delivery] as const;

export type TakeSchema = SchemaOf<typeof takeGroups>;
export type TakeOptions = z.output<TakeSchema>;
export type ProxyOptions = Pick<TakeOptions, "country" | "proxy"> & Partial<Pick<TakeOptions, "signature">>;

export function createTakeSchema(limits: Limits): TakeSchema {
  return schemaOf(takeGroups, limits);
}

/** Adds the values that the given values imply, some of which replace given values: see each group's `presets`. */
export function withPresets(given: Record<string, unknown>, defaults: Record<string, unknown>): Record<string, unknown> {
  return Object.assign({}, given, ...takeGroups.map((group: OptionGroup) => group.presets?.(given, defaults) ?? {}));
}

/** `createTakeRequest` returns it frozen, because concurrent requests with the same text share one object. */
export interface TakeRequest {
  options: TakeOptions;
  /** `options.url`, or the address of the caller's own document. */
  target: URL;
  /** Warnings about ignored parameters. */
  warnings: string[];
  /**
   * SHA-256 of every option that affects the image, and of the session's state, if any. Requests with equal identities may share an image.
   */
  identity: Buffer;
  /** `identity` without the session's state. */
  optionsIdentity: Buffer;
  /** `options` for storage and logs: secret values are replaced by "given", documents by hashes. */
  recordedOptions: Record<string, unknown>;
  /**
   * Maximum age in seconds of a stored screenshot that the request accepts. If 0, no stored screenshot is accepted, and the
   * result isn't cached either.
   */
  maxAgeSeconds: number;
  /** Whether the image may show content that only this caller may see. */
  isPrivate: boolean;
  /** Whether the capture needs nothing from the account: no session, proxy, typing limit or permission to record secrets. */
  isPlain: boolean;
  /** Sign-in to the session, which the capture performs first. */
  signIn?: RequestedSignIn | undefined;
}

export function createTakeRequest(schema: TakeSchema, options: TakeOptions, warnings: string[]): TakeRequest {
  const given = givenOptions(schema, options);
  const identifying = given.filter(({ meta }) => meta.identity !== false).map(({ name, value }) => [name, value]);
  const identity = createHash("sha256").update(JSON.stringify(identifying)).digest();
  return deepFreeze({
    options,
    target: addressOf(options),
    warnings: [...warnings, ...originlessWarnings(options)],
    identity,
    optionsIdentity: identity,
    recordedOptions: Object.fromEntries(given.map(({ name, meta, value }) => [name, meta.secret ? "given" : value])),
    maxAgeSeconds: maxAgeOf(options),
    isPrivate: options.session !== undefined || given.some(({ meta }) => meta.secret),
    isPlain: !options.har_secrets && (["session", "country", "proxy", "steps"] as const).every((name) => options[name] === undefined),
  });
}

/** @param version identifies the state of the request's session. A sign-in or a new state may change it before the page is loaded. */
export function withVersion(request: TakeRequest, version: string): TakeRequest {
  return { ...request, identity: createHash("sha256").update(request.optionsIdentity).update(version).digest() };
}

interface AccessParts extends Pick<SignInAttempts, "startTyping" | "countTyping"> {
  /** See `Proxies` in proxies.ts. */
  proxies: { proxyFor(caller: Caller, options: ProxyOptions): UpstreamProxy | undefined };
  sessions: Pick<PageSessions, "open">;
}

/**
 * What the capture may use: its proxy, the account's sessions, and the account's limits on typing. If the key has allowed targets, the main
 * frame is restricted to them. Not needed for a plain request made with a key without allowed targets.
 * @throws {AppError} `invalid_parameters`, `proxy_not_allowed` or `domain_not_allowed` if the caller may not use the proxy.
 */
export function accessOf(
  caller: Caller,
  request: TakeRequest | undefined,
  { proxies, sessions, startTyping, countTyping }: AccessParts,
): Pick<CaptureRequest, "proxy" | "openSession" | "mayNavigate" | "startTyping" | "countTyping"> {
  const options: ProxyOptions & { session?: string | undefined } = request?.options ?? {};
  const isDirect = options.country === undefined && options.proxy === undefined;
  const proxy = isDirect ? undefined : proxies.proxyFor(caller, options);
  return {
    // A caller may be able to read the traffic through its own proxy, but must never see a session's contents.
    ...(proxy && { proxy: { ...proxy, isEncryptedOnly: !proxy.isTrusted && options.session !== undefined } }),
    startTyping: (pages) => startTyping(caller.userId, pages),
    countTyping: (page, plan, isFurther) =>
      countTyping(caller.userId, page, plan, { isRequested: request?.signIn !== undefined, isFurther }),
    openSession: (name) => sessions.open(caller, name, request?.signIn),
    ...(caller.allowedTargets.length > 0 ? { mayNavigate: (url) => mayCapture(caller, url) } : {}),
  };
}

/** The options that have a value, in the schema's order. Each document is replaced by its hash. */
function givenOptions(schema: TakeSchema, options: TakeOptions): { name: string; meta: z.GlobalMeta; value: unknown }[] {
  const values: Record<string, unknown> = options;
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, type]) => {
    const value = values[name];
    const meta = type.meta() ?? {};
    return value === undefined ? [] : [{ name, meta, value: meta.digest ? digestOf(String(value)) : value }];
  });
}

function digestOf(text: string): string {
  return `sha256 ${createHash("sha256").update(text).digest("hex")}, ${Buffer.byteLength(text)} bytes`;
}

/** Warnings for options that need an origin, if the document has none. */
function originlessWarnings(options: TakeOptions): string[] {
  if (!hasNoHost(options)) return [];
  const unused = (["headers", "authorization", "cookies"] as const).filter((name) => options[name] !== undefined);
  return unused.map((name) => `${name} has no effect without base_url`);
}

function maxAgeOf({ is_cached, cache_ttl, stale_while_revalidate = 0, stale_if_error = 0 }: TakeOptions): number {
  return Math.max(is_cached ? cache_ttl : 0, stale_while_revalidate, stale_if_error);
}

/** Skips buffers, which cannot be frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
