/** Translates AdGuard's filter syntax to the engine's, rule by rule. */

import { readFileSync } from "node:fs";
import { CosmeticFilter, NetworkFilter } from "@ghostery/adblocker";

export interface Rules {
  networkFilters: NetworkFilter[];
  cosmeticFilters: CosmeticFilter[];
  /** Number of rules that the engine doesn't support, or that a capture must not apply. */
  leftOut: number;
}

/**
 * Keeps rules that block requests, rules that hide or restyle elements with CSS, and exceptions to both.
 * Leaves out scriptlets, which would run the lists' code in the page's own world; rules that rewrite responses, headers or URLs;
 * non-standard selectors; and regular expressions that may take more than linear time, since pages choose the URLs.
 */
export function readRules(list: string): Rules {
  const rules: Rules = { networkFilters: [], cosmeticFilters: [], leftOut: 0 };
  for (const line of list.split("\n").map((text) => text.trim())) {
    if (line === "" || line.startsWith("!") || line.startsWith("[Adblock")) continue;
    const element = /^(?<domains>[^/|$#=?]*)#(?<exception>@?)(?<kind>\$\?|[$?%])?#(?<rule>.+)$/.exec(line)?.groups;
    if (element) {
      const hiding = elementRule(element as unknown as ElementRule);
      if (hiding) rules.cosmeticFilters.push(hiding);
      else rules.leftOut += 1;
    } else {
      const blocking = rewriting.test(line) ? null : NetworkFilter.parse(line);
      if (blocking && isLinear(blocking)) rules.networkFilters.push(blocking);
      else rules.leftOut += 1;
    }
  }
  return rules;
}

/**
 * The lists' regular expressions that aren't proven linear, a line each. A file, because lists are also compiled where the development
 * packages aren't installed; test/capture/filter-lists.test.ts fails if one is missing.
 */
const notLinear = new Set(readFileSync(new URL("not-linear.txt", import.meta.url), "utf8").split("\n"));

/** Wildcards are linear too; see src/capture/blocking/lists.ts. */
const isLinear = (filter: NetworkFilter) => !filter.isFullRegex() || !notLinear.has(filter.getRegex().source);

/** Rules for pages under a path, rules that remove elements from the response, and options that modify a request or response. */
const rewriting = /^\[\$|^[^/|]*\$@?\$|[$,](removeparam|csp|replace|content|redirect-rule)(=|,|$)/;

interface ElementRule {
  domains: string;
  exception: "" | "@";
  /** undefined for hiding, `$` for CSS, `?` for AdGuard's extended selectors, `%` for scripts. */
  kind?: "$" | "?" | "%" | "$?";
  rule: string;
}

function elementRule({ domains, exception, kind, rule }: ElementRule): CosmeticFilter | undefined {
  if (kind === "%" || kind === "$?" || domains.startsWith("[")) return undefined;
  const translated = kind === "$" ? asStyle(rule) : rule;
  if (translated === undefined || /^\+js\(|:remove\(/.test(translated)) return undefined;
  const filter = CosmeticFilter.parse(`${domains}#${exception}#${translated}`);
  return filter && !filter.isExtended() && !filter.isScriptInject() ? filter : undefined;
}

/** Converts `body { overflow: auto !important; }` to `body:style(overflow: auto !important)`. */
function asStyle(rule: string): string | undefined {
  const { selector, declarations } = /^(?<selector>[^@{}][^{}]*?)\s*\{\s*(?<declarations>[^{}]+?);?\s*\}$/.exec(rule)?.groups ?? {};
  // `remove` is not a CSS property, and with a URL a list could make the page send requests.
  if (!selector || !declarations || /(^|[;\s])remove\s*:|url\(|image-set\(|\\/i.test(declarations)) return undefined;
  return `${selector}:style(${declarations})`;
}
