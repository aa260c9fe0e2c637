/** What a page notices of a screenshot beyond its viewport: nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tab } from "../../src/browser/tab.ts";
import { nextFrame } from "../../src/capture/in-page/pass-over.ts";
import { fileScope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { startOutputs } from "./several-outputs.ts";

const scope = fileScope();
const site = await createSite(scope);
const { services, through } = await startOutputs(scope, site.host, { MAX_FULL_PAGE_HEIGHT: "100000" });
let images = 0;
const outputs = through((tab) => ({
  ...tab,
  captureScreenshot: (...given) => {
    images += 1;
    return tab.captureScreenshot(...given);
  },
}));

/** A page that shows each width that its listeners see. */
const listening = `<!doctype html><body style="margin:0"><p>seen:</p><div style="height:3000px"></div><script>
  const seen = () => { document.querySelector("p").textContent += " " + innerWidth };
  addEventListener("resize", seen);
  onresize = seen;
  visualViewport.addEventListener("resize", seen);
</script>`;

async function onPage<T>(use: (tab: Tab, resize: (width: number) => Promise<void>) => Promise<T>): Promise<T> {
  site.serve({ "/listening": listening });
  const request = { account: "test", signal: AbortSignal.timeout(30_000), deadlineAt: performance.now() + 30_000 };
  return await services.slots.withTab(request, async (tab) => {
    const resize = async (width: number) => {
      await tab.send("Emulation.setDeviceMetricsOverride", { width, height: width === 1 ? 1 : 600, deviceScaleFactor: 1, mobile: false });
      await tab.waitFor(nextFrame);
      await tab.waitFor(nextFrame);
    };
    await resize(1000);
    const loaded = tab.once("Page.loadEventFired");
    await tab.send("Page.navigate", { url: `${site.origin}/listening` });
    await loaded;
    return await use(tab, resize);
  });
}

const textOf = (tab: Tab) => tab.evaluate(() => document.querySelector("p")?.textContent);

test("a page sees resizes of its window, and its own events, but no events without a change of size", async () => {
  await onPage(async (tab, resize) => {
    await resize(900);
    await tab.evaluate(() => dispatchEvent(new Event("resize")));
    assert.equal(await textOf(tab), "seen: 900 900 900 900 900");
    const clip = { x: 0, y: 1000, width: 900, height: 500, scale: 1 };
    await tab.captureScreenshot({ format: "png", clip }, 10_000);
    await tab.waitFor(nextFrame);
    assert.equal(await textOf(tab), "seen: 900 900 900 900 900");
  });
});

test("a page sees no window resize during a full-page capture", async () => {
  const tell = 'fetch("/resized?" + innerWidth)';
  site.serve({ "/tells": `<!doctype html><div style="height:3000px"></div><script>onresize = () => { ${tell} }</script>` });
  for (let capture = 0; capture < 3; capture += 1) await outputs.single({ url: `${site.origin}/tells?${capture}`, full_page: true });
  const told = site.requests.filter(({ path }) => path.startsWith("/resized"));
  assert.deepEqual(told, []);
});

test("a page whose frames take long sees no other window, media query or size during a full-page capture", async () => {
  const page = `<!doctype html><body style="margin:0"><div style="height:3000px"></div><script>
    const tell = (what) => fetch("/told?" + what);
    onresize = () => tell("resize");
    matchMedia("(max-width: 500px)").onchange = () => tell("media");
    new ResizeObserver(([{ contentRect }]) => contentRect.width !== 800 && tell("size")).observe(document.body);
    const draw = () => { for (const until = performance.now() + 30; performance.now() < until; ); document.body.dataset.at = performance.now(); requestAnimationFrame(draw) };
    requestAnimationFrame(draw)</script>`;
  site.serve({ "/heavy": page });
  for (let capture = 0; capture < 2; capture += 1)
    await outputs.single({ url: `${site.origin}/heavy?${capture}`, width: 800, height: 600, full_page: true });
  const told = site.requests.filter(({ path }) => path.startsWith("/told"));
  assert.deepEqual(told, []);
});

test("a narrow page is captured in few tiles", async () => {
  site.serve({ "/narrow": '<!doctype html><body style="margin:0"><div style="height:60000px">' });
  images = 0;
  await outputs.single({ url: `${site.origin}/narrow`, full_page: true, width: 200, height: 100 });
  assert.equal(images, 4);
});
