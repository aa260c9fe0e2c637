/** `compare_to`: captures that report changes since an earlier screenshot. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { type Json, startReplica, startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";
import { startReceiver } from "../../webhooks/receiver.ts";

const longTest = longOnly(test);
const scope = fileScope();
const shop = (price: string) =>
  `<!doctype html><meta charset="utf-8"><h1>Shop</h1><dl><dt>Price</dt><dd class="price">${price}</dd></dl><p style="height:200px">`;
const site = await createSite(scope, { "/before": shop("19 €"), "/after": shop("21 €") });
const receiver = await startReceiver(scope);
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: `${site.host},${receiver.host}`, WEBHOOK_ALLOW_HTTP: "true" });
const { key, userId } = await service.createAccount();
const size = { width: 600, height: 400 };

const send = (method: string, path: string, body?: object, by = service) => by.send(method, path, key, body);
const take = (path: string, more: Record<string, string>) =>
  service.take({ api_key: key, url: site.origin + path, width: "600", height: "400", format: "png", ...more });

const used = () => service.used(userId);

/** The response without its links, which contain the time of their creation. */
function figures({ changed, changed_share, before, after, regions }: Json): object {
  return { changed, changed_share, before: before.id, after: after.id, regions };
}

const image = { format: "png" };
const elements = { format: "elements" };
const first = await send("POST", "/v1/captures", { url: `${site.origin}/before`, ...size, outputs: [image, elements] });
const [before, beforeElements] = first.json.outputs.map(({ id }: Json) => id);
const unknown = "0198c0de-0000-7000-8000-000000000000";

const comparedLater = async (after: string) => (await send("POST", "/v1/compare", { before, after })).json;

test("compare_to: GET returns the image, with the figures of POST /v1/compare in headers; JSON has all regions", async () => {
  const response = await take("/after", { compare_to: before });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "image/png");
  await response.arrayBuffer();
  const json = await (await take("/after", { compare_to: before, response_type: "json" })).json();
  const later = await comparedLater(json.id);
  assert.deepEqual(figures(json.comparison), figures(later));
  assert.ok(later.changed && later.changed_share > 0 && later.regions.length > 0);
  const told = ["x-changed", "x-changed-share", "x-changed-regions"].map((name) => response.headers.get(name));
  assert.deepEqual(told, ["true", String(later.changed_share), String(later.regions.length)]);
  assert.equal((await fetch(json.comparison.before.link)).status, 200);

  const same = await take("/before", { compare_to: before, response_type: "empty" });
  assert.deepEqual([same.status, same.headers.get("x-changed"), same.headers.get("x-changed-share")], [204, "false", "0"]);
  assert.equal((await take("/before", {})).headers.get("x-changed"), null);
});

test("compare_to: a cached screenshot is compared without a new capture", async () => {
  const cached = { is_cached: "true", cache_key: "compared" };
  const earlier = await (await take("/after", { ...cached, response_type: "json" })).json();
  const hit = await take("/after", { ...cached, compare_to: before });
  assert.deepEqual([hit.headers.get("x-cache"), hit.headers.get("x-screenshot-id")], ["HIT", earlier.id]);
  assert.equal(hit.headers.get("x-changed-share"), String((await comparedLater(earlier.id)).changed_share));
  assert.ok((await hit.arrayBuffer()).byteLength > 0);
});

test("compare_to: an unknown id causes a 404 before anything is loaded or counted", async () => {
  const stranger = await service.createAccount();
  const foreign = await service.take({ api_key: stranger.key, url: `${site.origin}/before`, response_type: "json" });
  const { id } = await foreign.json();
  const [loads, cost] = [site.requests.length, await used()];
  const outputs = [image];
  for (const missing of [id, unknown]) {
    const single = await take("/after", { compare_to: missing });
    assert.deepEqual([single.status, single.headers.get("x-error-code")], [404, "not_found"]);
    assert.match((await single.json()).error, new RegExp(`^compare_to: .*${missing}`));
    for (const more of [{}, { async: true }]) {
      const { status, json } = await send("POST", "/v1/captures", { url: `${site.origin}/after`, compare_to: missing, outputs, ...more });
      assert.deepEqual([status, json.code], [404, "not_found"]);
    }
    const captures = [{ url: `${site.origin}/after` }, { url: `${site.origin}/after`, compare_to: missing }];
    const batch = await send("POST", "/v1/batches", { captures });
    assert.equal(batch.status, 404);
    assert.match(batch.json.error, new RegExp(`^captures\\[1\\]\\.compare_to: .*${missing}`));
  }
  assert.deepEqual([site.requests.length, await used()], [loads, cost]);
});

