/** Decides which addresses belong to a crawled site, which are the same page, and which look like traps. Pure. */

import { createHash } from "node:crypto";
import { glob } from "../../shared/glob.ts";

/** Maximum length in characters; longer addresses are assumed to be generated. */
const addressLengthMax = 1_000;
const segmentsMax = 12;
const parametersMax = 8;
/** Maximum number of times that a segment may occur in a path, or a parameter in a query. */
const repetitionsMax = 2;

/**
 * The URL at `origin`, or undefined if it belongs to another site. Hosts with and without `www.` are the same site, as are
 * http and https, unless there is a port.
 */
export function onSite(url: URL, origin: string): URL | undefined {
  if (url.origin === origin) return url;
  const site = new URL(origin);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  if (!isWeb || url.port !== "" || site.port !== "" || withoutWww(url) !== withoutWww(site)) return undefined;
  const same = new URL(url.pathname + url.search, site);
  return same.origin === origin ? same : undefined;
}

const withoutWww = ({ hostname }: URL) => hostname.replace(/^www\./, "");

const tracking = /^(utm_\w{1,30}|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl)$/i;
const session = /^(jsessionid|phpsessid|aspsessionid\w{0,20}|cfid|cftoken|zenid|oscsid)$/i;
/** These names also have other uses, so the value must be long. */
const maybeSession = /^(s|sid|session|session_?id|token)=[\w-]{16,}$/i;

/** Removes the fragment, session ids, and parameters that say where a visitor came from. */
export function cleaned(url: URL): URL {
  const clean = new URL(url);
  clean.hash = "";
  const pathname = url.pathname.replace(/;(?:jsessionid|phpsessid|sid)=[^/;]*/gi, "").replace(/\/\(S\([a-z0-9]{16,40}\)\)(?=\/)/gi, "");
  if (pathname !== url.pathname) clean.pathname = pathname;
  const parameters = parametersOf(url);
  const kept = parameters.filter((one) => !isOfVisitor(one));
  if (kept.length < parameters.length || url.href.endsWith("?")) clean.search = kept.join("&");
  return clean;
}

function isOfVisitor(parameter: string): boolean {
  const name = nameOf(parameter);
  return tracking.test(name) || session.test(name) || maybeSession.test(parameter);
}

const parametersOf = ({ search }: URL) => search.slice(1).split("&").filter(Boolean);
const nameOf = (parameter: string) => parameter.split("=", 1)[0] ?? "";

/** A 16-byte hash that is equal for addresses of the same page: it ignores the order of parameters and the case of percent-encodings. */
export function identityOf(url: URL): Buffer {
  const query = parametersOf(url).sort().join("&");
  const text = `${url.pathname}?${query}`.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
  return hashOf(`${url.origin}${text}`);
}

const hashOf = (text: string) => createHash("sha256").update(text).digest().subarray(0, 16);

const pathDate = /(?<!\d)(?:19|20)\d\d(?:[-/.]\d{1,2}(?!\d)(?:[-/.]\d{1,2}(?!\d))?|\d{4}(?!\d))/g;
const dateParameter = /([?&](?:date|day|week|month|year)=)[^&]*/gi;

/**
 * A 16-byte hash shared by similar addresses that a site can generate without end, for example calendar pages that differ only in a date,
 * or filtered lists that differ in several parameters. Undefined for other addresses.
 */
export function varietyOf(url: URL): Buffer | undefined {
  const text = url.pathname + url.search;
  const undated = text.replace(pathDate, "date").replace(dateParameter, "$1date");
  if (undated !== text) return hashOf(`date ${undated}`);
  return parametersOf(url).length > 1 ? hashOf(`query ${url.pathname}`) : undefined;
}

/** Whether the address looks like the result of a mistake on the site: too long, too deep, repetitive, or with too many parameters. */
export function isTrap(url: URL): boolean {
  const segments = url.pathname.split("/").filter(Boolean);
  const parameters = parametersOf(url);
  if (url.href.length > addressLengthMax || segments.length > segmentsMax || parameters.length > parametersMax) return true;
  return repeatsIn(segments) > repetitionsMax || repeatsIn(parameters.map(nameOf)) > repetitionsMax;
}

/** How often the most frequent string occurs. */
function repeatsIn(texts: string[]): number {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

const files =
  /\.(?:7z|apk|avi|avif|bin|bmp|bz2|css|csv|deb|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|ics|iso|jar|jpe?g|js|json|m4[av]|mjs|mov|mp[34]|mpe?g|msi|odt|ogg|otf|pdf|png|pptx?|rar|rpm|rss|svg|tar|tgz|tiff?|ttf|txt|wav|webm|webp|whl|woff2?|xlsx?|xml|xz|zip)$/i;

/** Whether the address has the extension of a file that isn't a page. */
export const isFile = ({ pathname }: URL): boolean => files.test(pathname.slice(-20));

/**
 * Matches path and query against patterns with `*`.
 * @param include patterns, one of which must match; empty to include everything. @param exclude patterns that must not match.
 */
export function isIncluded({ pathname, search }: URL, include: readonly string[], exclude: readonly string[]): boolean {
  const text = pathname + search;
  const matchesOne = (patterns: readonly string[]) => patterns.some((pattern) => glob(pattern, text));
  return (include.length === 0 || matchesOne(include)) && !matchesOne(exclude);
}
