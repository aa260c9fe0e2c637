/** Pages that another document replaces while they are captured, as after a navigation by script. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import sharp from "sharp";
import { ScriptFailed } from "../../src/browser/chromium-errors.ts";
import { runReadyStages } from "../../src/capture/load-page.ts";
import type { CaptureOptions } from "../../src/capture/options.ts";
import type { OpenedPage } from "../../src/capture/request.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, pixelAt } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const scope = fileScope();
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  ({ site, capture } = await startCaptures(scope, { SCREENSHOT_TIMEOUT: "90000" }));
  // The page that is captured instead: 900 pixels high, green once it has fetched, with an image that loads only near the window.
  site.serve({
    "/next": colouredPage(
      "#00f",
      `<div style="height:800px"></div><img loading="lazy" src="/lazy.svg" style="display:block">
       <script>fetch("/slow").then(() => { document.documentElement.style.background = "#0f0" })</script>`,
    ),
    "/slow": (_, response) => void setTimeout(() => response.end("x"), 300),
    "/lazy.svg": (_, response) =>
      response
        .writeHead(200, { "content-type": "image/svg+xml" })
        .end('<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="200" height="100" fill="#f00"/></svg>'),
  });
});

/** Navigates as soon as it is scrolled. */
const leavesWhenScrolled = (to: string) =>
  colouredPage(
    "#888",
    `<div style="height:3000px"></div><script>addEventListener("scroll", () => { location.href = ${to} }, { once: true })</script>`,
  );

test("full_page: if a page navigates while it is scrolled through, the next page is captured, with its lazy content", async () => {
  const { status, bytes, json } = await capture(leavesWhenScrolled('"/next"'), { full_page: "true" });
  assert.equal(status, 200, String(json.error));
  assert.deepEqual(describeImage(bytes), { type: "png", width: 200, height: 900 });
  assert.deepEqual([pixelAt(bytes, 100, 50), pixelAt(bytes, 100, 850)], ["#00ff00", "#ff0000"]);
});

test("full_page: a page that navigates whenever it is scrolled is captured, too", async () => {
  site.serve({ "/again": leavesWhenScrolled('"/again?" + Math.random()') });
  const { status, bytes, json } = await capture("/again", { full_page: "true", timeout: "90" });
  assert.equal(status, 200, String(json.error));
  assert.equal(pixelAt(bytes, 100, 50), "#888888");
});

test("format=gif: if a page navigates while it is recorded, the next page is recorded", async () => {
  const page = colouredPage("#888", `<script>setTimeout(() => { location.href = "/next" }, 500)</script>`);
  const { status, bytes, json } = await capture(page, { format: "gif", duration: "1", fps: "5" });
  assert.equal(status, 200, String(json.error));
  assert.equal(pixelAt(await sharp(bytes).png().toBuffer(), 100, 50), "#00ff00");
});

/** A page whose stage fails as if one of our scripts had run in a document that didn't know it. */
function failingPage(failures: number, replaced: Promise<void>) {
  let runs = 0;
  const group = {
    afterNavigation: async () => {
      runs += 1;
      if (runs <= failures) throw new ScriptFailed("TypeError");
    },
  };
  const work = {
    tab: { within: async (_: number, done: Promise<unknown>) => await Promise.race([done.then(() => true), nextTurn(false)]) },
    lifecycle: { replaced: () => replaced },
    readiness: { documentsSince: () => 0, restart() {}, invalidate() {} },
    shot: {},
    deadlineAt: Number.POSITIVE_INFINITY,
  };
  const page = { work, groups: [group], times: {}, warnings: { output: new Set(), load: new Set() } } as unknown as OpenedPage;
  return { prepare: () => runReadyStages(page, {} as CaptureOptions, false), runs: () => runs };
}

test("a failure of a page that was replaced leads to one more attempt, and any other failure ends the stage", async () => {
  const once = failingPage(1, Promise.resolve());
  await once.prepare();
  assert.equal(once.runs(), 2);
  const twice = failingPage(2, Promise.resolve());
  await twice.prepare(); // the shot stops the scripts of such a page
  const same = failingPage(1, new Promise(() => {}));
  await assert.rejects(same.prepare(), ScriptFailed);
  assert.deepEqual([twice.runs(), same.runs()], [2, 1]);
});
