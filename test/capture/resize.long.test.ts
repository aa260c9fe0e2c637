/** Whether a page is still updating after its window was resized. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectResize, isStillResizing } from "../../src/capture/in-page/resize.ts";
import { fileScope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { startOutputs } from "./several-outputs.ts";

const scope = fileScope();
const site = await createSite(scope);
const { services, assertEqual } = await startOutputs(scope, site.host);

/** What is reported for a page with `script` when its window becomes narrower. */
async function isStillBusy(script: string): Promise<boolean> {
  site.serve({ "/page": `<!doctype html><h1>Page</h1><script>${script}</script>` });
  const request = { account: "test", signal: AbortSignal.timeout(30_000), deadlineAt: performance.now() + 30_000 };
  return await services.slots.withTab(request, async (tab) => {
    const resize = (width: number) =>
      tab.send("Emulation.setDeviceMetricsOverride", { width, height: 600, deviceScaleFactor: 1, mobile: false });
    await resize(1000);
    const loaded = tab.once("Page.loadEventFired");
    await tab.send("Page.navigate", { url: `${site.origin}/page` });
    await loaded;
    await tab.evaluate(expectResize);
    await resize(400);
    return await tab.waitFor(isStillResizing);
  });
}

const write = "document.querySelector('h1').textContent = innerWidth";

for (const [what, script] of [
  ["nothing", ""],
  ["a listener that acts immediately", `addEventListener("resize", () => { ${write} })`],
  ["a listener that acts in the next frame", `addEventListener("resize", () => requestAnimationFrame(() => { ${write} }))`],
  ["an interval, and a timer that was started before", `setInterval(() => {}, 20); setTimeout(() => {}, 50)`],
] as const)
  test(`after a resize, a page with ${what} has settled`, async () => {
    assert.equal(await isStillBusy(script), false);
  });

for (const [what, listener] of [
  ["debouncing by timer", `clearTimeout(self.timer); self.timer = setTimeout(() => { ${write} }, 150)`],
  ["debouncing, detected in the next frame", `requestAnimationFrame(() => setTimeout(() => { ${write} }, 150))`],
  ["debouncing, detected in a promise", `Promise.resolve().then(() => setTimeout(() => { ${write} }, 150))`],
  [
    "debouncing by counting frames",
    `const end = performance.now() + 150; const wait = () => performance.now() < end ? requestAnimationFrame(wait) : (${write}); wait()`,
  ],
] as const)
  test(`after a resize, the capture waits for a page whose listener uses ${what}`, async () => {
    const script = `addEventListener("resize", () => { ${listener} }); ${write}`;
    assert.equal(await isStillBusy(script), true);
    const page = `<!doctype html><body style="margin:0"><h1 style="margin:0;font:bold 90px sans-serif">Page</h1><script>${script}</script>`;
    site.serve({ "/page": page });
    await assertEqual({ url: `${site.origin}/page` }, [{ width: 400 }, { width: 300 }], 0);
  });
