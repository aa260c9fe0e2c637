/** Where a response comes from: cache, running capture, storage; and storage outages. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { before, test } from "node:test";
import type { FastifyReply } from "fastify";
import { countUntilClosed, takesPerAccountMax } from "../../../src/http/screenshots/take.ts";
import { heldBytesMax, heldImages } from "../../../src/http/server/held-images.ts";
import { objectKey } from "../../../src/storage/link.ts";
import { eventually } from "../../support/eventually.ts";
import { describeImage } from "../../support/image.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let service: TestService;
let key: string;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#ff0000") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key } = await service.createAccount());
});

const visits = (path: string) => site.requests.filter((request) => request.path === path).length;

async function bytesOf(response: Response): Promise<Buffer> {
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

test("is_cached: the second identical request gets the stored screenshot, without using the quota and without a request to the target", async () => {
  site.serve({ "/cached": colouredPage("#00ff00") });
  const account = await service.createAccount({ plan: "pro", quota: 1 });
  // With `empty`, the response waits until the screenshot is stored, so the next request finds it.
  const asked = { api_key: account.key, url: `${site.origin}/cached`, is_cached: "true", cache_ttl: "600" };
  assert.equal((await service.take({ ...asked, response_type: "empty" })).status, 204);
  const hit = await service.take(asked);
  assert.equal(hit.headers.get("x-cache"), "HIT");
  assert.equal(hit.headers.get("cache-control"), "public, max-age=600");
  assert.match(hit.headers.get("age") ?? "", /^\d$/);
  assert.equal(hit.headers.get("x-target-status"), "200");
  const bytes = await bytesOf(hit);
  assert.equal(bytes.length, Number(hit.headers.get("content-length")));
  assert.deepEqual(describeImage(bytes), { type: "jpg", width: 1280, height: 720 });
  assert.equal(visits("/cached"), 1);
  const unchanged = await service.take(asked, { "if-none-match": hit.headers.get("etag") ?? "" });
  assert.deepEqual([unchanged.status, unchanged.headers.get("x-cache")], [304, "HIT"]);
  const { rows } = await service.pool.query("select used from usage_periods where user_id = $1", [account.userId]);
  assert.deepEqual(rows, [{ used: 1 }]);
});

longTest("the cache_lookups metric counts exactly the requests that used the cache", async () => {
  const counts = async () => {
    const { values } = await service.services.metrics.cacheLookups.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]));
  };
  const before = await counts();
  const asked = { api_key: key, url: `${site.origin}/`, width: "33", response_type: "empty" };
  for (const is_cached of ["false", "true", "true", "false"]) assert.equal((await service.take({ ...asked, is_cached })).status, 204);
  const after = await counts();
  const more = (result: string) => (after[result] ?? 0) - (before[result] ?? 0);
  assert.deepEqual([more("miss"), more("hit"), more("coalesced")], [1, 1, 0]);
});

test("signed links: HEAD returns the headers of GET without a body", async () => {
  const { url } = await (await service.take({ api_key: key, url: `${site.origin}/`, response_type: "json", format: "png" })).json();
  const [head, get] = [await fetch(url, { method: "HEAD" }), await fetch(url)];
  assert.equal(head.status, 200);
  for (const name of ["content-type", "content-length", "cache-control"]) assert.equal(head.headers.get(name), get.headers.get(name), name);
  assert.equal((await get.arrayBuffer()).byteLength, Number(head.headers.get("content-length")));
  const forged = url.replace(/expires=\d+/, "expires=9999999999");
  assert.equal((await fetch(forged, { method: "HEAD" })).status, 403);
});

longTest("is_cached: a cached screenshot has the same JSON as its capture, except for timings", async () => {
  const asked = { api_key: key, url: `${site.origin}/`, is_cached: "true", response_type: "json" };
  const { cache, timings, wait_ended, ...taken } = await (await service.take(asked)).json();
  const { cache: hit, timings: hitTimings, url, ...stored } = await (await service.take(asked)).json();
  assert.deepEqual([cache, hit, wait_ended, Object.keys(hitTimings)], ["MISS", "HIT", "ready", ["total"]]);
  assert.deepEqual({ ...stored, url: taken.url }, taken);
  assert.ok(url.includes(stored.id));
});

test("is_cached: options, cache_key and account are all part of the cache key", async () => {
  site.serve({ "/apart": colouredPage("#00ff00") });
  const asked = { api_key: key, url: `${site.origin}/apart`, is_cached: "true", response_type: "empty" };
  const cacheOf = async (parameters: Record<string, string>) => (await service.take({ ...asked, ...parameters })).headers.get("x-cache");
  assert.equal(await cacheOf({}), "MISS");
  assert.equal(await cacheOf({}), "HIT");
  assert.equal(await cacheOf({ width: "1281" }), "MISS");
  assert.equal(await cacheOf({ cache_key: "b" }), "MISS");
  assert.equal(await cacheOf({ cookies: "a=1" }), "MISS");
  assert.equal(await cacheOf({ timeout: "20", cache_ttl: "60" }), "HIT");
  assert.equal(await cacheOf({ api_key: (await service.createAccount()).key }), "MISS");
});

longTest("is_cached: a screenshot whose image is missing from storage is captured again", async () => {
  site.serve({ "/gone": colouredPage("#00ff00") });
  const asked = { api_key: key, url: `${site.origin}/gone`, is_cached: "true", format: "png" };
  const { id } = await (await service.take({ ...asked, response_type: "json" })).json();
  await service.services.store.remove(objectKey(id, "png"), AbortSignal.timeout(5_000));
  const again = await service.take(asked);
  assert.equal(again.headers.get("x-cache"), "MISS");
  assert.equal(describeImage(await bytesOf(again)).type, "png");
  assert.equal(visits("/gone"), 2);
});

test("is_cached: an error page is captured, but not cached", async () => {
  site.serve({ "/failing": (_, response) => response.writeHead(500).end("<h1>sorry") });
  const asked = { api_key: key, url: `${site.origin}/failing`, is_cached: "true", response_type: "empty" };
  for (const _ of [1, 2]) assert.equal((await service.take(asked)).headers.get("x-cache"), "MISS");
});

longTest(
  "cache hits: beyond an account's share of memory for unsent images, images are streamed from storage and charged once",
  async (t) => {
    const { key: own, userId } = await service.createAccount();
    const unread = { raw: new EventEmitter() } as unknown as FastifyReply;
    heldImages.hold(userId, unread, [Buffer.alloc(heldBytesMax.perClientMax)]);
    const { store } = service.services;
    const { get } = store;
    const opened: string[] = [];
    store.get = (path, ...rest) => {
      opened.push(path);
      return get(path, ...rest);
    };
    t.after(() => {
      store.get = get;
      unread.raw.emit("close");
    });
    const image = await service.take({ api_key: own, url: `${site.origin}/`, format: "png" });
    assert.deepEqual(describeImage(await bytesOf(image)), { type: "png", width: 1280, height: 720 });
    assert.equal(opened.length, 1);
    const zip = await fetch(`${service.origin}/v1/captures`, {
      method: "POST",
      headers: { "x-api-key": own, "content-type": "application/json" },
      body: JSON.stringify({ url: `${site.origin}/`, response_type: "zip", outputs: [{}, { width: 400 }] }),
    });
    assert.equal((await bytesOf(zip)).toString("latin1", 0, 2), "PK");
    assert.equal(opened.length, 3);
    const { rows } = await service.pool.query("select used from usage_periods where user_id = $1", [userId]);
    assert.deepEqual(rows, [{ used: 2 }]);
  },
);

longTest("single flight: an account has at most 1,000 requests that wait for captures; others are not affected", async () => {
  const [one, other] = [await service.createAccount(), await service.createAccount()];
  const waiting = Array.from({ length: takesPerAccountMax }, () => ({ raw: new EventEmitter() }) as unknown as FastifyReply);
  for (const reply of waiting) countUntilClosed(one.userId, reply);
  const statusOf = async (own: string) => (await service.take({ api_key: own, url: `${site.origin}/`, response_type: "empty" })).status;
  assert.deepEqual([await statusOf(one.key), await statusOf(other.key)], [429, 204]);
  waiting[0]?.raw.emit("close");
  assert.equal(await statusOf(one.key), 204);
  for (const { raw } of waiting) raw.emit("close");
});

test("single flight: concurrent identical requests share one capture and cost one screenshot", async () => {
  site.serve({
    "/slow": (_, response) => void setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end("<h1>slow"), 500),
  });
  const account = await service.createAccount();
  const asked = { api_key: account.key, url: `${site.origin}/slow` };
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.take(asked)));
  assert.deepEqual(answers.map((answer) => answer.headers.get("x-cache")).sort(), [
    "COALESCED",
    "COALESCED",
    "COALESCED",
    "COALESCED",
    "MISS",
  ]);
  const pictures = await Promise.all(answers.map(bytesOf));
  for (const picture of pictures) assert.deepEqual(picture, pictures[0]);
  assert.equal(visits("/slow"), 1);
  const { rows } = await service.pool.query("select used from usage_periods where user_id = $1", [account.userId]);
  assert.deepEqual(rows, [{ used: 1 }]);
});

/** Disconnects before the target has responded; resolves once the reservation is no longer pending. */
async function leave({ key: own, userId }: { key: string; userId: string }): Promise<void> {
  const opened = Promise.withResolvers<void>();
  site.serve({ "/endless": () => opened.resolve() });
  const leaving = new AbortController();
  const query = new URLSearchParams({ api_key: own, url: `${site.origin}/endless` });
  const answer = fetch(`${service.origin}/v1/screenshots/take?${query}`, { signal: leaving.signal });
  await opened.promise;
  leaving.abort();
  await assert.rejects(answer);
  const pending = "select from screenshots where user_id = $1 and status = 'pending'";
  await eventually("the reservation is refunded", async () => (await service.pool.query(pending, [userId])).rowCount === 0);
}

