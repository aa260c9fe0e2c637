/**
 * Rules of a robots.txt file (RFC 9309) for our user agent. The usual npm package copies every rule for each agent in its group, and takes
 * quadratic time to match a path: a hostile file would keep the process busy for minutes.
 */

import { glob } from "../shared/glob.ts";

/** The rules of a site's robots.txt that apply to us. Plain data, stored with a crawl. */
export interface Robots {
  /** Encoded like URL paths, with `*` as a wildcard and `$` for the end. */
  rules: { isAllowed: boolean; pattern: string }[];
  /** `Crawl-delay`: minimum time between the starts of consecutive visits. */
  crawlDelaySeconds: number;
}

/** Our product token. */
const agent = "tintype";
const crawlDelayMaxSeconds = 10;
/**
 * Maximum number of rules for one agent: in total, and of those with a wildcard, each of which requires a search. At these limits, checking
 * an address of 1,000 characters takes about a millisecond.
 */
const rulesMax = { all: 5_000, withWildcard: 500 };
/** Maximum total length of all rules with a wildcard, in characters. */
const wildcardLengthMax = 50_000;
const patternLengthMax = 2_000;
const lineLengthMax = 3_000;

/** RFC 9309, 2.3.1.3: a site without the file may be crawled. */
export const everythingAllowed: Robots = { rules: [], crawlDelaySeconds: 0 };
/** RFC 9309, 2.3.1.4: a site whose file can't be read at the moment may not be crawled. */
export const nothingAllowed: Robots = { rules: [{ isAllowed: false, pattern: "/" }], crawlDelaySeconds: 0 };

/** A hundred lines of the maximum length take about a millisecond. */
const linesPerStep = 100;

/**
 * Reads the groups for our agent or, if there are none, the groups for all agents. Undefined if their rules exceed the limits. In steps, since
 * a file of 500 KB may have as many lines.
 */
export function* parseRobots(text: string): Generator<void, Robots | undefined> {
  const own: Robots = { rules: [], crawlDelaySeconds: 0 };
  const others: Robots = { rules: [], crawlDelaySeconds: 0 };
  let hasOwn = false;
  let [isOwn, isForAll, isInAgents] = [false, false, false];
  let lines = 0;
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    lines += 1;
    if (lines % linesPerStep === 0) yield;
    const [field, value] = fieldOf(line);
    if (field === "user-agent") {
      if (!isInAgents) [isOwn, isForAll] = [false, false];
      const token = value.toLowerCase().split(/[/\s]/, 1)[0];
      if (token === agent) isOwn = true;
      if (token === "*") isForAll = true;
      hasOwn ||= isOwn;
      isInAgents = true;
    } else if (field === "allow" || field === "disallow" || field === "crawl-delay") {
      isInAgents = false;
      for (const group of [...(isOwn ? [own] : []), ...(isForAll ? [others] : [])]) addTo(group, field, value);
    } // other fields, such as sitemap, don't end the list of agents
  }
  const { rules, crawlDelaySeconds } = hasOwn ? own : others;
  const wildcards = rules.filter(({ pattern }) => /\*./.test(pattern));
  const length = wildcards.reduce((sum, { pattern }) => sum + pattern.length, 0);
  const isTooMuch = rules.length > rulesMax.all || wildcards.length > rulesMax.withWildcard || length > wildcardLengthMax;
  return isTooMuch ? undefined : { rules, crawlDelaySeconds };
}

/** The field's name in lower case, and its value without comments. */
function fieldOf(line: string): [name: string, value: string] {
  const text = line.slice(0, lineLengthMax).split("#", 1)[0] ?? "";
  const colon = text.indexOf(":");
  return [text.slice(0, Math.max(0, colon)).trim().toLowerCase(), text.slice(colon + 1).trim()];
}

function addTo(group: Robots, field: "allow" | "disallow" | "crawl-delay", value: string): void {
  if (field === "crawl-delay") {
    const seconds = Number(value);
    if (value !== "" && seconds >= 0) group.crawlDelaySeconds = Math.max(group.crawlDelaySeconds, Math.min(seconds, crawlDelayMaxSeconds));
    return;
  }
  const isRule = /^[/*]/.test(value) && value.length <= patternLengthMax;
  if (isRule && group.rules.length <= rulesMax.all) group.rules.push({ isAllowed: field === "allow", pattern: patternOf(value) });
}

/** Encodes the pattern like a URL path. */
function patternOf(value: string): string {
  return encoded(
    encodeURI(value.toWellFormed())
      .replaceAll("%25", "%")
      .replace(/\*{2,}/g, "*"),
  );
}

/** Converts percent-encodings to upper case. */
function encoded(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

/** Whether the URL's path and query may be requested. The longest matching rule decides; if two are equally long, the permissive one. */
export function mayRequest({ rules }: Robots, { pathname, search }: URL): boolean {
  const path = encoded(pathname + search);
  let longest = { isAllowed: true, pattern: "" };
  for (const rule of rules) {
    const { length } = rule.pattern;
    const isStronger = length > longest.pattern.length || (length === longest.pattern.length && rule.isAllowed && !longest.isAllowed);
    if (isStronger && matches(rule.pattern, path)) longest = rule;
  }
  return longest.isAllowed || pathname === "/robots.txt";
}

/** A pattern matches the beginning of a path unless it ends with `$`. */
function matches(pattern: string, path: string): boolean {
  if (!pattern.includes("*") && !pattern.endsWith("$")) return path.startsWith(pattern); // the same as `glob`, but faster
  return pattern.endsWith("$") ? glob(pattern.slice(0, -1), path) : glob(`${pattern}*`, path);
}
