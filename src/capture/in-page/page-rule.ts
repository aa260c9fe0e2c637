/** Sets the paper that the document is printed on. Runs in the page, so it must be self-contained. */

interface World {
  pageRule?: CSSStyleSheet;
}

/** Adds print rules after all of the page's own, replacing those of the previous call; removes those rules if `css` is empty. */
export function setPageRule(css: string): void {
  const world = globalThis as World;
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== world.pageRule);
  delete world.pageRule;
  if (css === "") return;
  world.pageRule = new CSSStyleSheet();
  world.pageRule.replaceSync(css);
  document.adoptedStyleSheets.push(world.pageRule);
}

/** Whether the page's own style sheets set the margins of all pages. Cross-origin style sheets can't be read. */
export function hasPageMargin(): boolean {
  const [sheetsMax, rulesMax] = [200, 20_000];
  let left = rulesMax;
  const isIn = (rules: CSSRuleList): boolean => {
    for (const rule of rules) {
      left -= 1;
      if (left < 0) return false;
      if (rule instanceof CSSPageRule && rule.selectorText === "" && rule.style.marginTop !== "") return true;
      if (rule instanceof CSSMediaRule && /print|all/.test(rule.conditionText) && isIn(rule.cssRules)) return true;
    }
    return false;
  };
  return [...document.styleSheets].slice(0, sheetsMax).some((sheet) => {
    try {
      return !sheet.disabled && isIn(sheet.cssRules);
    } catch {
      return false;
    }
  });
}