test("disconnect: the capture is aborted and costs nothing", async () => {
  const account = await service.createAccount();
  await leave(account);
  const { rows } = await service.pool.query(
    "select s.status, used from screenshots s join usage_periods using (user_id) where user_id = $1",
    [account.userId],
  );
  assert.deepEqual(rows, [{ status: "failed", used: 0 }]);
});

test("disconnect: recorded as client_gone, not as internal_error", async () => {
  const account = await service.createAccount();
  const { metrics, usage } = service.services;
  await leave(account);
  const { rows } = await service.pool.query("select error from screenshots where user_id = $1", [account.userId]);
  assert.deepEqual(rows, [{ error: "client_gone" }]);
  const counted = async () => {
    await usage.flush();
    return (await service.pool.query("select captured, failed, rejected from usage_days where user_id = $1", [account.userId])).rows;
  };
  await eventually("the request is counted", async () => (await counted()).length > 0);
  assert.deepEqual(await counted(), [{ captured: 0, failed: 1, rejected: 0 }]);
  assert.ok((await metrics.requests.get()).values.some(({ labels }) => labels.status === 499));
  const failures = (await metrics.failures.get()).values.filter(({ value }) => value > 0).map(({ labels }) => labels.code);
  assert.equal(failures.includes("internal_error"), false);
});

