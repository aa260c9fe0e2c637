/** Prefetching and prerendering are disabled: such requests can't be intercepted, so the pages would not be checked. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { prefetchingChromium } from "../support/prefetching-chromium.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";

const scope = fileScope();
let usual: Captures;
/** Without the flags under test, which proves that the page would otherwise be prefetched. */
let prefetching: Captures;

before(async () => {
  usual = await startCaptures(scope);
  prefetching = await startCaptures(scope, { PUPPETEER_EXECUTABLE_PATH: await prefetchingChromium(scope) });
});

const rules = (content: object) => `<script type="speculationrules">${JSON.stringify(content)}</script>`;

const page: Page = (_, response) => {
  const lists = ["prefetch", "prerender"].map((kind) => rules({ [kind]: [{ urls: [`/listed-${kind}`], eagerness: "immediate" }] }));
  const document = rules({ prefetch: [{ where: { href_matches: "/linked*" }, eagerness: "immediate" }] });
  response.setHeader("content-type", "text/html").setHeader("speculation-rules", '"/rules.json"');
  response.end(colouredPage("#ff0000", `${lists.join("")}${document}<a href="/linked">a link</a><link rel="prerender" href="/old">`));
};

const ruleFile: Page = (_, response) =>
  void response
    .setHeader("content-type", "application/speculationrules+json")
    .end(JSON.stringify({ prefetch: [{ urls: ["/by-header"], eagerness: "immediate" }] }));

/** Paths requested by prefetching or prerendering. */
async function prefetchedPaths({ capture, site }: Captures): Promise<string[]> {
  site.serve({ "/rules.json": ruleFile });
  const { status } = await capture(page, { delay: "1" });
  assert.equal(status, 200);
  return site.requests.flatMap(({ path }) => (/^\/(listed|linked|by-header|old)/.test(path) ? [path] : [])).toSorted();
}

test("speculation rules trigger neither prefetching nor prerendering", async () => {
  assert.deepEqual(await prefetchedPaths(usual), []);
});

test("control: without the service's flags, Chromium does prefetch and prerender", async () => {
  assert.deepEqual(await prefetchedPaths(prefetching), ["/by-header", "/linked", "/listed-prefetch", "/listed-prerender"]);
});
