/** A dashboard user: a browser's cookies and its Origin, without the browser. */

import assert from "node:assert/strict";
import type { Scope } from "./scope.ts";
import { startService, type TestService, type TestTimeouts } from "./service.ts";

export interface Answered {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: response bodies are untyped
  body: any;
}

export interface Visitor {
  /** Values by name. */
  cookies: Map<string, string>;
  /** `body` is sent as JSON; `headers` override the browser's, and an empty value removes a header. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  get(path: string): Promise<Answered>;
  post(path: string, body?: unknown): Promise<Answered>;
}

export const publicUrl = "http://localhost:3001";

/**
 * The service behind a trusted proxy: each visitor has a separate address, because sign-in attempts are limited by address. There are no
 * browsers unless `settings` has `ROLE: "all"`.
 */
export function startWithVisitors(t: Scope, settings: Record<string, string> = {}, timeouts: TestTimeouts = {}): Promise<TestService> {
  return startService(t, { TRUST_PROXY: "127.0.0.1", ROLE: "api", ...settings }, timeouts);
}

export function createVisitor(service: Pick<TestService, "origin">, pageOrigin = publicUrl): Visitor {
  const cookies = new Map<string, string>();
  const address = `10.${Array.from(crypto.getRandomValues(new Uint8Array(3))).join(".")}`;
  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    const sent = new Headers({
      origin: pageOrigin,
      "x-forwarded-for": address,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(cookies.size > 0 ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") } : {}),
    });
    for (const [name, value] of Object.entries(headers)) value === "" ? sent.delete(name) : sent.set(name, value);
    const response = await fetch(new URL(path, service.origin), {
      method,
      headers: sent,
      redirect: "manual",
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(new TextDecoder().decode(bytes)) : bytes };
  }
  return { cookies, ask, get: (path) => ask("GET", path), post: (path, body) => ask("POST", path, body) };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";");
  const at = pair.indexOf("=");
  const gone = attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute)) || pair.length === at + 1;
  if (gone) cookies.delete(pair.slice(0, at));
  else cookies.set(pair.slice(0, at), pair.slice(at + 1));
}

export const goodPassword = "a password that is long enough";

export type Person = Visitor & { email: string; userId: string };

/** A visitor who has just signed up. */
export async function signedUp(service: Pick<TestService, "origin">, name = "Ada"): Promise<Person> {
  const visitor = createVisitor(service);
  const email = `${name.toLowerCase()}-${crypto.randomUUID()}@example.com`;
  const { status, body } = await visitor.post("/v1/auth/sign-up", { name, email, password: goodPassword });
  assert.equal(status, 201, JSON.stringify(body));
  return { ...visitor, email, userId: body.user.id as string };
}
