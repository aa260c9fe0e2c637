/** Images in a folder. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { folderOf } from "../../src/settings/storage-folder.ts";
import { createImageStore } from "../../src/storage/create-store.ts";
import { createFileStore } from "../../src/storage/folder.ts";
import { objectKey } from "../../src/storage/link.ts";
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

const mayMount = { skip: process.getuid?.() !== 0 && "requires permission to mount a small disk" };

test("the check fails while the disk is full", mayMount, async (t) => {
  const { parent, store } = await setUp(t);
  const folder = join(parent, "images");
  await mkdir(folder);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder]);
  t.after(() => execFileSync("umount", [folder]));
  await store.check(never);
  await writeFile(join(folder, "other"), Buffer.alloc(1_500_000));
  await assert.rejects(store.check(never), /^Error: the image folder's disk is full$/);
});

test("a stored image is returned with its bytes and the content type of its key", async (t) => {
  const { store } = await setUp(t);
  for (const [key, contentType] of [
    ["a/b.png", "image/png"],
    ["a/b.jpg", "image/jpeg"],
    ["b.webp", "image/webp"],
    ["c", "application/octet-stream"],
  ] as const) {
    await store.put(key, Buffer.from("image"), about, never);
    const found = await store.get(key, never);
    assert.ok(found);
    assert.equal((await buffer(found.stream)).toString(), "image");
    assert.deepEqual({ bytes: found.bytes, contentType: found.contentType }, { bytes: 5, contentType });
  }
});

test("the file at `folder/key` contains exactly the image's bytes", async (t) => {
  const { folder, store } = await setUp(t);
  const key = objectKey("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "png");
  await store.put(key, Buffer.from("image"), about, never);
  assert.deepEqual(await filesBelow(folder), [join(folder, key)]);
  assert.equal((await readFile(join(folder, key))).toString(), "image");
});

test("an image with another size than its record is damaged", async (t) => {
  const { store } = await setUp(t);
  await store.put("key", Buffer.from("image"), about, never);
  const found = await store.get("key", never, { from: 2, bytes: 5 });
  assert.equal(found && String(await buffer(found.stream)), "age");
  for (const bytes of [4, 6]) await assert.rejects(store.get("key", never, { bytes }), { name: "DamagedFile" });
});

test("an empty object doesn't count as missing", async (t) => {
  const { store } = await setUp(t);
  await store.put("empty", Buffer.alloc(0), about, never);
  const found = await store.get("empty", never);
  assert.equal(found?.bytes, 0);
  assert.equal((await buffer(found.stream)).length, 0);
});

test("a key that isn't a lowercase path is rejected, and nothing is written outside the folder", async (t) => {
  const { parent, folder, store } = await setUp(t);
  await store.prepare(never);
  const keys = [
    "../escape",
    "../../escape",
    "/etc/passwd",
    "a\0b",
    "A",
    ".",
    "..",
    "",
    "a/",
    "a//b",
    "a/../b",
    ".incoming/a",
    "C:\\x",
    "é",
    "x".repeat(201),
  ];
  for (const key of keys) {
    await assert.rejects(store.put(key, Buffer.from("image"), about, never), TypeError, key);
    await assert.rejects(store.get(key, never), TypeError, key);
    await assert.rejects(store.remove(key, never), TypeError, key);
  }
  assert.deepEqual(await readdir(parent), ["images"]);
  assert.deepEqual(await filesBelow(folder), []);
});

test("only this user can read the images", { skip: process.platform === "win32" }, async (t) => {
  const { folder, store } = await setUp(t);
  await store.prepare(never);
  await store.put("a", Buffer.from("image"), about, never);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    assert.equal(mode & 0o777, entry.isFile() ? 0o600 : 0o700);
  }
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});

test("while an image is being replaced, a reader sees one complete image", async (t) => {
  const { folder, store } = await setUp(t);
  const images = ["a", "b"].map((letter) => Buffer.alloc(200_000, letter));
  await store.put("key", images[0] as Buffer, about, never);
  const write = async () => {
    for (let turn = 0; turn < 20; turn += 1) await store.put("key", images[turn % 2] as Buffer, about, never);
  };
  const read = async () => {
    for (let turn = 0; turn < 40; turn += 1) {
      const found = await store.get("key", never);
      assert.ok(found);
      const bytes = await buffer(found.stream);
      assert.ok(images.some((image) => image.equals(bytes)));
    }
  };
  await Promise.all([write(), read()]);
  assert.equal((await filesBelow(folder)).length, 1);
});

test("an aborted upload leaves only the previous image", async (t) => {
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

test("an abort ends the reading of an image", async (t) => {
  const { store } = await setUp(t);
  await store.put("big", Buffer.alloc(4_000_000), about, never);
  const gone = new AbortController();
  const found = await store.get("big", gone.signal);
  assert.ok(found);
  await once(found.stream, "readable");
  gone.abort();
  await assert.rejects(buffer(found.stream), { name: "AbortError" });
});

test("getting a missing image returns undefined, removing it succeeds", async (t) => {
  const { store } = await setUp(t);
  assert.equal(await store.get("nothing", never), undefined);
  await store.put("something", Buffer.from("image"), about, never);
  await store.remove("something", never);
  await store.remove("something", never);
  assert.equal(await store.get("something", never), undefined);
});

test("`prepare` creates the folder and removes partial files left by dead processes", async (t) => {
  const { folder, store } = await setUp(t);
  await assert.rejects(store.check(never), /ENOENT/);
  await store.prepare(never);
  await store.check(never);
  const [old, running] = [join(folder, ".incoming", "old"), join(folder, ".incoming", "running")];
  for (const path of [old, running]) await writeFile(path, "half");
  const twoHoursAgo = Date.now() / 1000 - 7200;
  await utimes(old, twoHoursAgo, twoHoursAgo);
  await store.prepare(never);
  assert.deepEqual(await filesBelow(folder), [running]);
});

test("a folder that cannot be used is reported in the log and by `check`; `prepare` does not throw", async (t) => {
  const { folder, store, messages } = await setUp(t);
  await writeFile(folder, "a file in place of the folder");
  await store.prepare(never);
  assert.deepEqual(messages(50), ["the image folder is not usable: create it, or grant the user that runs the service write permission"]);
  const other = await setUp(t);
  await mkdir(join(other.folder, ".incoming"), { recursive: true });
  await writeFile(join(other.folder, ".incoming", "half"), "half");
  await other.store.prepare(AbortSignal.abort());
  assert.deepEqual(other.messages(50), []); // the service is stopping
  await assert.rejects(store.check(never), /not a directory/);
  await assert.rejects(store.put("a", Buffer.from("image"), about, never));
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

const unusable: [url: string, message: RegExp][] = [
  ["file:", /^STORAGE_URL does not name a folder/],
  ["file:/", /^STORAGE_URL does not name a folder/],
  ["file:///", /^STORAGE_URL does not name a folder/],
  ["file://images", /^STORAGE_URL names a host/],
  ["file:///a%2Fb", /^STORAGE_URL is not a usable file URL: .*encoded \//],
  ["file:///a%zz", /^STORAGE_URL is not a usable file URL: /],
  ["file:/a/%00b", /^STORAGE_URL contains an encoded control character/],
  ["file:///a/%0Ab", /^STORAGE_URL contains an encoded control character/],
  ["file:/a%zz", /^STORAGE_URL is not a usable file URL: /],
];

for (const [url, message] of unusable) {
  test(`${url} is rejected`, { skip: process.platform === "win32" }, () => assert.throws(() => folderOf(url), { message }));
}

test("STORAGE_URL chooses between folder and S3", async (t) => {
  const { folder, log } = await setUp(t);
  const store = await createImageStore(storageSettings(0, { STORAGE_URL: `file://${folder}` }), log);
  await store.put("a", Buffer.from("image"), about, never);
  assert.equal((await filesBelow(folder)).length, 1);
  store.close();
  const remote = await createImageStore(storageSettings(1), log);
  t.after(() => remote.close());
  await assert.rejects(remote.check(never), /ECONNREFUSED/);
});
