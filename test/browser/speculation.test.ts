/** What a page suggests to load in advance is not loaded: such requests could not be paused, and pages shown so would not be checked. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { prefetchingChromium } from "../support/prefetching-chromium.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";

const scope = fileScope();
let usual: Captures;
/** Without the flags that are tested: shows that the page's suggestions would be followed. */
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

/** Paths that were asked for by what the page suggests. */
async function askedInAdvance({ capture, site }: Captures): Promise<string[]> {
  site.serve({ "/rules.json": ruleFile });
  const { status } = await capture(page, { delay: "1" });
  assert.equal(status, 200);
  return site.requests.flatMap(({ path }) => (/^\/(listed|linked|by-header|old)/.test(path) ? [path] : [])).toSorted();
}

test("nothing that a page's speculation rules name is prefetched or prerendered", async () => {
  assert.deepEqual(await askedInAdvance(usual), []);
});

test("a Chromium without the service's flags prefetches it, so the page is a fair try", async () => {
  assert.deepEqual(await askedInAdvance(prefetching), ["/by-header", "/linked", "/listed-prefetch", "/listed-prerender"]);
});