longTest("disconnect: a client that aborts the download of a stored image is not counted as an error", async () => {
  const noise = `<body style="margin:0"><canvas id=c width=2000 height=3000></canvas><script>const x = c.getContext("2d"), d = x.createImageData(2000, 3000);
    for (let i = 0; i < d.data.length; i += 4) { d.data[i] = Math.random() * 255; d.data[i + 1] = Math.random() * 255; d.data[i + 3] = 255 } x.putImageData(d, 0, 0)</script>`;
  const response = await fetch(`${service.origin}/v1/screenshots/take`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ html: noise, format: "png", full_page: true, width: 2000, response_type: "json" }),
  });
  assert.equal(response.status, 200);
  const { url: link } = (await response.json()) as { url: string };
  const internalErrors = async () => {
    const { values } = await service.services.metrics.failures.get();
    return values.find(({ labels }) => labels.code === "internal_error")?.value ?? 0;
  };
  const before = await internalErrors();
  get(link, (answer) => answer.once("data", () => answer.destroy()));
  await eventually("the caller has left", () => service.logged().includes("the caller disconnected before the end of the response"));
  assert.equal(await internalErrors(), before);
  assert.doesNotMatch(service.logged(), /signature=/);
});

test("response_type=json: describes the screenshot, with a link that needs no key and can't be changed", async () => {
  const before = Date.now();
  const response = await service.take({
    api_key: key,
    url: `${site.origin}/`,
    response_type: "json",
    format: "webp",
    width: "64",
    height: "32",
  });
  assert.equal(response.status, 200);
  const { id, url, captured_at, timings, verdict, ...rest } = await response.json();
  assert.equal(verdict.kind, "unknown", "a page without text");
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.ok(before <= Date.parse(captured_at) && Date.parse(captured_at) <= Date.now(), captured_at);
  assert.deepEqual(Object.keys(timings), ["queue", "navigate", "wait", "shoot", "total"]);
  const stored = await fetch(url);
  const bytes = await bytesOf(stored);
  assert.equal(stored.headers.get("content-type"), "image/webp");
  assert.deepEqual(describeImage(bytes), { type: "webp", width: 64, height: 32 });
  assert.deepEqual(rest, {
    format: "webp",
    bytes: bytes.length,
    width: 64,
    height: 32,
    title: "#ff0000",
    target: { status: 200, url: `${site.origin}/` },
    cache: "MISS",
    wait_ended: "ready",
    warnings: [],
  });
  assert.equal(
    (await fetch(url.replace(/signature=./, (part: string) => (part.endsWith("A") ? "signature=B" : "signature=A")))).status,
    403,
  );
  assert.equal((await fetch(url.replace(/expires=\d+/, "expires=9999999999"))).status, 403);
  assert.equal((await fetch(`${service.origin}/v1/screenshots/${id}.webp`)).status, 403);
  assert.equal((await fetch(url.replace(".webp", ".webp.webp"))).status, 404);
  for (const again of ["expires=1", "signature=a", new URL(url).search.slice(1)])
    assert.equal((await fetch(`${url}&${again}`)).status, 403);
});

