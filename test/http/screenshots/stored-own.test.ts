/** `GET /v1/screenshots` and `/v1/screenshots/:id/image`: what is stored for a key, and who may read it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { comparisonPermits } from "../../../src/comparison/compare.ts";
import { objectKey } from "../../../src/storage/link.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { describeImage } from "../../support/image.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";

const scope = fileScope();
const site = await createSite(scope, {
  "/": colouredPage("#ff0000"),
  "/away": (_, response) => response.writeHead(302, { location: "/" }).end(),
});
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: `${site.host},localhost` });
const { key, userId } = await service.createAccount({ rateLimit: 100 });
const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
const another = (rules: Parameters<typeof createApiKey>[2]) => createApiKey(service.database, rows[0].email, rules);

async function get(path: string, withKey = key) {
  const response = await fetch(service.origin + path, { headers: { "x-api-key": withKey } });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, json: () => JSON.parse(bytes.toString()) };
}

async function take(options: Record<string, string>, withKey = key): Promise<string> {
  const query = new URLSearchParams({ url: `${site.origin}/`, response_type: "json", ...options });
  const { status, json } = await get(`/v1/screenshots/take?${query}`, withKey);
  assert.equal(status, 200);
  return json().id;
}

const idsOf = async (withKey = key, query = "") => {
  const { status, json } = await get(`/v1/screenshots${query}`, withKey);
  assert.equal(status, 200);
  return json().screenshots.map(({ id }: { id: string }) => id);
};

test("GET /v1/screenshots: lists the key's stored screenshots, newest first, with links, free of charge", async () => {
  const first = await take({ format: "png", width: "600", height: "400" });
  const second = await take({ format: "markdown" });
  const { json, headers } = await get("/v1/screenshots?limit=1");
  const { screenshots, next_cursor } = json();
  assert.deepEqual([screenshots[0].id, screenshots[0].format, screenshots[0].url], [second, "markdown", `${site.origin}/`]);
  assert.equal(Number(headers.get("x-ratelimit-limit")), 100);
  assert.deepEqual(await idsOf(key, `?limit=1&cursor=${next_cursor}`), [first]);
  assert.equal((await fetch(screenshots[0].link)).headers.get("content-type"), "text/markdown; charset=utf-8");
  assert.deepEqual(await idsOf(await another({})), []);
  const used = "select sum(used)::integer as used from usage_periods where user_id = $1";
  assert.equal((await service.pool.query(used, [userId])).rows[0].used, 2);
});

test("GET /v1/screenshots/{id}/image: fit=model scales images down, and converts formats that models can't read", async () => {
  const cases = [
    [
      { format: "png", width: "600", height: "400" },
      { type: "png", width: 600, height: 400 },
    ],
    [
      { format: "avif", width: "600", height: "400" },
      { type: "webp", width: 600, height: 400 },
    ],
    [
      { format: "jpeg", width: "3000", height: "300" },
      { type: "webp", width: 1568, height: 156 },
    ],
    [
      { format: "webp", width: "2000", height: "2000", omit_background: "true" },
      { type: "webp", width: 1072, height: 1072 },
    ],
  ] as const;
  for (const [options, expected] of cases) {
    const id = await take(options);
    const fitted = await get(`/v1/screenshots/${id}/image?fit=model`);
    assert.deepEqual(describeImage(fitted.bytes), expected);
    assert.equal(fitted.headers.get("content-type"), `image/${expected.type}`);
    assert.equal((await get(`/v1/screenshots/${id}/image`)).headers.get("content-type"), `image/${options.format}`);
  }
});

test("GET /v1/screenshots/{id}/image: works while comparisons for the same account run and wait", async () => {
  const id = await take({ format: "png" });
  const gate = Promise.withResolvers<void>();
  const comparisons = [1, 2, 3].map(() => comparisonPermits.run(userId, () => gate.promise));
  for (const query of ["", "?fit=model"]) assert.equal((await get(`/v1/screenshots/${id}/image${query}`)).status, 200, query);
  gate.resolve();
  await Promise.all(comparisons);
});

test("GET /v1/screenshots: what other accounts, restricted keys and signature-only keys can access", async () => {
  const id = await take({ format: "png" });
  const image = `/v1/screenshots/${id}/image`;
  const { key: foreign } = await service.createAccount();
  const codeOf = async (path: string, withKey: string) => {
    const { status, json } = await get(path, withKey);
    return `${status} ${json().code}`;
  };
  assert.deepEqual(await idsOf(foreign), []);
  assert.equal(await codeOf(image, foreign), "404 not_found");

  const bound = await another({ targets: ["localhost"] });
  assert.equal(await codeOf(image, bound), "404 not_found");
  const own = await take({ url: `${site.origin.replace("127.0.0.1", "localhost")}/` }, bound);
  assert.deepEqual(await idsOf(bound), [own]);
  await service.pool.query("update screenshots set final_url = 'http://other.example/' where id = $1", [own]);
  assert.deepEqual(await idsOf(bound), []);
  assert.equal(await codeOf(`/v1/screenshots/${own}/image`, bound), "404 not_found");

  const embedded = await another({ domains: ["example.com"] });
  for (const path of ["/v1/screenshots", image]) {
    const asPage = await fetch(service.origin + path, { headers: { "x-api-key": embedded, origin: "https://example.com" } });
    assert.equal(((await asPage.json()) as { code: string }).code, "domain_not_allowed");
    assert.match(await codeOf(path, await another({ requireSignature: true })), /signature_invalid/);
    assert.equal((await fetch(service.origin + path)).status, 400);
  }
});

test("GET /v1/screenshots/{id}/image: of a file that is shorter or longer than its record, nothing is sent", async () => {
  const id = await take({ width: "600", height: "400" });
  const intact = await take({ width: "600", height: "400" });
  for (const change of [1, -2]) {
    await service.pool.query("update screenshots set bytes = bytes + $2 where id = $1", [id, change]);
    for (const query of ["", "?fit=model"]) {
      const { status, json } = await get(`/v1/screenshots/${id}/image${query}`);
      assert.deepEqual([status, json().code], [503, "unavailable"]);
    }
    const compared = await fetch(`${service.origin}/v1/compare`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ before: intact, after: id }),
    });
    assert.equal(compared.status, 503);
  }
  assert.equal((await get(`/v1/screenshots/${intact}/image`)).status, 200);
});

test("GET /v1/screenshots/{id}/image: fit=model of a file that can't be decoded is no error of ours", async () => {
  const id = await take({ width: "2000", height: "400", format: "png" });
  const { store } = service.services;
  const { bytes } = await get(`/v1/screenshots/${id}/image`);
  const damaged = Buffer.concat([bytes.subarray(0, 200), Buffer.alloc(bytes.length - 200)]);
  await store.put(objectKey(id, "png"), damaged, { contentType: "image/png", metadata: {} }, AbortSignal.timeout(5_000));
  const { status, json } = await get(`/v1/screenshots/${id}/image?fit=model`);
  assert.deepEqual([status, json().code], [503, "unavailable"]);
  assert.match(json().message, /damaged/);
});

test("GET /v1/screenshots/{id}/image: documents, unknown ids and unknown parameters are rejected by name", async () => {
  const text = await take({ format: "text" });
  const refusals = [
    [`/v1/screenshots/${text}/image`, 400, /is not an image \(its format is text\)/],
    [`/v1/screenshots/${crypto.randomUUID()}/image`, 404, /stored screenshot/],
    ["/v1/screenshots/%2e%2e/image", 404, /./],
    [`/v1/screenshots/${text}/image?fit=all`, 400, /fit.*model/],
    ["/v1/screenshots?limit=0", 400, /limit/],
    ["/v1/screenshots?cursor=1", 400, /cursor/],
    ["/v1/screenshots?url=x", 400, /url/],
  ] as const;
  for (const [path, status, message] of refusals) {
    const refused = await get(path);
    assert.equal(refused.status, status, path);
    assert.match(refused.bytes.toString(), message);
  }
});
