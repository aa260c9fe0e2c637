/** Watches: regions that keep changing are learned and visibly ignored, and content seen before isn't reported. */

import assert from "node:assert/strict";
import { testsAtOnce } from "../../support/at-once.ts";
import { fileScope } from "../../support/scope.ts";
import type { Json } from "../../support/service.ts";
import { productPage, startWatching } from "./watching.ts";

const test = testsAtOnce(2);
const { site, service, send, read, learned, settled, run } = await startWatching(fileScope());

/** Serves a page with a slide that changes with each request. */
function carousel(path: string, slides: string[]): { price: string } {
  const page = { price: "19 €" };
  let request = 0;
  site.serve({
    [path]: (_request, response) => {
      const slide = slides[request++ % slides.length];
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(productPage(page.price, `<p class="slide" style="height:60px">${slide}</p>`));
    },
  });
  return page;
}

test("watch learning: a carousel is muted by the first runs, listed, and compared again once unmuted", async () => {
  const { key } = await service.createAccount();
  const page = carousel("/carousel", ["First offer", "Another one", "The third"]);
  const watch = await learned(key, { url: `${site.origin}/carousel` });
  assert.ok(watch.muted.length > 0, JSON.stringify(watch));
  assert.ok(watch.muted.every(({ by, name }: Json) => by === "learned" && name !== ""));
  assert.equal(watch.recent.filter(({ status }: Json) => status === "learning").length, 3);
  assert.equal(watch.latest_run.reported, false);
  for (let slide = 0; slide < 3; slide++) assert.equal((await run(key, watch.id)).status, "unchanged");
  page.price = "21 €";
  const changed = await run(key, watch.id);
  assert.deepEqual([changed.status, changed.reported], ["changed", true]);
  assert.doesNotMatch(JSON.stringify(changed.regions), /offer|Another|third/);
  page.price = "19 €";
  for (const { id } of watch.muted)
    assert.equal(
      (await send("DELETE", `/v1/watches/${watch.id}/muted/${id}`, key)).json.muted.some((one: Json) => one.id === id),
      false,
    );
  const statuses = [(await run(key, watch.id)).status, (await run(key, watch.id)).status];
  assert.ok(statuses.includes("changed"), "two slides in a row: at least one differs from the accepted run");
});

test("watch reports: a region that returns to an already reported state isn't reported again, and doesn't hide other changes", async () => {
  const { key } = await service.createAccount();
  const shown = { slide: "First offer", price: "19 €" };
  site.serve({
    "/slides": (_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(productPage(shown.price, `<p class="slide">${shown.slide}</p>`));
    },
  });
  const { id } = await settled(key, { url: `${site.origin}/slides` });
  const seen = async (slide: string, price = "19 €") => {
    Object.assign(shown, { slide, price });
    const { status, reported } = await run(key, id);
    return `${status}${reported ? ", reported" : ""}`;
  };
  assert.deepEqual(
    [await seen("Another one"), await seen("First offer"), await seen("Another one"), await seen("The third"), await seen("Another one")],
    ["changed, reported", "unchanged", "changed", "changed, reported", "changed"],
  );
  assert.equal(await seen("The third", "21 €"), "changed, reported");
});

test("mute: selectors and boxes are ignored; muting is idempotent, and unmuting causes them to be compared again", async () => {
  const { key } = await service.createAccount();
  const shown = { advert: "Buy now" };
  site.serve({
    "/advert": (_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(productPage("19 €", `<p class="advert">${shown.advert}</p>`));
    },
  });
  const { id } = await settled(key, { url: `${site.origin}/advert` });
  shown.advert = "Sold out";
  const [region] = (await run(key, id)).regions;
  const mute = (body: object) => send("POST", `/v1/watches/${id}/muted`, key, body);
  const muted = (await mute({ selector: region.selector })).json.muted;
  assert.deepEqual([muted.length, muted[0].kind, muted[0].by], [1, "selector", "user"]);
  assert.equal((await mute({ selector: region.selector })).json.muted.length, 1);
  assert.equal((await run(key, id)).status, "unchanged");
  await send("DELETE", `/v1/watches/${id}/muted/${muted[0].id}`, key);
  assert.equal((await send("DELETE", `/v1/watches/${id}/muted/${muted[0].id}`, key)).status, 200);
  assert.equal((await run(key, id)).status, "changed");
  const { x, y, width, height } = region.after;
  const box = { x: x - 10, y: y - 10, width: width + 40, height: height + 20 };
  assert.deepEqual((await mute({ box })).json.muted[0].box, box);
  assert.equal((await mute({ box })).json.muted.length, 1);
  const boxed = await run(key, id);
  assert.equal(boxed.status, "unchanged", JSON.stringify(boxed));
  assert.equal((await read(key, id)).muted.length, 1);
  for (const [wrong, parameter] of [
    [{}, "selector"],
    [{ selector: "p", box }, "box"],
    [{ selector: "" }, "selector"],
    [{ selector: ".a:hover" }, "selector"],
    [{ box: { x: 1 } }, "box.y"],
  ] as const) {
    const { status, json } = await mute(wrong);
    assert.deepEqual([status, json.details[0].parameter], [400, parameter], JSON.stringify(json));
  }
});
