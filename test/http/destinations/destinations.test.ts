/** `/v1/destinations` and the `destination` option: captures are copied to a bucket of the account. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import pg from "pg";
import { readScreenshot } from "../../../src/accounts/history/history.ts";
import { playgroundCaller } from "../../../src/accounts/keys/caller.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { bucket, startBucket } from "../../accounts/destinations/set-up.ts";
import { accessKeyId, observer, secretAccessKey } from "../../storage/storage-server.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { type Json, startService } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";
import { assertNowhere, storesOf } from "../../support/stores.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#123456") });
const server = await startBucket(scope);
const service = await startService(scope, {
  EGRESS_ALLOWED_HOSTS: `${site.host},127.0.0.1:${server.port}`,
  WEBHOOK_ALLOW_HTTP: "true",
});
const { key, userId } = await service.createAccount();
const client = observer(scope, server.port);
const shot = { url: `${site.origin}/`, width: 40, height: 30 };
const destination = (changes: object = {}) => ({
  ...{
    name: "archive",
    endpoint: `http://127.0.0.1:${server.port}`,
    bucket,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
  },
  ...changes,
});
const save = (changes: object = {}, by = key) => service.send("POST", "/v1/destinations", by, destination(changes));

async function keysIn(prefix = ""): Promise<string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
  return Contents.map(({ Key = "" }) => Key).sort();
}

async function bytesOf(Key: string): Promise<Uint8Array> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
  return (await Body?.transformToByteArray()) ?? new Uint8Array();
}

const arrived = (id: string) =>
  eventually("the copy has arrived", async () => (await service.services.readCopies(userId, [id])).get(id)?.[0]?.state === "delivered");

test("a destination is saved, listed and read without its access key, tested, replaced and deleted", async () => {
  const saved = await save();
  assert.equal(saved.status, 201, JSON.stringify(saved.json));
  assert.equal(saved.headers.get("location"), "/v1/destinations/archive");
  const { id, created_at, updated_at, ...rest } = saved.json;
  assert.deepEqual(rest, {
    ...{ name: "archive", endpoint: `http://127.0.0.1:${server.port}`, bucket, region: "us-east-1", path_style: true },
    ...{ template: "{host}/{date}/{name}.{ext}", copied_at: null, error: null, error_at: null, is_paused: false },
  });
  const listed = await service.send("GET", "/v1/destinations", key);
  assert.deepEqual(listed.json, { destinations: [saved.json] });
  const tested = await service.send("POST", "/v1/destinations/archive/test", key);
  assert.deepEqual({ ...tested.json, key: "" }, { works: true, key: "", problem: null });
  const wrong = await save({ secret_access_key: "wrong" });
  assert.deepEqual([wrong.json.id, wrong.json.created_at], [id, created_at]);
  const failed = await service.send("POST", "/v1/destinations/archive/test", key);
  assert.equal(failed.json.works, false);
  assert.match(failed.json.problem, /refused the access key/);
  const read = await service.send("GET", "/v1/destinations/archive", key);
  assert.deepEqual([read.json.error, Boolean(read.json.copied_at)], [failed.json.problem, true]);
  assert.equal((await service.send("DELETE", "/v1/destinations/archive", key)).status, 204);
  assert.equal((await service.send("GET", "/v1/destinations/archive", key)).status, 404);
  assert.equal((await service.send("POST", "/v1/destinations/archive/test", key)).status, 404);
  const { rows } = await service.pool.query(
    "select action from audit_entries where account_id = $1 and action like 'destination%' order by id",
    [userId],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ["destination.created", "destination.changed", "destination.deleted"],
  );
});

test("what can't be a destination is refused, naming the member and not the key", async () => {
  for (const [changes, parameter] of [
    [{ name: "a/b" }, "name"],
    [{ name: "a".repeat(65) }, "name"],
    [{ endpoint: "ftp://127.0.0.1/" }, "endpoint"],
    [{ endpoint: "https://user:pass@example.com/" }, "endpoint"],
    [{ endpoint: `http://127.0.0.1:${server.port}/?a` }, "endpoint"],
    [{ endpoint: `https://example.com/${"a".repeat(2_048)}` }, "endpoint"],
    [{ endpoint: "http://127.0.0.1:1/" }, "endpoint"],
    [{ endpoint: "http://169.254.169.254/" }, "endpoint"],
    [{ endpoint: "http://[::1]/" }, "endpoint"],
    [{ endpoint: service.origin }, "endpoint"],
    [{ bucket: "A" }, "bucket"],
    [{ bucket: "../other" }, "bucket"],
    [{ bucket: "a..b" }, "bucket"],
    [{ bucket: "a--x-s3" }, "bucket"],
    [{ bucket: "a--op-s3" }, "bucket"],
    [{ region: "eu west" }, "region"],
    [{ region: "EU" }, "region"],
    [{ region: "-eu" }, "region"],
    [{ region: "eu-" }, "region"],
    [{ region: "a".repeat(41) }, "region"],
    [{ region: "fips-us-east-1" }, "region"],
    [{ region: "us-east-1-fips" }, "region"],
    [{ template: "../{id}" }, "template"],
    [{ template: "/{id}" }, "template"],
    [{ template: "{secret}" }, "template"],
    [{ template: "a\u0000b" }, "template"],
    [{ template: "a".repeat(257) }, "template"],
    [{ access_key_id: "" }, "access_key_id"],
    [{ access_key_id: "a\nb" }, "access_key_id"],
    [{ secret_access_key: `hidden-${"a".repeat(256)}` }, "secret_access_key"],
    [{ secret_access_key: undefined }, "secret_access_key"],
  ] as const) {
    const { status, json } = await save(changes);
    assert.deepEqual([status, json.details?.[0]?.parameter], [400, parameter], JSON.stringify([changes, json]).slice(0, 500));
    assert.ok(!JSON.stringify(json).includes("hidden-"));
  }
});

test("a region that can't be used says what can", async () => {
  const messageOf = async (region: string) => (await save({ region })).json.details?.[0]?.message;
  assert.equal(await messageOf("fips-us-east-1"), "region must be a plain region, without fips");
  assert.equal(await messageOf("-eu"), 'region must be 1 to 40 lower-case letters, digits and - between them, not "-eu"');
  for (const region of ["auto", "us-east-1", "us-gov-west-1", "nyc3", "a", "us-fips-1"])
    assert.equal((await save({ region })).status, 201, region);
});

test("an account has at most 20 destinations; replacing one is still possible", async () => {
  const { key: other } = await service.createAccount();
  for (let count = 0; count < 20; count += 1) assert.equal((await save({ name: `n${count}` }, other)).status, 201);
  const { status, json } = await save({ name: "one-more" }, other);
  assert.deepEqual([status, json.code], [409, "destination_limit_reached"]);
  assert.equal((await save({ name: "n3" }, other)).status, 201);
});

test("keys restricted to targets use destinations without managing them; keys restricted to domains do neither", async () => {
  const { key: all, userId: account } = await service.createAccount();
  await save({}, all);
  const { rows } = await service.pool.query("select email from users where id = $1", [account]);
  const targeted = await createApiKey(service.database, rows[0].email, { targets: ["127.0.0.1"] });
  const open = await createApiKey(service.database, rows[0].email, { domains: ["example.com"], allowMissingOrigin: true });
  const codes = async (by: string) => {
    const calls = [
      save({}, by),
      service.send("GET", "/v1/destinations", by),
      service.send("GET", "/v1/destinations/archive", by),
      service.send("POST", "/v1/destinations/archive/test", by),
      service.send("DELETE", "/v1/destinations/archive", by),
      service
        .take({ ...strings(shot), api_key: by, destination: "archive", dry_run: "true" })
        .then(async (response) => ({ json: (await response.json()) as Json })),
    ];
    return (await Promise.all(calls)).map(({ json }) => json.code);
  };
  assert.deepEqual(await codes(targeted), [...Array(5).fill("target_not_allowed"), undefined]);
  assert.deepEqual(await codes(open), Array(6).fill("domain_not_allowed"));
});

const strings = (values: object) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

test("a capture is copied: the response has its key, the bucket its bytes, the history its state", async () => {
  await save({ template: "single/{host}/{name}.{ext}" });
  const response = await service.take({
    ...strings(shot),
    api_key: key,
    destination: "archive",
    response_type: "json",
    attachment_name: "front page",
  });
  const json = (await response.json()) as Json;
  assert.equal(response.status, 200, JSON.stringify(json));
  const path = `single/127.0.0.1/front-page-${json.id}.jpg`;
  assert.ok(["pending", "delivered"].includes(json.copy.state), JSON.stringify(json.copy));
  assert.deepEqual({ ...json.copy, state: "" }, { destination: "archive", state: "", key: path, error: null });
  await arrived(json.id);
  const { objectKey } = await readScreenshot(service.database, userId, json.id);
  const stored = await service.services.store.get(objectKey ?? "", new AbortController().signal);
  assert.ok(stored);
  assert.deepEqual(Buffer.from(await bytesOf(path)), Buffer.concat(await stored.stream.toArray()));
  const plain = await service.take({ ...strings(shot), api_key: key, response_type: "json" });
  assert.equal(((await plain.json()) as Json).copy, undefined);
});

test("each output and slice of an asynchronous capture is copied, and each capture of a batch", async () => {
  await save({ template: "many/{label}/{id}.{ext}" });
  const outputs = [
    { name: "image", format: "png" },
    { name: "cut", format: "png", full_page: true, slice_height: 100 },
  ];
  const page = { ...shot, html: "<body style='margin: 0; height: 250px'>", url: undefined };
  const sent = await service.send("POST", "/v1/captures", key, {
    ...page,
    destination: "archive",
    outputs,
    async: true,
  });
  assert.equal(sent.status, 202, JSON.stringify(sent.json));
  const ended = await service.send("GET", `/v1/captures/${sent.json.id}?wait=30`, key);
  const [image, cut] = ended.json.outputs;
  for (const { id } of [image, ...cut.slices]) await arrived(id);
  const read = await service.send("GET", `/v1/captures/${sent.json.id}`, key);
  const copies = [read.json.outputs[0].copy, ...read.json.outputs[1].slices.map((slice: Json) => slice.copy)];
  assert.equal(copies.length, 4);
  assert.deepEqual(
    copies.map(({ state, error }) => [state, error]),
    copies.map(() => ["delivered", null]),
  );
  assert.deepEqual(copies.map((copy) => copy.key).sort(), await keysIn("many/"));
  assert.match(copies[0].key, /^many\/image\/[0-9a-f-]{36}\.png$/);
  assert.match(copies[1].key, /^many\/cut-01\/[0-9a-f-]{36}\.png$/);

  const batch = await service.send("POST", "/v1/batches", key, {
    captures: [shot, { ...shot, width: 50 }],
    shared: { destination: "archive" },
  });
  assert.equal(batch.status, 202, JSON.stringify(batch.json));
  await eventually("the batch's captures are copied", async () => (await keysIn("many/")).length === copies.length + 2);
});

longTest("results of a batch with a destination: the copies of a page of captures are read by one query", async (t) => {
  await save({ template: "together/{id}.{ext}" });
  const sizes = [40, 41, 42, 43];
  const batch = await service.send("POST", "/v1/batches", key, {
    captures: sizes.map((width) => ({ ...shot, width })),
    shared: { destination: "archive" },
  });
  await eventually("the batch's captures are copied", async () => (await keysIn("together/")).length === sizes.length);
  const { id } = batch.json;
  await eventually("the copies are recorded", async () => {
    const { rows } = await service.pool.query(
      `select count(*)::int from webhook_deliveries w join screenshots s on s.id = w.screenshot_id join captures c on c.id = s.capture_id
        where c.batch_id = $1 and w.state = 'delivered'`,
      [id],
    );
    return rows[0].count === sizes.length;
  });
  const queries = t.mock.method(pg.Client.prototype, "query");
  const response = await fetch(`${service.origin}/v1/batches/${id}/results`, { headers: { "x-api-key": key } });
  const lines = (await response.text()).trim().split("\n");
  const texts = queries.mock.calls.map(({ arguments: [query] }) => String((query as { text?: string }).text ?? query));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).outputs[0].copy.state),
    sizes.map(() => "delivered"),
  );
  assert.equal(texts.filter((text) => text.includes("w.screenshot_id = any")).length, 1);
});

test("a cached screenshot is copied to a destination that doesn't have it, without another capture", async () => {
  await save({ template: "one/{id}" });
  await save({ name: "second", template: "two/{id}" });
  const cached = { ...strings(shot), api_key: key, is_cached: "true", cache_key: "copies", response_type: "json" };
  const used = await service.used(userId);
  const first = (await (await service.take({ ...cached, destination: "archive" })).json()) as Json;
  await arrived(first.id);
  const again = (await (await service.take({ ...cached, destination: "second" })).json()) as Json;
  assert.deepEqual([again.id, again.cache, again.copy.destination], [first.id, "HIT", "second"]);
  const copies = async () => (await service.services.readCopies(userId, [first.id])).get(first.id) ?? [];
  await eventually("both copies are recorded", async () => (await copies()).filter(({ state }) => state === "delivered").length === 2);
  const both = await service.send("POST", "/v1/captures", key, {
    ...shot,
    ...{ is_cached: true, cache_key: "copies", destination: "second", outputs: [{ name: "a" }] },
  });
  assert.deepEqual([both.json.outputs[0].id, both.json.outputs[0].copy.state], [first.id, "delivered"], JSON.stringify(both.json));
  assert.deepEqual([await keysIn("one/"), await keysIn("two/")], [[`one/${first.id}`], [`two/${first.id}`]]);
  assert.equal(await service.used(userId), used + 1);
});

test("an unknown destination is refused before anything is captured, everywhere", async () => {
  const used = await service.used(userId);
  const options = { ...shot, destination: "nowhere" };
  const answers = [
    await service
      .take({ ...strings(options), api_key: key })
      .then(async (response) => ({ status: response.status, json: (await response.json()) as Json })),
    await service.send("POST", "/v1/captures", key, { ...options, outputs: [{}] }),
    await service.send("POST", "/v1/captures", key, { ...options, outputs: [{}], async: true }),
    await service.send("POST", "/v1/batches", key, { captures: [options] }),
    await service.send("POST", "/v1/watches", key, { ...options, name: "a" }),
  ];
  for (const { status, json } of answers)
    assert.deepEqual([status, json.details?.[0]?.parameter], [400, "destination"], JSON.stringify(json));
  assert.equal(await service.used(userId), used);
});

longTest("a watch's image is copied with its run, its elements are not", async () => {
  await save({ template: "watch/{label}.{ext}" });
  const { status, json } = await service.send("POST", "/v1/watches", key, { ...shot, destination: "archive" });
  assert.equal(status, 201, JSON.stringify(json));
  await eventually("the run's image is copied", async () => (await keysIn("watch/")).length > 0);
  await eventually(
    "the run has ended",
    async () => (await service.send("GET", `/v1/watches/${json.id}`, key)).json.latest_run?.ended_at != null,
  );
  assert.deepEqual(await keysIn("watch/"), ["watch/image.png"]);
  await service.send("DELETE", `/v1/watches/${json.id}`, key);
});

test("the access key is in no table, file, Redis value or line of the log", async (t) => {
  const caller = await playgroundCaller(service.database, userId);
  assert.ok((await service.services.destinations.list(caller)).length > 0);
  assertNowhere([secretAccessKey, accessKeyId], await storesOf(t, service));
});
