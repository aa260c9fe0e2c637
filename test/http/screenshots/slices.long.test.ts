/** Outputs with `slice_height`: several files, records and links for a single output. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import sharp from "sharp";
import { fileScope } from "../../support/scope.ts";
import { type Json, startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";

const scope = fileScope();
const page = `<!doctype html><title>Long</title><body style="margin:0">${"<p style='margin:0 0 24px'>A line of text</p>".repeat(60)}`;
const site = await createSite(scope, { "/": page });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
const url = `${site.origin}/`;
const shared = { url, full_page: true, width: 320, height: 240 };

async function send(body: object, key: string): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return await fetch(`${service.origin}/v1/captures`, { method: "POST", headers, body: JSON.stringify(body) });
}

const post = (body: object, key: string) => service.send("POST", "/v1/captures", key, body);
const { used } = service;

async function records(userId: string) {
  const text = `select id, status, error, output, capture_id as capture, costs, object_key as key, width, height, expires_at as expires
                  from screenshots where user_id = $1 order by output`;
  return (await service.pool.query(text, [userId])).rows;
}

test("slices: each has its own file, link, record and entry; together they form the whole image and cost one screenshot", async () => {
  const { key, userId } = await service.createAccount({ quota: 10 });
  const outputs = [
    { name: "whole", format: "png" },
    { name: "read", format: "png", slice_height: 500, slice_overlap: 20 },
  ];
  const { status, json } = await post({ ...shared, outputs }, key);
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.loads, 1);
  const [whole, read] = json.outputs;
  for (const name of ["id", "url", "etag", "expires_at", "file"]) assert.equal(name in read, false, name);
  assert.deepEqual([read.width, read.height], [whole.width, whole.height]);
  assert.ok(read.slices.length >= 4);
  const image = await sharp(Buffer.from(await (await fetch(whole.url)).arrayBuffer()))
    .raw()
    .toBuffer();
  const stride = image.length / whole.height;
  let bytes = 0;
  for (const [index, slice] of read.slices.entries()) {
    const response = await fetch(slice.url);
    assert.equal(response.headers.get("content-type"), "image/png");
    const file = Buffer.from(await response.arrayBuffer());
    assert.equal(file.length, slice.bytes);
    bytes += file.length;
    const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [slice.width, slice.height]);
    assert.ok(data.equals(image.subarray(slice.y * stride, (slice.y + slice.height) * stride)));
    const end = slice.y + slice.height;
    assert.equal(read.slices[index + 1]?.y ?? whole.height, index + 1 < read.slices.length ? end - 20 : end);
    assert.ok(Date.parse(slice.expires_at) > Date.now() && slice.etag.startsWith('"'));
  }
  assert.equal(read.bytes, bytes);
  assert.equal(await used(userId), 1);
  const recorded = await records(userId);
  assert.deepEqual(
    recorded.map(({ output, status, costs, capture, id, width, height }) => [output, status, costs, capture, id, width, height]),
    [
      ...read.slices.map(({ id, width, height }: Json, index: number) => [`read-0${index + 1}`, "done", 0, json.id, id, width, height]),
      ["whole", "done", 1, json.id, whole.id, whole.width, whole.height],
    ],
  );
  assert.equal(new Set(recorded.map((record) => record.key)).size, recorded.length);
  assert.equal(new Set(recorded.map(({ expires }) => expires.getTime())).size, 1);
});

test("slices: if another output fails, the first slice is charged", async () => {
  const { key, userId } = await service.createAccount();
  const { json } = await post({ ...shared, outputs: [{ selector: "#gone" }, { name: "read", slice_height: 800 }] }, key);
  assert.equal(json.outputs[0].error.code, "selector_not_found");
  assert.equal(await used(userId), 1);
  assert.deepEqual(
    (await records(userId)).map(({ output, status, costs }) => [output, status, costs]),
    [
      ["output-1", "failed", 0],
      ...json.outputs[1].slices.map((_: Json, index: number) => [`read-0${index + 1}`, "done", index === 0 ? 1 : 0]),
    ],
  );
});

test("slices: with is_cached they are found together, and captured again if any was deleted", async () => {
  const { key, userId } = await service.createAccount();
  const body = { ...shared, is_cached: true, outputs: [{ name: "read", slice_height: 600, format: "webp" }] };
  const first = (await post(body, key)).json.outputs[0];
  const second = (await post(body, key)).json.outputs[0];
  assert.deepEqual([first.cache, second.cache], ["MISS", "HIT"]);
  const listed = (output: Json) => output.slices.map(({ expires_at, url, ...slice }: Json) => slice);
  assert.deepEqual(listed(second), listed(first));
  for (const name of ["bytes", "width", "height", "content_type"]) assert.equal(second[name], first[name], name);
  for (const { url: link, bytes } of second.slices) assert.equal((await (await fetch(link)).arrayBuffer()).byteLength, bytes);
  assert.equal(
    (await post({ ...body, slice_overlap: 10 }, key)).json.outputs[0].cache,
    "MISS",
    "a different overlap is a different output",
  );
  const { cacheKey } = await (await import("../../../src/accounts/history/history.ts")).readScreenshot(
    service.database,
    userId,
    first.slices[1].id,
  );
  await service.services.cache.forget(userId, cacheKey, first.slices[1].id);
  assert.equal((await post(body, key)).json.outputs[0].cache, "MISS");
});

test("slices: with response_type=zip each is a separate file, even from the cache", async () => {
  const { key } = await service.createAccount();
  const body = {
    ...shared,
    response_type: "zip",
    is_cached: true,
    outputs: [
      { name: "read", slice_height: 700, format: "webp" },
      { name: "text", format: "text" },
    ],
  };
  for (const cache of ["MISS", "HIT"]) {
    const response = await send(body, key);
    assert.equal(response.status, 200);
    const { names, description } = await unzipped(Buffer.from(await response.arrayBuffer()));
    const [read] = description.outputs;
    assert.equal(read.cache, cache);
    const files = read.slices.map(({ file }: Json) => file);
    assert.deepEqual(
      files,
      files.map((_: string, index: number) => `read-0${index + 1}.webp`),
    );
    assert.deepEqual(names, ["capture.json", ...files, "text.txt"]);
  }
});

test("slices: GET and POST /v1/screenshots/take reject slice_height and refer to /v1/captures", async () => {
  const { key } = await service.createAccount();
  const get = await service.take({ api_key: key, url, slice_height: "500", slice_overlap: "9999999" });
  const body = JSON.stringify({ url, slice_height: 500 });
  const headers = { "content-type": "application/json", "x-api-key": key };
  const posted = await fetch(`${service.origin}/v1/screenshots/take`, { method: "POST", headers, body });
  for (const response of [get, posted]) {
    const { code, details } = (await response.json()) as Json;
    assert.deepEqual([response.status, code], [400, "invalid_parameters"]);
    assert.equal(details[0].parameter, "slice_height");
    assert.equal(details[0].message, "slice_height is only for outputs of POST /v1/captures");
  }
});

test("slices: errors about invalid values and colliding names refer to the output", async () => {
  const { key } = await service.createAccount();
  const cases: [object[], RegExp][] = [
    [[{ slice_height: 99 }], /^outputs\[0\]\.slice_height must be/],
    [[{ slice_height: 10_001 }], /^outputs\[0\]\.slice_height must be/],
    [[{}, { slice_overlap: 5 }], /^outputs\[1\]\.slice_overlap requires slice_height/],
    [[{ slice_height: 400, slice_overlap: 201 }], /^outputs\[0\]\.slice_overlap must be at most 200, half of slice_height/],
    [[{ name: "a", slice_height: 400 }, { name: "A-02" }], /^outputs\[1\]\.name is the same as the name of a slice of outputs\[0\]: A-02/],
  ];
  for (const [outputs, expected] of cases) {
    const { status, json } = await post({ ...shared, outputs }, key);
    assert.equal(status, 400, JSON.stringify(json));
    assert.equal(json.details.length, 1, JSON.stringify(json.details));
    assert.match(json.details[0].message, expected);
  }
});

/** Unpacked with the system's own tool. */
async function unzipped(zip: Buffer): Promise<{ names: string[]; description: Json }> {
  const folder = await mkdtemp(join(tmpdir(), "slices-"));
  scope.after(() => rm(folder, { recursive: true }));
  const files = join(folder, "files");
  await writeFile(join(folder, "all.zip"), zip);
  await promisify(execFile)("python3", ["-m", "zipfile", "-e", join(folder, "all.zip"), files]);
  return { names: (await readdir(files)).sort(), description: JSON.parse(await readFile(join(files, "capture.json"), "utf8")) };
}
