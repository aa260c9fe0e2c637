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
/** Maximum number of rules for one agent, and of the wildcards in all of them, each of which requires a search of the address. */
const rulesMax = { all: 5_000, wildcards: 1_000 };
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
  const searches = wildcards.reduce((sum, { pattern }) => sum + pattern.split("*").length - 1, 0);
  const isTooMuch = rules.length > rulesMax.all || searches > rulesMax.wildcards || length > wildcardLengthMax;
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

/** RFC 9309, 2.2.2: decodes unreserved characters, and encodes those that URLs may or may not leave as they are. */
function encoded(path: string): string {
  return path
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    })
    .replace(/["'<>[\\\]^`{|}]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

interface Compiled {
  /** Rules without wildcards: whether each is permissive, by its pattern. */
  plain: Map<string, boolean>;
  /** Lengths of these patterns, the longest first. */
  lengths: number[];
  others: Robots["rules"];
}

/** A page may have hundreds of links, each of which is compared with the same rules. */
const compiled = new WeakMap<Robots, Compiled>();

function compile(robots: Robots): Compiled {
  const plain = new Map<string, boolean>();
  const others: Robots["rules"] = [];
  for (const rule of robots.rules) {
    if (rule.pattern.includes("*") || rule.pattern.endsWith("$")) others.push(rule);
    else plain.set(rule.pattern, rule.isAllowed || plain.get(rule.pattern) === true);
  }
  const lengths = [...new Set([...plain.keys()].map(({ length }) => length))].sort((one, other) => other - one);
  const made = { plain, lengths, others };
  compiled.set(robots, made);
  return made;
}

/** Whether the URL's path and query may be requested. The longest matching rule decides; if two are equally long, the permissive one. */
export function mayRequest(robots: Robots, { pathname, search }: URL): boolean {
  const path = encoded(pathname + search)
    .replaceAll("*", "%2A")
    .replace(/\$$/, "%24");
  const { plain, lengths, others } = compiled.get(robots) ?? compile(robots);
  const length = lengths.find((one) => one <= path.length && plain.has(path.slice(0, one))) ?? 0;
  let longest = { isAllowed: plain.get(path.slice(0, length)) ?? true, length };
  for (const { isAllowed, pattern } of others) {
    const isStronger = pattern.length > longest.length || (pattern.length === longest.length && isAllowed && !longest.isAllowed);
    if (isStronger && matches(pattern, path)) longest = { isAllowed, length: pattern.length };
  }
  return longest.isAllowed || pathname === "/robots.txt";
}

/** For a pattern with a wildcard or the end: it matches the beginning of a path unless it ends with `$`. */
function matches(pattern: string, path: string): boolean {
  return pattern.endsWith("$") ? glob(pattern.slice(0, -1), path) : glob(`${pattern}*`, path);
}
