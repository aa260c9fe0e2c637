/** A key restricted to targets can't get a screenshot of a prefetched page on another site, although such requests can't be intercepted. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { prefetchingChromium } from "../support/prefetching-chromium.ts";
import { fileScope } from "../support/scope.ts";
import { type BoundCaptures, blue, end, red, script, startBoundCaptures } from "./bound-captures.ts";

const scope = fileScope();
let site: BoundCaptures["site"];
let take: BoundCaptures["take"];
/** The other site's page. */
let there: string;
/** Resolves when that page is prefetched. */
let prefetched = Promise.withResolvers<void>();

before(async () => {
  const captures = await startBoundCaptures(scope, { PUPPETEER_EXECUTABLE_PATH: await prefetchingChromium(scope) });
  ({ site } = captures);
  take = (...asked) => {
    prefetched = Promise.withResolvers();
    return captures.take(...asked);
  };
  there = `${captures.other.origin}/`;
  site.serve({ "/prefetched": (_, response) => void prefetched.promise.then(() => response.end()) });
  captures.other.serve({
    "/": (request, response) => {
      if (request.headers["sec-purpose"]) prefetched.resolve();
      response.setHeader("supports-loading-mode", "credentialed-prerender");
      response.setHeader("content-type", "text/html").end(blue);
    },
  });
});

const rules = (kind: "prefetch" | "prerender", url: string) =>
  `<script type="speculationrules">${JSON.stringify({ [kind]: [{ urls: [url], eagerness: "immediate" }] })}</script>`;
const oncePrefetched = (code: string) => script(`fetch("/prefetched").then(() => { ${code} })`);

const ways: [way: string, page: () => string, options?: () => Record<string, string>][] = [
  ["a script", () => red(rules("prefetch", there) + oncePrefetched(`location = "${there}"`))],
  ["prerendering", () => red(rules("prerender", there) + oncePrefetched(`location = "${there}"`))],
  ["a prefetched page of its own that redirects there", () => red(rules("prefetch", "/go") + oncePrefetched('location = "/go"'))],
  ["a prerendered page of its own that redirects there", () => red(rules("prerender", "/go") + oncePrefetched('location = "/go"'))],
  [
    "a link that the request clicks",
    () => red(`${rules("prefetch", there)}<a id="a" href="${there}">go</a>${oncePrefetched("a.className = 'on'")}`),
    () => ({ click: "#a.on" }),
  ],
  [
    "a script in the request",
    () => red(rules("prefetch", there)),
    () => ({ scripts: `fetch("/prefetched").then(() => { location = "${there}" })` }),
  ],
  ["window.open", () => red(rules("prefetch", there) + oncePrefetched(`open("${there}", "_self")`))],
];

for (const [way, page, options] of ways) {
  test(`a prefetched page on another site, reached by ${way}, is refused`, async () => {
    assert.equal(await take(page(), options?.()), "target_not_allowed");
  });
}

/** Navigates there when the window is resized, which a full-page screenshot causes. */
const leavesDuringShot = () => {
  const leave = `addEventListener("resize", () => { location = "${there}" }); document.body.insertAdjacentHTML("beforeend", '${end}')`;
  return red(`<div style="height:3000px"></div>${rules("prefetch", there)}${oncePrefetched(leave)}`);
};

test("if a page navigates to another site during the screenshot, that site never appears in it", async () => {
  const outcome = await take(leavesDuringShot(), { full_page: "true" });
  assert.ok(["target_not_allowed", "#ff0000"].includes(outcome), outcome);
});
