/** Several outputs in one zip file. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { createFileReader, fileName, type OpenBody, zipOf } from "../../../src/http/captures/zip-stream.ts";
import { s3Store, startStorage, storageSettings } from "../../storage/storage-server.ts";
import { longOnly } from "../../support/long-only.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";

const longTest = longOnly(test);
const about = { format: "png" as const, capturedAt: 0, onMissing: () => {} };

const never = new AbortController().signal;
/** Larger than what is read whole before it is sent. */
const large = randomBytes(700_000);
const small = randomBytes(1_000);

/** A store with some objects, whose connections end after `idleTimeoutMs` without a byte. */
async function storeWith(t: TestContext, objects: Record<string, Buffer>, idleTimeoutMs = 30_000) {
  const server = await startStorage(t);
  const store = s3Store(t, storageSettings(server.port), { connectTimeoutMs: 3_000, requestTimeoutMs: 20_000, idleTimeoutMs });
  await store.prepare(never);
  for (const [key, bytes] of Object.entries(objects)) await store.put(key, bytes, { contentType: "image/png", metadata: {} }, never);
  return { store, server };
}

/** The zip of these objects, and the errors about those that could not be read. */
function zipOfObjects(read: (key: string) => ReturnType<OpenBody>, keys: string[]) {
  const missing: [string, boolean][] = [];
  const files = keys.map((key) => ({
    ...about,
    name: key,
    open: () => read(key),
    onMissing: (isCut: boolean) => void missing.push([key, isCut]),
  }));
  return zipOf(files, () => ({ missing }));
}

test("zip: a batch's long list of files is described in turns, as the same JSON", async (t) => {
  const list = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ index, url: "https://example.com/\n".repeat(500), files: [[], {}] }));
  const { result, ms } = await longestTurnAtBest(() => buffer(zipOf([], () => list(2_000), "list.json")), 30);
  assert.ok(ms < 30, `a turn of the event loop took ${ms} ms`);
  assert.equal(String((await unzip(t, result))["list.json"]), JSON.stringify(list(2_000), null, 2));
  for (const count of [0, 1]) {
    const files = await unzip(t, await buffer(zipOf([], () => list(count), "list.json")));
    assert.equal(String(files["list.json"]), JSON.stringify(list(count), null, 2));
  }
});

longTest("zip: a client slower than the storage timeout still gets complete files", async (t) => {
  const { store, server } = await storeWith(t, { first: large, second: small }, 150);
  const zip = zipOfObjects(createFileReader(store, never, 500), ["first", "second"]);
  const chunks: Buffer[] = [];
  for await (const chunk of zip) {
    chunks.push(chunk);
    if (chunks.length % 5 === 1 && chunks.length < 15) await pause(700);
  }
  const files = await unzip(t, Buffer.concat(chunks));
  assert.deepEqual(JSON.parse(String(files["capture.json"])), { missing: [] });
  assert.ok(files["first.png"]?.equals(large) && files["second.png"]?.equals(small));
  t.diagnostic(`${server.requests.filter(({ method }) => method === "GET").length} reads of two files`);
});

longTest("zip: a truncated file in storage is reported, and the others are complete", async (t) => {
  const { store } = await storeWith(t, { first: small, last: small });
  async function* cut(from = 0) {
    if (from === 0) yield large.subarray(0, 100_000);
    await new Promise(() => {});
  }
  const stalling: typeof store = {
    ...store,
    get: async (key, signal, range) =>
      key.startsWith("cut")
        ? { stream: Readable.from(cut(range?.from)), bytes: key === "cut-large" ? 700_000 : 200_000, contentType: "" }
        : await store.get(key, signal, range),
  };
  const read = createFileReader(stalling, never, 600);
  const files = await unzip(t, await buffer(zipOfObjects(read, ["first", "cut-small", "cut-large", "gone", "last"])));
  const { missing } = JSON.parse(String(files["capture.json"]));
  assert.deepEqual(missing, [
    ["cut-small", false],
    ["cut-large", true],
    ["gone", false],
  ]);
  assert.deepEqual(Object.keys(files), ["capture.json", "cut-large.png", "first.png", "last.png"]);
  assert.ok(files["first.png"]?.equals(small) && files["last.png"]?.equals(small));
});

