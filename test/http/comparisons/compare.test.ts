/** `POST /v1/compare`: differences between two stored screenshots. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startReplica, startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const shop = (price: string, clock: string) =>
  `<!doctype html><meta charset="utf-8"><h1>Shop</h1><dl><dt>Price</dt><dd class="price">${price}</dd></dl><p id="clock">${clock}</p>`;
const site = await createSite(scope, { "/before": shop("19 €", "12:00"), "/after": shop("21 €", "12:01") });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
const { key, userId } = await service.createAccount({ rateLimit: 100 });

// biome-ignore lint/suspicious/noExplicitAny: response bodies are untyped
type Json = any;

async function post(path: string, body: object, withKey = key): Promise<{ status: number; headers: Headers; bytes: Buffer; json: Json }> {
  const response = await fetch(service.origin + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ api_key: withKey, ...body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, headers: response.headers, bytes, json: isJson ? JSON.parse(bytes.toString()) : undefined };
}

/** Captures the page and returns the ids of an image and of the elements captured with it. */
async function captured(path: string, outputs: object[] = [{ format: "png" }, { format: "elements" }], withKey = key): Promise<string[]> {
  const { status, json } = await post("/v1/captures", { url: site.origin + path, width: 600, height: 400, outputs }, withKey);
  assert.equal(status, 200, JSON.stringify(json));
  return json.outputs.map(({ id }: { id: string }) => id);
}

const [before = "", beforeElements = ""] = await captured("/before");
const [after = ""] = await captured("/after");

test("POST compare: returns the share of changed pixels, and regions named after their elements, free of charge", async () => {
  const used = async () =>
    (await service.pool.query("select sum(used)::integer as used from usage_periods where user_id = $1", [userId])).rows[0].used;
  const usedBefore = await used();
  const { status, json, headers } = await post("/v1/compare", { before, after });
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.changed, true);
  assert.ok(json.changed_share > 0 && json.changed_share < 0.01, String(json.changed_share));
  assert.deepEqual(
    json.regions.map(({ kind, name, selector, text_before, text_after }: Json) => [kind, name, selector, text_before, text_after]).sort(),
    [
      ["changed", "Price: 19 € → 21 €", ".price", "19 €", "21 €"],
      ["changed", "“12:00” → “12:01”", "#clock", "12:00", "12:01"],
    ].sort(),
  );
  assert.ok(json.regions.every(({ before, after }: Json) => before.width > 0 && after.width > 0));
  assert.deepEqual([json.before.id, json.before.width, json.after.id, json.after.height], [before, 600, after, 400]);
  assert.equal((await fetch(json.after.link)).headers.get("content-type"), "image/png");
  assert.equal(Number(headers.get("x-ratelimit-limit")), 100);
  assert.equal(await used(), usedBefore);
});

test("POST compare: ignore_selectors, ignore_boxes, threshold and compare", async () => {
  const named = async (options: object) => {
    const { json } = await post("/v1/compare", { before, after, ...options });
    return [json.changed, ...json.regions.map(({ name }: Json) => name)];
  };
  assert.deepEqual(await named({ ignore_selectors: ["dl .price", "#clock"] }), [false]);
  assert.deepEqual(await named({ ignore_boxes: [{ x: 0, y: 0, width: 600, height: 400 }] }), [false]);
  assert.deepEqual(await named({ ignore_selectors: ["#clock"], compare: "text" }), [true, "Price: 19 € → 21 €"]);
  assert.deepEqual((await named({ threshold: 0.5 }))[0], false);
});

test("POST compare: response_type=image returns the later image with the regions marked", async () => {
  const { status, headers, bytes } = await post("/v1/compare", { before, after, response_type: "image" });
  assert.deepEqual([status, headers.get("content-type"), headers.get("content-length")], [200, "image/png", String(bytes.length)]);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [600, 400]);
});

