/** `POST /v1/captures`: several outputs of one page. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { eventually } from "../../support/eventually.ts";
import { describeImage, differingShare } from "../../support/image.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { type Json, startService } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const page = "<style>@media (prefers-color-scheme: dark) { html { background: #111 } }</style><h1>Open</h1><p style='height:2000px'>long";
const site = await createSite(scope, { "/": colouredPage("#00ff00", page) });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });

async function post(body: object, key?: string, signal?: AbortSignal): Promise<{ status: number; json: Json; headers: Headers }> {
  const response = await fetch(`${service.origin}/v1/captures`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return { status: response.status, json: await response.json(), headers: response.headers };
}

const { used } = service;

async function records(userId: string) {
  const { rows } = await service.pool.query(
    "select id, status, error, output, capture_id as capture, costs, object_key as key from screenshots where user_id = $1 order by id",
    [userId],
  );
  return rows;
}

const url = `${site.origin}/`;
const five: ({ name: string; format?: string } & Record<string, unknown>)[] = [
  { name: "desktop", format: "png" },
  { name: "dark", prefers_color_scheme: "dark", format: "png" },
  { name: "phone", width: 390, format: "png" },
  { name: "whole", full_page: true, format: "webp" },
  { name: "card", image_width: 320 },
];

test("captures: five outputs come from a single load, each with a link, and cost one screenshot and one request", async () => {
  const { key, userId } = await service.createAccount({ quota: 10, rateLimit: 10 });
  const before = site.requests.filter(({ path }) => path === "/").length;
  const { status, json, headers } = await post({ url, width: 1280, height: 720, outputs: five }, key);
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.loads, 1);
  assert.equal(json.source, "url");
  assert.deepEqual(json.target, { url, status: 200, title: "#00ff00" });
  assert.equal(site.requests.filter(({ path }) => path === "/").length - before, 1);
  assert.equal(headers.get("x-ratelimit-remaining"), "9");
  assert.equal(await used(userId), 1);
  assert.deepEqual(
    json.outputs.map(({ name, content_type, loaded_again }: Json) => [name, content_type, loaded_again]),
    five.map(({ name, format = "jpeg" }) => [name, `image/${format}`, false]),
  );
  for (const output of json.outputs) {
    const file = await fetch(output.url);
    const bytes = new Uint8Array(await file.arrayBuffer());
    assert.equal(file.status, 200);
    assert.equal(bytes.length, output.bytes);
    assert.deepEqual(describeImage(bytes), { type: output.format.replace("jpeg", "jpg"), width: output.width, height: output.height });
    assert.ok(Date.parse(output.expires_at) > Date.now());
    const { name: _, ...options }: Record<string, unknown> = five.find(({ name }) => name === output.name) ?? {};
    const alone = await service.take({ api_key: key, url, width: "1280", height: "720", ...(options as Record<string, string>) });
    if (output.format === "png") assert.ok(differingShare(bytes, new Uint8Array(await alone.arrayBuffer())) <= 0.002, output.name);
  }
  const [first] = await records(userId);
  const own = (await records(userId)).filter(({ capture }) => capture === json.id);
  assert.equal(own.length, 5);
  assert.deepEqual(
    own.map(({ output, status, costs }) => [output, status, costs]),
    five.map(({ name }, index) => [name, "done", index === 0 ? 1 : 0]),
  );
  assert.ok(first.key);
});

longTest("captures: the history shows which screenshots are outputs of one capture", async () => {
  const { key, userId } = await service.createAccount();
  const { json } = await post({ url, outputs: [{ name: "one" }, { name: "two", width: 300 }] }, key);
  const { listScreenshots } = await import("../../../src/accounts/history/history.ts");
  const found = await listScreenshots(service.database, userId, { limit: 10 });
  assert.deepEqual(
    found.screenshots.map(({ captureId, output }) => [captureId, output]),
    [
      [json.id, "two"],
      [json.id, "one"],
    ],
  );
});

test("captures, is_cached: only outputs that are not cached are captured; cached ones are free", async () => {
  const { key, userId } = await service.createAccount();
  const shared = { url, is_cached: true, cache_key: "captures", width: 400, height: 300 };
  const single = await service.take({
    api_key: key,
    url,
    is_cached: "true",
    cache_key: "captures",
    width: "400",
    height: "300",
    response_type: "json",
  });
  const { id } = (await single.json()) as Json;
  const first = await post({ ...shared, outputs: [{ name: "there" }, { name: "new", format: "png" }] }, key);
  assert.deepEqual(
    first.json.outputs.map(({ cache }: Json) => cache),
    ["HIT", "MISS"],
  );
  assert.equal(first.json.outputs[0].id, id);
  assert.equal(await used(userId), 2);
  const second = await post({ ...shared, outputs: [{ format: "png" }, {}] }, key);
  assert.deepEqual(
    second.json.outputs.map(({ cache, name }: Json) => [cache, name]),
    [
      ["HIT", "output-1"],
      ["HIT", "output-2"],
    ],
  );
  assert.equal(second.json.loads, 0);
  assert.equal(await used(userId), 2);
});

test("captures: failed outputs have an error and cost nothing; if all of them fail, the first error is returned", async () => {
  const { key, userId } = await service.createAccount();
  const some = await post(
    {
      url,
      outputs: [
        { name: "gone", selector: "#gone" },
        { name: "there", selector: "h1" },
      ],
    },
    key,
  );
  assert.equal(some.status, 200);
  const [gone, there] = some.json.outputs;
  assert.equal(gone.error.code, "selector_not_found");
  assert.equal(gone.error.requestId, some.headers.get("x-request-id"));
  assert.equal(there.error, undefined);
  assert.equal(await used(userId), 1);
  assert.deepEqual(
    (await records(userId)).map(({ output, status, costs, error }) => [output, status, costs, error]),
    [
      ["gone", "failed", 0, "selector_not_found"],
      ["there", "done", 1, null],
    ],
  );
  const all = await post({ url, outputs: [{ selector: "#gone" }, { selector: "#gone-too" }] }, key);
  assert.equal(all.status, 400);
  assert.equal(all.json.code, "selector_not_found");
  assert.equal(await used(userId), 1);
});

test("captures: a caller who disconnects is charged nothing, and no file is stored", async () => {
  const { key, userId } = await service.createAccount();
  const asked = Promise.withResolvers<void>();
  site.serve({
    "/slow": (request, response) => {
      if (request.headers["accept-language"]?.startsWith("de"))
        asked.resolve(); // and never responds
      else response.setHeader("content-type", "text/html").end("<h1>Here</h1>");
    },
  });
  const leaving = new AbortController();
  const posting = post({ url: `${site.origin}/slow`, outputs: [{}, { locale: "de-DE" }] }, key, leaving.signal);
  await asked.promise;
  leaving.abort();
  await assert.rejects(posting);
  await eventually("both are recorded", async () => (await records(userId)).every(({ status }) => status === "failed"));
  assert.deepEqual(
    (await records(userId)).map(({ error, key: object }) => [error, object]),
    [
      ["client_gone", null],
      ["client_gone", null],
    ],
  );
  assert.equal(await used(userId), 0);
});

longTest("captures: outputs of more than 128 MB in total are all stored, waited for or asynchronously, from one load", async () => {
  site.serve({ "/long": "<!doctype html><p id=text hidden></p><script>text.textContent = 'x'.repeat(20_000_000)</script>" });
  const { key, userId } = await service.createAccount();
  const outputs = Array.from({ length: 8 }, (_, at) => ({ name: `at-${at}`, format: "html", width: 400 + at }));
  const { status, json } = await post({ url: `${site.origin}/long`, outputs, timeout: 60 }, key);
  assert.equal(status, 200, JSON.stringify(json));
  await eventually("all outputs are stored", async () => (await records(userId)).every((one) => one.key !== null));
  const started = await post({ url: `${site.origin}/long?async`, outputs, timeout: 60, async: true }, key);
  assert.equal(started.status, 202, JSON.stringify(started.json));
  await eventually("all outputs are stored", async () => {
    const stored = await records(userId);
    return stored.length === 16 && stored.every((one) => one.key !== null);
  });
  assert.equal(site.requests.filter(({ path }) => path.startsWith("/long")).length, 2);
});

longTest("captures: outputs finished by the deadline are delivered", async () => {
  const { key, userId } = await service.createAccount();
  site.serve({
    "/half": (request, response) => {
      if (!request.headers["accept-language"]?.startsWith("de")) response.setHeader("content-type", "text/html").end("<h1>Here</h1>");
    },
  });
  const outputs = [{ name: "early" }, { name: "late", locale: "de-DE" }];
  const { status, json } = await post({ url: `${site.origin}/half`, timeout: 8, outputs }, key);
  assert.equal(status, 200);
  assert.equal(json.outputs[0].error, undefined);
  assert.equal(json.outputs[1].error.code, "target_timeout");
  assert.equal(await used(userId), 1);
});

test("captures: validation errors name the output", async () => {
  const { key } = await service.createAccount();
  const problems = async (body: object) => {
    const { status, json } = await post(body, key);
    assert.equal(status, 400, JSON.stringify(json));
    return json.details.map(({ parameter, message }: Json) => `${parameter}: ${message}`);
  };
  const cases: [object, RegExp[]][] = [
    [{ url }, [/^outputs: outputs is missing/]],
    [{ url, outputs: [] }, [/^outputs: outputs must be a list of 1 to 20 objects, but has 0/]],
    [{ url, outputs: Array(21).fill({}) }, [/but has 21/]],
    [
      { url, outputs: [{}, { url: `${site.origin}/other` }] },
      [/^outputs\[1\].url: outputs\[1\].url applies to all outputs: send it beside outputs, not within one/],
    ],
    [{ url, outputs: [{ html: "<p>x" }] }, [/^outputs\[0\].html: .*applies to all outputs/]],
    [{ url, outputs: ["png"] }, [/^outputs\[0\]: outputs\[0\] must be an object/]],
    [
      { url, outputs: [{}, {}, { width: 0, fromat: "png" }] },
      [/^outputs\[2\].fromat: .*did you mean format/, /^outputs\[2\].width: outputs\[2\].width must be/],
    ],
    [{ url, outputs: [{}, {}, { width: 0 }] }, [/^outputs\[2\].width: outputs\[2\].width must be/]],
    [{ url, width: 0, outputs: [{}, {}] }, [/^width: width must be/]],
    [
      { url, outputs: [{ width: 300 }, { name: "again", width: 300 }] },
      [/^outputs\[1\]: outputs\[1\] has the same options as outputs\[0\]/],
    ],
    [{ outputs: [{}, {}] }, [/^url: url is missing/]],
    [{ url, outputs: [{ name: "a" }, { name: "a" }] }, [/^outputs\[1\].name: .* as outputs\[0\].name/]],
    [{ url, outputs: [{ name: "a" }, { name: "A" }] }, [/^outputs\[1\].name: .* is the same as outputs\[0\].name, ignoring case: A/]],
    [
      { url, outputs: [{ response_type: "zip" }] },
      [/^outputs\[0\].response_type: .*applies to all outputs: send it beside outputs, not within one/],
    ],
    [{ url, outputs: [{ name: "../a" }] }, [/^outputs\[0\].name: outputs\[0\].name must be a unique name of 1 to 64/]],
    [{ url, outputs: [{ timeout: 3 }] }, [/^outputs\[0\].timeout: .* send it beside outputs/]],
    [{ url, dry_run: true, outputs: [{}] }, [/^dry_run: dry_run is not available/]],
    [{ url, response_type: "image", outputs: [{}] }, [/^response_type: /]],
    [{ url, html: "<p>", outputs: [{}] }, [/^html: html can't be combined/]],
    [{ url, outputs: [{ clip_x: 1 }] }, [/^outputs\[0\].clip_y/, /^outputs\[0\].clip_width/, /^outputs\[0\].clip_height/]],
  ];
  for (const [body, expected] of cases) {
    const found = await problems(body);
    assert.equal(found.length, expected.length, found.join("\n"));
    for (const [index, pattern] of expected.entries()) assert.match(found[index], pattern);
  }
  assert.equal((await post({ url, outputs: [{}] })).status, 400);
});

longTest("captures: an output's device overrides the shared viewport", async () => {
  const { key } = await service.createAccount();
  const { json } = await post({ url, width: 1280, height: 720, outputs: [{}, { viewport_device: "iPhone 15", full_page: false }] }, key);
  assert.equal(json.outputs[0].width, 1280);
  assert.notEqual(json.outputs[1].width, 1280);
  assert.deepEqual(
    json.outputs.map(({ loaded_again }: Json) => loaded_again),
    [false, true],
  );
});

longTest("captures: html, markdown and documents come from one load, each output in its own format", async () => {
  const { key } = await service.createAccount();
  const { status, json } = await post(
    { markdown: "# Hello\n\nworld", outputs: [{ format: "png" }, { format: "pdf" }, { format: "html" }, { format: "text" }] },
    key,
  );
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.source, "markdown");
  assert.equal(json.loads, 1);
  assert.deepEqual(
    json.outputs.map(({ content_type }: Json) => content_type.split(";")[0]),
    ["image/png", "application/pdf", "text/html", "text/plain"],
  );
  const text = await (await fetch(json.outputs[3].url)).text();
  assert.match(text, /Hello\s+world/);
});

test("response_type=zip: the zip contains every file and capture.json, even for cached outputs", async () => {
  const { key } = await service.createAccount();
  const body = {
    url,
    is_cached: true,
    cache_key: "zip",
    outputs: [
      { name: "shot", format: "png" },
      { name: "words", format: "text" },
      { name: "gone", selector: "#gone" },
    ],
  };
  const files: Record<string, Buffer>[] = [];
  for (let time = 0; time < 2; time += 1) {
    const response = await fetch(`${service.origin}/v1/captures?api_key=${key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, response_type: "zip" }),
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/zip");
    files.push(await unzip(Buffer.from(await response.arrayBuffer())));
  }
  const [fresh, cached] = files;
  assert.deepEqual(Object.keys(fresh ?? {}), ["capture.json", "shot.png", "words.txt"]);
  assert.deepEqual(describeImage(fresh?.["shot.png"] as Buffer), { type: "png", width: 1280, height: 720 });
  assert.match(String(fresh?.["words.txt"]), /Open/);
  const { outputs } = JSON.parse(String(fresh?.["capture.json"]));
  assert.deepEqual(
    outputs.map(({ file, error }: Json) => file ?? error.code),
    ["shot.png", "words.txt", "selector_not_found"],
  );
  assert.ok(cached?.["shot.png"]?.equals(fresh?.["shot.png"] as Buffer));
  const again = JSON.parse(String(cached?.["capture.json"]));
  assert.deepEqual(
    again.outputs.map(({ cache }: Json) => cache),
    ["HIT", "HIT", undefined],
  );
});

longTest("response_type=zip: an output whose stored file is gone has an error in capture.json; the others are included", async () => {
  const { key, userId } = await service.createAccount();
  const body = {
    url,
    is_cached: true,
    cache_key: "zip-gone",
    response_type: "zip",
    outputs: [{ name: "gone" }, { name: "there", format: "png" }],
  };
  const zip = async () => {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const response = await fetch(`${service.origin}/v1/captures`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(response.status, 200);
    return await unzip(Buffer.from(await response.arrayBuffer()));
  };
  await zip();
  const { key: object } = (await records(userId)).find(({ output }) => output === "gone");
  await rm(join(new URL(service.env.STORAGE_URL ?? "").pathname, object));
  const files = await zip();
  assert.deepEqual(Object.keys(files), ["capture.json", "there.png"]);
  const [gone, there] = JSON.parse(String(files["capture.json"])).outputs;
  assert.deepEqual([gone.name, gone.error.code, gone.url], ["gone", "unavailable", undefined]);
  assert.equal(there.file, "there.png");
  assert.deepEqual(Object.keys(await zip()), ["capture.json", "gone.jpg", "there.png"], "the next request captures it again");
});

longTest("captures: each failure is counted once, and a refused target is recorded for each output", async () => {
  const { key, userId } = await service.createAccount();
  const counted = async (code: string) =>
    (await service.services.metrics.failures.get()).values.find(({ labels }) => labels.code === code)?.value ?? 0;
  for (const outputs of [
    [{ selector: "#gone" }, { selector: "#none" }],
    [{ selector: "#gone" }, {}, { selector: "#none" }],
  ]) {
    const before = await counted("selector_not_found");
    await post({ url, outputs }, key);
    assert.equal((await counted("selector_not_found")) - before, 2);
  }
  const blocked = await post({ url: "http://10.0.0.1/", outputs: [{ name: "one" }, { name: "two", width: 300 }] }, key);
  assert.equal(blocked.json.code, "target_blocked");
  const refused = (await records(userId)).filter(({ error }) => error === "target_blocked");
  assert.deepEqual(
    refused.map(({ output }) => output),
    ["one", "two"],
  );
  assert.equal(new Set(refused.map(({ capture }) => capture)).size, 1);
  assert.ok(refused[0].capture);
});

/** Unpacked with the system's own tool. */
async function unzip(zip: Buffer): Promise<Record<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), "zip-"));
  scope.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "all.zip"), zip);
  await promisify(execFile)("python3", ["-m", "zipfile", "-e", join(folder, "all.zip"), join(folder, "files")]);
  const names = (await readdir(join(folder, "files"))).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, "files", name))] as const)));
}
