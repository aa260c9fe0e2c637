/** Puts AdGuard's dialect of filter rules into the one that the engine reads, rule by rule. */

import { CosmeticFilter, NetworkFilter } from "@ghostery/adblocker";

export interface Rules {
  networkFilters: NetworkFilter[];
  cosmeticFilters: CosmeticFilter[];
  /** Rules that say what the engine has no word for, or what a capture must not do. */
  leftOut: number;
}

/**
 * Kept are rules that block requests, and those that hide or restyle elements by CSS, with their exceptions.
 * Left out are scriptlets, which would run code of the lists in the page's own world; rules that rewrite answers, headers or addresses;
 * and selectors that no browser knows.
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
      if (blocking) rules.networkFilters.push(blocking);
      else rules.leftOut += 1;
    }
  }
  return rules;
}

/** Rules for pages under a path, rules that cut elements out of the answer, and options that change a request or its answer. */
const rewriting = /^\[\$|^[^/|]*\$@?\$|[$,](removeparam|csp|replace|content|redirect-rule)(=|,|$)/;

interface ElementRule {
  domains: string;
  exception: "" | "@";
  /** Empty for hiding, `$` for CSS, `?` for selectors with words of AdGuard's own, `%` for scripts. */
  kind?: "$" | "?" | "%" | "$?";
  rule: string;
}

function elementRule({ domains, exception, kind, rule }: ElementRule): CosmeticFilter | undefined {
  if (kind === "%" || kind === "$?" || domains.startsWith("[")) return undefined;
  const said = kind === "$" ? asStyle(rule) : rule;
  if (said === undefined || /^\+js\(|:remove\(/.test(said)) return undefined;
  const filter = CosmeticFilter.parse(`${domains}#${exception}#${said}`);
  return filter && !filter.isExtended() && !filter.isScriptInject() ? filter : undefined;
}

/** `body { overflow: auto !important; }` as `body:style(overflow: auto !important)`. */
function asStyle(rule: string): string | undefined {
  const { selector, declarations } = /^(?<selector>[^@{}][^{}]*?)\s*\{\s*(?<declarations>[^{}]+?);?\s*\}$/.exec(rule)?.groups ?? {};
  // `remove` is no property, and an address would make a list fetch something for the page.
  if (!selector || !declarations || /(^|[;\s])remove\s*:|url\(|image-set\(|\\/i.test(declarations)) return undefined;
  return `${selector}:style(${declarations})`;
}