longTest("the record of a stored screenshot includes its options and object key", async () => {
  const account = await service.createAccount();
  const response = await service.take({
    api_key: account.key,
    url: `${site.origin}/`,
    response_type: "json",
    width: "40",
    height: "30",
    format: "png",
  });
  const { id, bytes } = await response.json();
  const { rows } = await service.pool.query(
    "select status, url, format, width, height, bytes, object_key, lease_until, options->>'width' as asked_width from screenshots where id = $1",
    [id],
  );
  const [{ object_key, ...record }] = rows;
  assert.deepEqual(record, {
    status: "done",
    url: `${site.origin}/`,
    format: "png",
    width: 40,
    height: 30,
    bytes,
    lease_until: null,
    asked_width: "40",
  });
  assert.match(object_key, new RegExp(`^screenshots/\\d{4}/\\d\\d/\\d\\d/${id}\\.png$`));
});

longTest(
  "when storage fails, screenshots are delivered and counted, and stored once it recovers, or at shutdown at the latest",
  async () => {
    const broken = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
    const folder = broken.env.STORAGE_URL?.slice("file:".length) ?? "";
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, "a file in place of the folder");
    const account = await broken.createAccount();
    const picture = await broken.take({ api_key: account.key, url: `${site.origin}/`, width: "20", height: "10" });
    assert.equal(describeImage(await bytesOf(picture)).width, 20);
    const described = await (
      await broken.take({ api_key: account.key, url: `${site.origin}/`, width: "20", height: "10", response_type: "json" })
    ).json();
    assert.equal(described.url, null);
    assert.deepEqual(described.warnings, ["the image could not be stored, so there is no link to it"]);
    assert.match(await broken.services.metrics.registry.metrics(), /tintype_storage_uploads_total\{result="retried"\} [2-9]/);
    await rm(folder);
    await broken.stop();
    const { rows } = await broken.pool.query(
      "select s.status, s.object_key is not null as stored, u.used from screenshots s join usage_periods u using (user_id) where user_id = $1",
      [account.userId],
    );
    assert.deepEqual(rows, Array(2).fill({ status: "done", stored: true, used: 2 }));
  },
);

test("the OpenAPI description is served as JSON, YAML and HTML", async () => {
  const json = await (await fetch(`${service.origin}/openapi.json`)).json();
  assert.equal(json.openapi, "3.1.0");
  assert.ok(json.paths["/v1/screenshots/take"].get.parameters.some(({ name }: { name: string }) => name === "full_page"));
  assert.match(await (await fetch(`${service.origin}/openapi.yaml`)).text(), /^openapi: 3\.1\.0\n/);
  const docs = await fetch(`${service.origin}/docs/`);
  assert.equal(docs.status, 200);
  const policy = docs.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'self'.* img-src 'self' data: blob:;/);
  assert.doesNotMatch(policy, /upgrade-insecure-requests/); // without TLS, other machines would get an empty page
});
