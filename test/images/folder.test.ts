/** Pictures in a folder. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { createImageStore } from "../../src/images/create-store.ts";
import { createFileStore, folderOf } from "../../src/images/folder.ts";
import { logLines } from "../screenshots/log-lines.ts";
import { storageSettings } from "./storage-server.ts";

const never = new AbortController().signal;
const about = { contentType: "image/png", metadata: { url: "https://example.com/é" } };

/** A store in `<parent>/images`, removed when the test ends. */
async function setUp(t: TestContext) {
  const parent = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, "images");
  const lines = logLines();
  return { parent, folder, store: createFileStore(folder, lines.log), ...lines };
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test("a stored picture comes back with its bytes and content type", async (t) => {
  const { store } = await setUp(t);
  await store.put("a/b.png", Buffer.from("picture"), about, never);
  const found = await store.get("a/b.png", never);
  assert.ok(found);
  assert.equal((await buffer(found.stream)).toString(), "picture");
  assert.deepEqual({ bytes: found.bytes, contentType: found.contentType }, { bytes: 7, contentType: "image/png" });
});

test("an empty object is not a missing one", async (t) => {
  const { store } = await setUp(t);
  await store.put("empty", Buffer.alloc(0), about, never);
  const found = await store.get("empty", never);
  assert.equal(found?.bytes, 0);
  assert.equal((await buffer(found.stream)).length, 0);
});

test("content type and metadata are in the picture's file, behind the picture", async (t) => {
  const { folder, store } = await setUp(t);
  await store.put("a/b.png", Buffer.from("picture"), about, never);
  const [path = ""] = await filesBelow(folder);
  const content = await readFile(path);
  assert.equal(content.subarray(0, 7).toString(), "picture");
  assert.deepEqual(JSON.parse(content.subarray(7, -8).toString()), { key: "a/b.png", ...about });
});

test("no key leaves the folder, and each has an object of its own", async (t) => {
  const { parent, folder, store } = await setUp(t);
  const keys = [
    "../escape",
    "../../escape",
    "/etc/passwd",
    "a\0b",
    "a",
    "A",
    ".",
    "..",
    "",
    "a/",
    "a//",
    "incoming",
    "x".repeat(5000),
    "C:\\x",
    "é",
    "e\u0301",
  ];
  for (const key of keys) await store.put(key, Buffer.from(`picture of ${key}`), about, never);
  for (const key of keys) {
    const found = await store.get(key, never);
    assert.ok(found);
    assert.equal((await buffer(found.stream)).toString(), `picture of ${key}`);
  }
  assert.deepEqual(await readdir(parent), ["images"]);
  const files = (await filesBelow(folder)).map((path) => path.slice(folder.length));
  assert.equal(files.length, keys.length);
  for (const file of files) assert.match(file, /^\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{60}$/);
});

test("only this user can read the pictures", { skip: process.platform === "win32" }, async (t) => {
  const { folder, store } = await setUp(t);
  await store.prepare(never);
  await store.put("a", Buffer.from("picture"), about, never);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    assert.equal(mode & 0o777, entry.isFile() ? 0o600 : 0o700);
  }
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});

test("a reader sees one whole picture while it is being replaced", async (t) => {
  const { folder, store } = await setUp(t);
  const pictures = ["a", "b"].map((letter) => Buffer.alloc(200_000, letter));
  await store.put("key", pictures[0] as Buffer, about, never);
  const write = async () => {
    for (let turn = 0; turn < 20; turn += 1) await store.put("key", pictures[turn % 2] as Buffer, about, never);
  };
  const read = async () => {
    for (let turn = 0; turn < 40; turn += 1) {
      const found = await store.get("key", never);
      assert.ok(found);
      const bytes = await buffer(found.stream);
      assert.ok(pictures.some((picture) => picture.equals(bytes)));
    }
  };
  await Promise.all([write(), read()]);
  assert.equal((await filesBelow(folder)).length, 1);
});

test("an upload that is aborted leaves the former picture and nothing else", async (t) => {
  const { folder, store } = await setUp(t);
  await store.put("key", Buffer.from("former"), about, never);
  const gone = new AbortController();
  const upload = store.put("key", Buffer.alloc(4_000_000), about, gone.signal);
  gone.abort();
  await assert.rejects(upload, { name: "AbortError" });
  const found = await store.get("key", never);
  assert.ok(found);
  assert.equal((await buffer(found.stream)).toString(), "former");
  assert.equal((await filesBelow(folder)).length, 1);
});