test("POST compare: screenshots without elements are compared by pixels", async () => {
  const [one, other] = [(await captured("/before", [{ format: "jpeg" }]))[0], (await captured("/after", [{ format: "webp" }]))[0]];
  const { status, json } = await post("/v1/compare", { before: one, after: other });
  assert.equal(status, 200, JSON.stringify(json));
  assert.ok(json.regions.length > 0 && json.regions.every(({ selector }: Json) => selector === null));
});

test("POST compare: if only one of the screenshots has elements, only pixels are compared", async () => {
  const [image] = await captured("/before", [{ format: "png" }]);
  const { json } = await post("/v1/compare", { before, after: image });
  assert.deepEqual([json.changed, json.changed_share, json.regions], [false, 0, []]);
});

test("POST compare: an id that is unknown, belongs to another account or isn't an image is reported under its own parameter", async () => {
  const other = await service.createAccount();
  const [foreign] = await captured("/before", [{ format: "png" }], other.key);
  for (const id of [foreign, "0198c0de-0000-7000-8000-000000000000"]) {
    const { status, json } = await post("/v1/compare", { before, after: id });
    assert.deepEqual([status, json.code], [404, "not_found"]);
    assert.match(json.error, new RegExp(`^after: .*${id}`));
  }
  const noImage = await post("/v1/compare", { before: beforeElements, after });
  assert.deepEqual([noImage.status, noImage.json.details[0].parameter], [400, "before"]);
  assert.match(noImage.json.error, /is not an image \(its format is elements\)/);
});

test("POST compare: invalid members are named, and unsupported selectors are rejected", async () => {
  for (const [body, message] of [
    [{ before }, /after/],
    [{ before, after, threshold: 2 }, /threshold/],
    [{ before, after, selector: "p" }, /selector/],
    [{ before, after, ignore_selectors: ["p:hover"] }, /ignore_selectors.*:nth-child/],
    [{ before, after: "latest" }, /after/],
  ] as const) {
    const { status, json } = await post("/v1/compare", body);
    assert.deepEqual([status, json.code], [400, "invalid_parameters"]);
    assert.match(json.error, message);
  }
  assert.equal((await post("/v1/compare", { before, after }, "wrong")).status, 403);
});

/** Takes a screenshot whose upload begins only once `store` is called. */
async function takeUnstored(t: TestContext): Promise<{ id: string; image: Buffer; store: () => void }> {
  const { store } = service.services;
  const { put } = store;
  const upload = Promise.withResolvers<void>();
  store.put = async (...object) => {
    await upload.promise;
    await put(...object);
  };
  t.after(() => {
    store.put = put;
    upload.resolve();
  });
  const response = await service.take({ api_key: key, url: `${site.origin}/after`, width: "600", height: "400", format: "png" });
  const image = Buffer.from(await response.arrayBuffer());
  return { id: response.headers.get("x-screenshot-id") ?? "", image, store: upload.resolve };
}

longTest("a screenshot can be compared and read by its id before it is stored, on any replica", async (t) => {
  const replica = await startReplica(t, service);
  const { id, image, store } = await takeUnstored(t);
  const used = [service, replica].map(async (by) => {
    const comparing = by.send("POST", "/v1/compare", key, { before, after: id });
    const read = await fetch(`${by.origin}/v1/screenshots/${id}/image`, { headers: { "x-api-key": key } });
    const bytes = Buffer.from(await read.arrayBuffer());
    const { status, json } = await comparing;
    return [read.status, bytes.equals(image), status, json.changed];
  });
  await Promise.race([...used, delay(500)]);
  store();
  assert.deepEqual(await Promise.all(used), Array(2).fill([200, true, 200, true]));
});

longTest("a screenshot that takes long to store can't be compared yet; the caller is told when to retry", async (t) => {
  const { id } = await takeUnstored(t);
  const { status, headers, json } = await post("/v1/compare", { before, after: id });
  assert.deepEqual([status, json.code, headers.get("retry-after")], [503, "unavailable", "5"]);
});
