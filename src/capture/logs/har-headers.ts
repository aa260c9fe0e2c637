/** URLs, headers and cookies in an HTTP archive. Unless `har_secrets` is set, secrets are removed. */

import type { Protocol } from "devtools-protocol";
import type { CaptureOptions } from "../options.ts";
import { isSecretName, removed, shortened, withoutSecrets } from "./secrets.ts";

type Headers = Protocol.Network.Headers;

interface NamedValue {
  name: string;
  value: string;
}

/** Maximum number of parameters listed per URL, and of cookies per request or response. */
const partsMax = 200;
/** Maximum number of values listed per header: a response may have tens of thousands. */
const headerValuesMax = 500;

/** Writes a request's URLs, headers and cookies, without credentials unless `har_secrets` is set. */
export interface Shown {
  text(text: string): string;
  /** Each step takes the time of one value, like those of `receivedHeaders`: there may be any number of them. */
  sentHeaders(headers: Headers): Iterable<NamedValue>;
  receivedHeaders(headers: Headers): Iterable<NamedValue>;
  sentCookies(headers: Headers): NamedValue[];
  receivedCookies(headers: Headers): NamedValue[];
}

export function shownOf(options: CaptureOptions): Shown {
  if (options.har_secrets) return withSecrets;
  const own = namesSent(options);
  const list = (headers: Headers, names?: ReadonlySet<string>) =>
    valuesOf(headers, (name, value) => (isSecretName(name) || names?.has(name.toLowerCase()) ? removed : withoutSecrets(value)));
  return {
    text: withoutSecrets,
    sentHeaders: (headers) => list(headers, own),
    receivedHeaders: (headers) => list(headers),
    sentCookies: () => [],
    receivedCookies: () => [],
  };
}

/** Always removed: proxy credentials never belong to the page. */
const proxyCredentials = /^proxy-auth/i;

const allOf = (headers: Headers) => valuesOf(headers, (name, value) => (proxyCredentials.test(name) ? removed : shortened(value)));

const withSecrets: Shown = {
  text: shortened,
  sentHeaders: allOf,
  receivedHeaders: allOf,
  sentCookies: (headers) => headerOf(headers, "cookie").split("; ", partsMax).flatMap(cookieOf),
  receivedCookies: (headers) =>
    headerOf(headers, "set-cookie")
      .split("\n", partsMax)
      .flatMap((line) => cookieOf(line.split(";", 1)[0] ?? "")),
};

function cookieOf(pair: string): NamedValue[] {
  const separator = pair.indexOf("=");
  if (separator < 0) return [];
  return [{ name: shortened(pair.slice(0, separator).trim()), value: shortened(pair.slice(separator + 1).trim()) }];
}

/** Names of the headers that the caller set, in lower case. Their values may be secret, regardless of their names. */
function namesSent({ headers = [] }: CaptureOptions): Set<string> {
  return new Set(headers.map((line) => (line.split(":", 1)[0] ?? "").trim().toLowerCase()));
}

/** Chromium joins a header's values with newlines. */
function* valuesOf(headers: Headers, shownAs: (name: string, value: string) => string): Generator<NamedValue> {
  for (const name in headers)
    for (const value of String(headers[name]).split("\n", headerValuesMax)) yield { name, value: shownAs(name, value) };
}

export function headerOf(headers: Headers, name: string): string {
  for (const one in headers) if (one.toLowerCase() === name) return String(headers[one]);
  return "";
}

/** Query parameters of a URL that `Shown.text` has already processed. */
export function parametersIn(url: string): NamedValue[] {
  const query = url.split("#", 1)[0]?.split("?", 2)[1] ?? "";
  if (query === "") return [];
  return query.split("&", partsMax).map((part) => {
    const [name = ""] = part.split("=", 1);
    return { name: decoded(name), value: decoded(part.slice(name.length + 1)) };
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