test("zip: a stored file with another size than its record is reported, not included", async (t) => {
  const { store } = await storeWith(t, { first: small, cut: small, last: small });
  const read = createFileReader(store, never);
  const open = (key: string) => read(key, key === "cut" ? small.length + 1 : small.length);
  const files = await unzip(t, await buffer(zipOfObjects(open, ["first", "cut", "last"])));
  assert.deepEqual(JSON.parse(String(files["capture.json"])), { missing: [["cut", false]] });
  assert.deepEqual(Object.keys(files), ["capture.json", "first.png", "last.png"]);
});

test("zip: during a storage outage three files are attempted, and the rest are reported as failed immediately", async (t) => {
  const { store, server } = await storeWith(t, {});
  await server.stop();
  let reads = 0;
  const counting = { get: (...of: Parameters<typeof store.get>) => store.get(...of).finally(() => (reads += 1)) };
  const names = Array.from({ length: 20 }, (_, index) => `file-${index}`);
  const files = await unzip(t, await buffer(zipOfObjects(createFileReader(counting, never), names)));
  assert.equal(JSON.parse(String(files["capture.json"])).missing.length, 20);
  assert.equal(reads, 3);
});

test("zip: no more files are read once the client has disconnected", async (t) => {
  const { store } = await storeWith(t, { first: large, second: small });
  const opened: string[] = [];
  const read = createFileReader(store, never);
  const zip = zipOfObjects(
    (key) => {
      opened.push(key);
      return read(key);
    },
    ["first", "second"],
  );
  await once(zip, "readable");
  zip.destroy();
  await once(zip, "close");
  await nextTurn();
  assert.deepEqual(opened, ["first"]);
});

test("zip: a file is opened only after the previous ones have been read completely", async () => {
  const opened: string[] = [];
  const first = new Readable({ read() {} });
  const open = (name: string, body: Readable) => async () => {
    opened.push(name);
    return body;
  };
  const zip = zipOf(
    [
      { ...about, name: "first", open: open("first", first) },
      { ...about, name: "second", open: open("second", Readable.from([Buffer.alloc(10)])) },
    ],
    () => ({}),
  );
  first.push(Buffer.alloc(10));
  await once(zip, "readable");
  assert.deepEqual(opened, ["first"]);
  first.push(null);
  await buffer(zip);
  assert.deepEqual(opened, ["first", "second"]);
});

test("zip: a file leaves nothing behind on the zip's stream", async () => {
  const files = Array.from({ length: 12 }, (_, index) => ({ ...about, name: `file-${index}`, open: async () => Readable.from([large]) }));
  const stream = zipOf(files, () => ({}));
  let listenersMax = 0;
  for await (const _ of stream) listenersMax = Math.max(listenersMax, stream.listenerCount("close"));
  assert.ok(listenersMax <= 4, `${listenersMax} listeners`);
});

test("zip: file names never collide with capture.json or reserved Windows device names", () => {
  assert.equal(fileName({ name: "Capture", format: "metadata" }), "~Capture.json");
  assert.equal(fileName({ name: "capture", format: "png" }), "capture.png");
  assert.equal(fileName({ name: "CON", format: "text" }), "~CON.txt");
  assert.equal(fileName({ name: "lpt1.front", format: "png" }), "~lpt1.front.png");
  assert.equal(fileName({ name: "console", format: "png" }), "console.png");
});

async function unzip(t: TestContext, zip: Buffer): Promise<Record<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), "zip-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "all.zip"), zip);
  await promisify(execFile)("python3", ["-m", "zipfile", "-e", join(folder, "all.zip"), join(folder, "files")]);
  const names = (await readdir(join(folder, "files"))).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, "files", name))] as const)));
}
