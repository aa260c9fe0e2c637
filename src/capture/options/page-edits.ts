/** Changes to the page before it is captured: styles, scripts, clicks. */

import { z } from "zod";
import { isDocumentReplaced } from "../../browser/chromium-errors.ts";
import { fetchTripwire } from "../loading/fetches.ts";
import { optionGroup, type Work } from "../option-group.ts";
import { longText } from "../parameter-types.ts";
import { click } from "../pointer.ts";

/** With `clock`, page time that runs before each click, so that earlier edits take effect. */
const effectsMs = 2_000;
const editMaxBytes = 64 * 1024;

export const pageEdits = optionGroup({
  title: "Page edits",
  onlyIfSet: true,
  intro: "Changes to the page before it is captured.",
  example: { styles: ".banner { display: none }" },
  parameters: () => ({
    styles: longText(editMaxBytes, "64 KB")
      .optional()
      .meta({
        output: "load",
        description: "CSS to add to the page once it is ready, at most 64 KB. Not subject to the page's Content-Security-Policy.",
        examples: [".banner { display: none }"],
      }),
    scripts: longText(editMaxBytes, "64 KB")
      .optional()
      .meta({
        output: "load",
        sharesLoad: "page",
        description:
          "JavaScript to run in the page once it is ready, at most 64 KB; top-level `await` is supported. Not subject to the page's Content-Security-Policy. If it throws, the page is still captured, with a warning.",
        examples: ["document.querySelector('.banner')?.remove()"],
      }),
    click: z
      .array(z.string().min(1).max(1024))
      .max(20)
      .optional()
      .meta({
        output: "load",
        sharesLoad: "page",
        reading: "lines",
        description:
          "CSS selectors of elements to click in order, once the page is ready and `styles` and `scripts` have been applied. The capture fails if any of these elements isn't visible within 3 seconds. If a click navigates, the new page is captured.",
        examples: [["#menu", "#menu .prices"]],
      }),
    bypass_csp: z.boolean().default(false).meta({
      output: "load",
      description: "Ignore the page's Content-Security-Policy. The server logs every use.",
    }),
  }),
  requests: ({ styles, scripts, click: clicks }) => (styles || scripts || clicks?.length ? fetchTripwire : undefined),
  beforeNavigation: ({ styles, scripts, click: clicks, bypass_csp }, { tab, readiness }) => {
    if (styles || scripts || clicks?.length) readiness.followFetches();
    return bypass_csp ? tab.send("Page.setBypassCSP", { enabled: true }) : undefined;
  },
  edit: async ({ styles, scripts, click: clicks = [] }, work) => {
    if (scripts || clicks.length > 0) await work.readiness.reportFetches();
    if (styles) await addStyles(work, styles);
    if (scripts) await runScripts(work, scripts);
    for (const selector of clicks) {
      await work.readiness.clock()?.run(effectsMs);
      await click(work, selector);
    }
    if (styles || scripts || clicks.length > 0) work.readiness.invalidate();
  },
});

/** Adopted style sheets apply after the page's own, and are not subject to a Content-Security-Policy. */
async function addStyles({ tab, warnAll }: Work, styles: string): Promise<void> {
  const rules = await tab.evaluate((css: string) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
    return sheet.cssRules.length;
  }, styles);
  if (rules === 0) warnAll("styles contains no valid CSS rule");
  if (/@import/i.test(styles)) warnAll("@import in styles was ignored: inline the imported rules");
}

/** There is no timeout: a script that never returns is stopped at the capture's deadline, or when the page navigates. */
async function runScripts(work: Work, scripts: string): Promise<void> {
  const { tab, warnAll } = work;
  work.waitsFor = "scripts to end";
  const expression = `${scripts}\n;undefined`; // so that the last statement's value, which may be huge, isn't returned
  const answer = await tab
    .send("Runtime.evaluate", { expression, awaitPromise: true, replMode: true, userGesture: true }, Number.POSITIVE_INFINITY)
    .catch((error) => {
      if (isDocumentReplaced(error)) return undefined;
      throw error;
    });
  const exceptionDetails = answer?.exceptionDetails;
  if (!exceptionDetails) return;
  const description = exceptionDetails.exception?.description ?? String(exceptionDetails.exception?.value ?? exceptionDetails.text);
  warnAll(`scripts threw: ${(description.split("\n", 1)[0] ?? "").slice(0, 200)}`);
}