test("an abort ends a picture that is being read", async (t) => {
  const { store } = await setUp(t);
  await store.put("big", Buffer.alloc(4_000_000), about, never);
  const gone = new AbortController();
  const found = await store.get("big", gone.signal);
  assert.ok(found);
  await once(found.stream, "readable");
  gone.abort();
  await assert.rejects(buffer(found.stream), { name: "AbortError" });
});

test("a damaged file is a missing picture, and the log says so", async (t) => {
  const { folder, store, messages } = await setUp(t);
  await store.put("key", Buffer.from("picture"), about, never);
  const [path = ""] = await filesBelow(folder);
  const whole = await readFile(path);
  const huge = Buffer.concat([whole.subarray(0, -8), Buffer.from([255, 255, 255, 255]), whole.subarray(-4)]);
  const notJson = Buffer.concat([whole.subarray(0, 7), Buffer.from("{"), whole.subarray(8)]).fill("x", 8, 12);
  for (const damaged of [Buffer.alloc(0), whole.subarray(0, 20), whole.subarray(0, -1), huge, notJson]) {
    await writeFile(path, damaged);
    assert.equal(await store.get("key", never), undefined);
  }
  assert.equal(messages(40).length, 5);
});

test("reading what is not there finds nothing, removing it is fine", async (t) => {
  const { store } = await setUp(t);
  assert.equal(await store.get("nothing", never), undefined);
  await store.put("something", Buffer.from("picture"), about, never);
  await store.remove("something", never);
  await store.remove("something", never);
  assert.equal(await store.get("something", never), undefined);
});

test("preparing makes the folder and clears what a dead process left half written", async (t) => {
  const { folder, store } = await setUp(t);
  await assert.rejects(store.check(never), /ENOENT/);
  await store.prepare(never);
  await store.check(never);
  const [old, running] = [join(folder, "incoming", "old"), join(folder, "incoming", "running")];
  for (const path of [old, running]) await writeFile(path, "half");
  const twoHoursAgo = Date.now() / 1000 - 7200;
  await utimes(old, twoHoursAgo, twoHoursAgo);
  await store.prepare(never);
  assert.deepEqual(await filesBelow(folder), [running]);
});

test("a folder that cannot be used is said in the log and by the check, and nothing is thrown", async (t) => {
  const { folder, store, messages } = await setUp(t);
  await writeFile(folder, "a file stands here");
  await store.prepare(never);
  assert.deepEqual(messages(50), ["the image folder is not usable: create it, or grant this user write permission"]);
  await assert.rejects(store.check(never), /not a directory/);
  await assert.rejects(store.put("a", Buffer.from("picture"), about, never));
});

const folders: [url: string, folder: string][] = [
  ["file:///var/lib/tintype", "/var/lib/tintype"],
  ["file://localhost/var/lib/tintype", "/var/lib/tintype"],
  ["file:/var/lib/tintype/", "/var/lib/tintype"],
  ["file:.local/images", resolve(".local/images")],
  ["file:images", resolve("images")],
  ["file:///with%20space", "/with space"],
  ["file:/with%20space", "/with space"],
];

for (const [url, folder] of folders) {
  test(`${url} is the folder ${folder.replace(resolve("."), "<working directory>")}`, { skip: process.platform === "win32" }, () => {
    assert.equal(folderOf(url), folder);
  });
}

for (const url of ["file:", "file:///", "file:/", "file://images"]) {
  test(`${url} names no folder`, { skip: process.platform === "win32" }, () => assert.throws(() => folderOf(url)));
}

test("STORAGE_URL chooses between folder and S3", async (t) => {
  const { folder, log } = await setUp(t);
  const store = await createImageStore(storageSettings(0, { STORAGE_URL: `file://${folder}` }), log);
  await store.put("a", Buffer.from("picture"), about, never);
  assert.equal((await filesBelow(folder)).length, 1);
  store.close();
  const remote = await createImageStore(storageSettings(1), log);
  t.after(() => remote.close());
  await assert.rejects(remote.check(never), /ECONNREFUSED/);
});