test("compare_to: formats that are not images cause a 400 that lists the valid ones", async () => {
  for (const format of ["pdf", "html", "markdown"]) {
    const { status, json } = await (await take("/after", { compare_to: before, format }))
      .json()
      .then((json) => ({ status: json.status, json }));
    assert.equal(json.code, "invalid_parameters", String(status));
    assert.match(json.error, /compare_to requires an image format, one of jpeg, png, webp, avif/);
  }
  const url = `${site.origin}/after`;
  for (const [body, message] of [
    [{ outputs: [{ format: "pdf", compare_to: before }] }, /outputs\[0\]\.compare_to requires an image format/],
    [{ compare_to: before, outputs: [{ format: "pdf" }, elements] }, /compare_to requires an output that is an image/],
    [{ compare_to: before, outputs: [{ slice_height: 500 }] }, /compare_to can't be used with slice_height/],
  ] as const) {
    const { status, json } = await send("POST", "/v1/captures", { url, ...body });
    assert.deepEqual([status, json.code], [400, "invalid_parameters"]);
    assert.match(json.error, message);
  }
  const noImage = await take("/after", { compare_to: beforeElements });
  assert.equal(noImage.status, 400);
  assert.match((await noImage.json()).error, /is not an image \(its format is elements\)/);
  const watch = await send("POST", "/v1/watches", { url, compare_to: before });
  assert.match(watch.json.error, /compare_to is not a watch option/);
});

const named = ({ regions }: Json) => regions.map(({ name }: Json) => name);

longTest(
  "compare_to: each image of POST /v1/captures has its own comparison, with element names if the elements are also an output",
  async () => {
    const body = { url: `${site.origin}/after`, ...size, compare_to: before };
    const cost = await used();
    const now = await send("POST", "/v1/captures", { ...body, outputs: [image, elements] });
    assert.equal(now.status, 200, JSON.stringify(now.json));
    assert.deepEqual(named(now.json.outputs[0].comparison), ["Price: 19 € → 21 €"]);
    assert.deepEqual(figures(now.json.outputs[0].comparison), figures(await comparedLater(now.json.outputs[0].id)));
    assert.equal(now.json.outputs[1].comparison, undefined);

    const webhook = { async: true, webhook_url: `http://${receiver.host}/hook` };
    const queued = await send("POST", "/v1/captures", { ...body, ...webhook, outputs: [image, elements, { ...image, width: 500 }] });
    const ended = (await send("GET", `/v1/captures/${queued.json.id}?wait=60`)).json;
    assert.equal(ended.status, "done", JSON.stringify(ended));
    assert.deepEqual(figures(ended.outputs[0].comparison), figures(await comparedLater(ended.outputs[0].id)));
    assert.equal(ended.outputs[2].comparison.after.width, 500);
    await eventually("the webhook has arrived", async () => (await used()) > 0 && receiver.received.length === 1);
    const [sent, sentElements] = JSON.parse(receiver.received[0]?.body ?? "").data.outputs;
    assert.deepEqual([sent.changed, sent.changed_share], [true, ended.outputs[0].comparison.changed_share]);
    assert.equal(sentElements.changed, undefined);
    assert.equal(await used(), cost + 2);
  },
);

longTest("compare_to: each capture of a batch can have its own value", async () => {
  const url = `${site.origin}/after`;
  const captures = [{ url, compare_to: before }, { url: `${site.origin}/before`, compare_to: before }, { url }];
  const { json } = await send("POST", "/v1/batches", { shared: { ...size, format: "png" }, captures });
  const response = await fetch(`${service.origin}/v1/batches/${json.id}/results?follow=true`, { headers: { "x-api-key": key } });
  const lines = (await response.text()).split("\n").flatMap((line) => (line ? [JSON.parse(line)] : []));
  const changed = new Map(lines.map(({ batch, outputs }: Json) => [batch.index, outputs[0].comparison?.changed]));
  assert.deepEqual([changed.get(0), changed.get(1), changed.get(2)], [true, false, undefined]);
});

longTest(
  "compare_to: if the earlier screenshot is deleted before a queued capture starts, the capture succeeds with a warning",
  async () => {
    const earlier = await (await take("/before", { response_type: "json" })).json();
    const queued = await send("POST", "/v1/captures", {
      url: `${site.origin}/after`,
      async: true,
      compare_to: earlier.id,
      outputs: [image],
    });
    await service.pool.query("delete from screenshots where id = $1", [earlier.id]);
    const { outputs, status } = (await send("GET", `/v1/captures/${queued.json.id}?wait=60`)).json;
    assert.equal(status, "done");
    assert.match(outputs[0].warnings.join(), new RegExp(`the screenshots were not compared: compare_to: .*${earlier.id}`));
    assert.ok(outputs[0].url);
  },
);

longTest("compare_to: a process without browsers returns the same figures", async () => {
  const api = await startReplica(scope, service, { ROLE: "api", PUPPETEER_EXECUTABLE_PATH: "/no/such/browser" });
  const query = { api_key: key, url: `${site.origin}/after`, width: "600", height: "400", format: "png", compare_to: before };
  const single = await fetch(`${api.origin}/v1/screenshots/take?${new URLSearchParams({ ...query, response_type: "json" })}`);
  const json = await single.json();
  assert.deepEqual(figures(json.comparison), figures(await comparedLater(json.id)));
  const body = { url: `${site.origin}/after`, ...size, compare_to: before, outputs: [image, elements] };
  const several = await send("POST", "/v1/captures", body, api);
  assert.deepEqual(named(several.json.outputs[0].comparison), ["Price: 19 € → 21 €"]);
});
