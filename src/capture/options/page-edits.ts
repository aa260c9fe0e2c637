/** What is changed in the page itself. */

import { z } from "zod";
import { meansDocumentReplaced } from "../../browser/chromium-errors.ts";
import { click } from "../click.ts";
import { fetchTripwire } from "../fetches.ts";
import { addStyleSheet } from "../in-page/style-sheet.ts";
import { optionGroup, type Work } from "../option-group.ts";

const editMaxBytes = 64 * 1024;

export const pageEdits = optionGroup({
  title: "Page edits",
  intro: "What is changed in the page itself before its picture is taken.",
  example: { styles: ".banner { display: none }" },
  parameters: () => ({
    styles: text().meta({
      description: "CSS that is added to the page when it is ready, at most 64 KB. The page's Content-Security-Policy doesn't stop it.",
      examples: [".banner { display: none }"],
    }),
    scripts: text().meta({
      description:
        "JavaScript that runs in the page when it is ready, at most 64 KB; `await` may be used. The page's Content-Security-Policy doesn't stop it. When it throws, the picture is taken and a warning says so.",
      examples: ["document.querySelector('.banner')?.remove()"],
    }),
    click: z
      .array(z.string().min(1).max(1024))
      .max(20)
      .optional()
      .meta({
        reading: "lines",
        description:
          "CSS selectors of elements that are clicked when the page is ready and `styles` and `scripts` are in it, one after the other. Each must become visible within 3 seconds, else the capture fails. Where a click leads to another page, that page is captured.",
        examples: [["#menu", "#menu .prices"]],
      }),
    bypass_csp: z
      .boolean()
      .default(false)
      .meta({ description: "Ignore the page's Content-Security-Policy. Every use is logged by the server." }),
  }),
  requests: ({ styles, scripts, click: clicks }) => (styles || scripts || clicks?.length ? fetchTripwire : undefined),
  beforeNavigation: ({ styles, scripts, click: clicks, bypass_csp }, { tab, readiness }) => {
    if (styles || scripts || clicks?.length) readiness.followFetches();
    return bypass_csp ? tab.send("Page.setBypassCSP", { enabled: true }) : undefined;
  },
  afterReady: async ({ styles, scripts, click: clicks = [] }, work) => {
    if (scripts || clicks.length > 0) await work.readiness.reportFetches();
    if (styles) await addStyles(work, styles);
    if (scripts) await runScripts(work, scripts);
    for (const selector of clicks) await click(work, selector);
    if (styles || scripts || clicks.length > 0) work.readiness.invalidate();
  },
});

function text() {
  return z
    .string()
    .check(({ value, issues }) => {
      if (Buffer.byteLength(value) > editMaxBytes) issues.push({ code: "custom", message: "is longer than 64 KB", input: value });
    })
    .optional();
}

/** An adopted sheet comes after all of the page's own, and a policy knows only sheets that are loaded or written in the page. */
async function addStyles({ tab, warn }: Work, styles: string): Promise<void> {
  const ignored = !(await tab.evaluate(addStyleSheet, styles));
  if (ignored) warn("styles has no rule that a browser understands");
  if (/@import/i.test(styles)) warn("@import in styles was ignored: its rules must stand in styles themselves");
}

/** As long as the capture may: only its deadline ends an endless script, or that the page gives way to another one. */
async function runScripts({ tab, warn }: Work, scripts: string): Promise<void> {
  const answer = await tab
    .send("Runtime.evaluate", { expression: scripts, awaitPromise: true, replMode: true, userGesture: true }, Number.POSITIVE_INFINITY)
    .catch((error) => {
      if (meansDocumentReplaced(error)) return undefined;
      throw error;
    });
  const exceptionDetails = answer?.exceptionDetails;
  if (!exceptionDetails) return;
  const words = exceptionDetails.exception?.description ?? String(exceptionDetails.exception?.value ?? exceptionDetails.text);
  warn(`scripts threw: ${(words.split("\n", 1)[0] ?? "").slice(0, 200)}`);
}
