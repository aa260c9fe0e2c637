/** Images in an S3 bucket, through the real SDK. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import { HeadBucketCommand, HeadObjectCommand } from "@aws-sdk/client-s3";
import { interceptLocalhostDns } from "fauxqs";
import { accessKeyId, observer, s3Store, secretAccessKey, startStorage, storageSettings } from "./storage-server.ts";

const never = new AbortController().signal;
const image = Buffer.from([0xff, 0xd8, 0x00, 0x0d, 0x0a, 0xff, 0xd9]);
const about = { contentType: "image/webp", metadata: {} };
const forbidden = { status: 403, xml: `<Error><Code>AccessDenied</Code><Message>no, ${accessKeyId}</Message></Error>` };
const signedOut = {
  status: 403,
  xml: `<Error><Code>InvalidAccessKeyId</Code><Message>unknown: ${accessKeyId}</Message><AWSAccessKeyId>${accessKeyId}</AWSAccessKeyId></Error>`,
};

for (const pathStyle of [true, false]) {
  test(`a stored image is returned with its bytes and content type, path style ${pathStyle}`, async (t) => {
    t.after(interceptLocalhostDns());
    const { port, requests } = await startStorage(t);
    const settings = storageSettings(port, {
      STORAGE_URL: "http://elsewhere.invalid",
      STORAGE_ENDPOINT: `http://localhost:${port}`,
      STORAGE_USE_PATH_STYLE_ENDPOINT: pathStyle,
    });
    const store = s3Store(t, settings);
    await store.prepare(never);
    await store.put("a/b.webp", image, about, never);
    const found = await store.get("a/b.webp", never);
    assert.ok(found);
    assert.deepEqual(await buffer(found.stream), image);
    assert.deepEqual({ bytes: found.bytes, contentType: found.contentType }, { bytes: image.length, contentType: "image/webp" });
    const address = pathStyle
      ? { host: `localhost:${port}`, path: `/${settings.STORAGE_BUCKET}/a/b.webp` }
      : { host: `${settings.STORAGE_BUCKET}.localhost:${port}`, path: "/a/b.webp" };
    for (const { host, path } of requests.slice(-2)) assert.deepEqual({ host, path: path.split("?")[0] }, address);
  });
}

test("a missing bucket is created, an existing one is left alone", async (t) => {
  const { port, requests } = await startStorage(t);
  const settings = storageSettings(port);
  const store = s3Store(t, settings);
  await assert.rejects(store.check(never));
  await store.prepare(never);
  await observer(t, port).send(new HeadBucketCommand({ Bucket: settings.STORAGE_BUCKET }));
  await store.check(never);
  await store.prepare(never);
  assert.equal(requests.filter(({ method }) => method === "PUT").length, 1);
  assert.deepEqual(store.messages(30), ["created the storage bucket"]);
});

test("the region is used as a new bucket's location, unless it is `auto`", async (t) => {
  const { port, requests } = await startStorage(t);
  for (const region of ["auto", "eu-central-1"]) await s3Store(t, storageSettings(port, { STORAGE_REGION: region })).prepare(never);
  const bodies = requests.filter(({ method }) => method === "PUT").map(({ body }) => body);
  assert.equal(bodies.length, 2);
  assert.doesNotMatch(bodies[0] ?? "", /LocationConstraint/);
  assert.match(bodies[1] ?? "", /<LocationConstraint>eu-central-1<\/LocationConstraint>/);
});

test("if a missing bucket may not be created, this is logged, without the credentials", async (t) => {
  const server = await startStorage(t);
  server.before = ({ method }) => (method === "PUT" ? forbidden : undefined);
  const store = s3Store(t, storageSettings(server.port));
  await store.prepare(never);
  assert.deepEqual(store.messages(50), [
    "the storage bucket does not exist and could not be created: create it, or grant permission to create it",
  ]);
  assert.equal(store.lines[0]?.reason, "AccessDenied, status 403");
  assert.ok(!JSON.stringify(store.lines).includes(accessKeyId));
});

test("if storage is unavailable at startup, this is logged, and nothing is thrown", async (t) => {
  const server = await startStorage(t);
  await server.stop();
  const store = s3Store(t, storageSettings(server.port));
  await store.prepare(never);
  assert.deepEqual(store.messages(50), ["object storage is not usable yet: it is unreachable, or rejects the credentials"]);
  await assert.rejects(store.check(never), /ECONNREFUSED/);
});

test("a bucket that is still missing at the first upload is created then", async (t) => {
  const { port } = await startStorage(t);
  const store = s3Store(t, storageSettings(port));
  await store.put("late.png", image, about, never);
  assert.equal((await store.get("late.png", never))?.bytes, image.length);
});

test("content type and metadata are stored; any text survives the header encoding", async (t) => {
  const { port } = await startStorage(t);
  const settings = storageSettings(port);
  const store = s3Store(t, settings);
  const metadata = { url: "https://example.com/a b?c=%20&d=é", Title: "Grüße  – 日本\r\nx-injected: 1 \ud800", empty: "" };
  await store.put("m.png", image, { contentType: "image/png", metadata }, never);
  const head = await observer(t, port).send(new HeadObjectCommand({ Bucket: settings.STORAGE_BUCKET, Key: "m.png" }));
  assert.equal(head.ContentType, "image/png");
  assert.deepEqual(Object.keys(head.Metadata ?? {}).sort(), ["title", "url"]);
  assert.equal(decodeURI(head.Metadata?.url ?? ""), metadata.url);
  assert.equal(decodeURI(head.Metadata?.title ?? ""), metadata.Title.toWellFormed());
});

test("overlong metadata is truncated between characters, and the image is stored", async (t) => {
  const { port } = await startStorage(t);
  const settings = storageSettings(port);
  const title = "日本語".repeat(1000);
  await s3Store(t, settings).put("long.png", image, { contentType: "image/png", metadata: { id: "x", title, last: "y" } }, never);
  const { Metadata = {} } = await observer(t, port).send(new HeadObjectCommand({ Bucket: settings.STORAGE_BUCKET, Key: "long.png" }));
  assert.ok(Object.entries(Metadata).flat().join("").length <= 2048);
  assert.equal(Metadata.id, "x");
  const kept = decodeURI(Metadata.title ?? "");
  assert.ok(kept.length > 100 && title.startsWith(kept));
});

test("getting a missing image returns undefined, removing it succeeds", async (t) => {
  const { port } = await startStorage(t);
  const store = s3Store(t, storageSettings(port));
  await store.prepare(never);
  assert.equal(await store.get("nothing.png", never), undefined);
  await store.put("something.png", image, about, never);
  await store.remove("something.png", never);
  await store.remove("something.png", never);
  assert.equal(await store.get("something.png", never), undefined);
});

test("a missing bucket is reported as a failure, not as a missing image", async (t) => {
  const { port } = await startStorage(t);
  const store = s3Store(t, storageSettings(port));
  await assert.rejects(store.get("a.png", never), /NoSuchBucket/);
  await assert.rejects(store.remove("a.png", never), /NoSuchBucket/);
});

test("storage errors never contain the credentials", async (t) => {
  const server = await startStorage(t);
  server.before = () => signedOut;
  const store = s3Store(t, storageSettings(server.port));
  const calls = [store.put("a", image, about, never), store.get("a", never), store.remove("a", never), store.check(never)];
  for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
    assert.equal(status, "rejected");
    assert.match(reason.message, /^object storage could not .*status 403$/);
    const shown = inspect(reason, { depth: 10, showHidden: true });
    assert.ok(!shown.includes(accessKeyId) && !shown.includes(secretAccessKey));
  }
});

test("an abort while an image is being read causes an error for the reader", async (t) => {
  const { port } = await startStorage(t);
  const store = s3Store(t, storageSettings(port));
  await store.put("big.png", Buffer.alloc(8_000_000), about, never);
  const gone = new AbortController();
  const found = await store.get("big.png", gone.signal);
  assert.ok(found);
  await once(found.stream, "readable");
  gone.abort();
  await assert.rejects(buffer(found.stream), { name: "AbortError" });
  assert.ok(found.stream.destroyed);
});

test("an abort before anything is read ends the stream, not the process", async (t) => {
  const { port } = await startStorage(t);
  const store = s3Store(t, storageSettings(port));
  await store.put("big.png", Buffer.alloc(8_000_000), about, never);
  const gone = new AbortController();
  const found = await store.get("big.png", gone.signal);
  assert.ok(found);
  const closed = new Promise((resolve) => found.stream.on("close", resolve));
  gone.abort();
  await closed;
  assert.ok(found.stream.errored);
});

test("an abort before the response rejects with the signal's reason", async (t) => {
  const server = await startStorage(t);
  const gone = new AbortController();
  const release = Promise.withResolvers<undefined>();
  t.after(() => release.resolve(undefined));
  const reason = new Error("the client has disconnected");
  server.before = () => {
    gone.abort(reason);
    return release.promise;
  };
  await assert.rejects(s3Store(t, storageSettings(server.port)).get("a.png", gone.signal), reason);
});

test("storage that accepts connections but never responds times out", { timeout: 20_000 }, async (t) => {
  const silent = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as { port: number };
  const store = s3Store(t, storageSettings(port), { connectTimeoutMs: 1000, requestTimeoutMs: 100, idleTimeoutMs: 60_000 });
  t.after(() => silent.close());
  await assert.rejects(store.put("a.png", image, about, never), /TimeoutError/);
});

/** A store whose server sends what `respond` writes, whatever the request. */
async function storeAnswering(t: TestContext, respond: RequestListener) {
  const server = createHttpServer((request, response) => {
    request.resume();
    respond(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  return s3Store(t, storageSettings((server.address() as AddressInfo).port));
}

/** Writes `chunk` until 64 MB have been written or the connection is closed. Resolves to the bytes written, once it is closed. */
async function flood(response: NodeJS.WritableStream & { destroyed: boolean }, chunk: Buffer): Promise<number> {
  const closed = once(response, "close");
  let written = 0;
  while (written < 64_000_000 && !response.destroyed) {
    written += chunk.length;
    if (!response.write(chunk)) await Promise.race([once(response, "drain"), closed]);
  }
  response.end();
  await closed;
  return written;
}

test("an image whose response states no length has the size in its record; without a record that is a failure, not an empty image", async (t) => {
  const store = await storeAnswering(t, ({ headers }, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    const range = { "content-range": `bytes ${from}-${image.length - 1}/${image.length}` };
    response.writeHead(from > 0 ? 206 : 200, { "content-type": "image/webp", ...(from > 0 && range) });
    response.write(image.subarray(from, from + 1));
    response.end(image.subarray(from + 1));
  });
  const found = await store.get("a.webp", never, { bytes: image.length });
  assert.deepEqual([found?.bytes, found && (await buffer(found.stream))], [image.length, image]);
  const rest = await store.get("a.webp", never, { from: 3, bytes: image.length });
  assert.deepEqual([rest?.bytes, rest && (await buffer(rest.stream))], [image.length, image.subarray(3)]);
  for (const range of [undefined, {}, { bytes: null }, { from: 3 }])
    await assert.rejects(store.get("a.webp", never, range), { name: "DamagedFile", message: "the response states no length" });
});

test("of a response without a length, no more is read than the record says, and fewer bytes are an error as well", async (t) => {
  const flooded = Promise.withResolvers<number>();
  const store = await storeAnswering(t, ({ url }, response) => {
    if (url?.includes("short")) response.write(image, () => response.end());
    else flood(response, Buffer.alloc(50_000)).then(flooded.resolve, flooded.reject);
  });
  const endless = await store.get("endless.png", never, { bytes: 400_000 });
  assert.ok(endless);
  let received = 0;
  endless.stream.on("data", ({ length }) => (received += length));
  await assert.rejects(once(endless.stream, "end"), { name: "DamagedFile", message: "storage sent more than 400000 bytes" });
  assert.ok(received <= 400_000, `${received} bytes were passed on`);
  const written = await flooded.promise;
  assert.ok(written < 16_000_000, `the connection was closed only after ${written} bytes`);
  const short = await store.get("short.png", never, { bytes: 400_000 });
  assert.ok(short);
  await assert.rejects(buffer(short.stream), { name: "DamagedFile", message: "storage sent fewer than 400000 bytes" });
});

test("an object with another size than its record is damaged, also if only its end is read", async (t) => {
  const { port } = await startStorage(t);
  const store = s3Store(t, storageSettings(port));
  await store.put("a.png", image, about, never);
  for (const from of [0, 3]) {
    const found = await store.get("a.png", never, { from, bytes: image.length });
    assert.deepEqual(found && (await buffer(found.stream)), image.subarray(from));
    for (const bytes of [image.length - 1, image.length + 1])
      await assert.rejects(store.get("a.png", never, { from, bytes }), {
        name: "DamagedFile",
        message: `the stored file has ${image.length} bytes instead of ${bytes}`,
      });
  }
});

test("of a response that isn't an image, only the beginning is read, and of its markup only the code", { timeout: 60_000 }, async (t) => {
  const floods: Promise<number>[] = [];
  let [status, start] = [403, "<Error><Code>AccessDenied</Code>"];
  const store = await storeAnswering(t, (_, response) => {
    response.writeHead(status, { "content-type": "application/xml" }).write(start);
    floods.push(flood(response, Buffer.from("<a><b>".repeat(10_000))));
  });
  const calls = () => [store.put("a.png", image, about, never), store.get("a.png", never), store.remove("a.png", never)];
  for (const { reason } of (await Promise.allSettled(calls())) as PromiseRejectedResult[])
    assert.match(reason.message, /^object storage could not .*: AccessDenied, status 403$/);
  [status, start] = [200, "<Fine>"];
  await Promise.all([store.put("a.png", image, about, never), store.remove("a.png", never)]);
  for (const written of await Promise.all(floods)) assert.ok(written < 16_000_000, `${written} bytes were read`);
});

test("a missing bucket is recognized with an access key of a few letters, which the code contains", async (t) => {
  const { port } = await startStorage(t);
  const store = s3Store(t, storageSettings(port, { STORAGE_ACCESS_KEY_ID: "such", STORAGE_SECRET_ACCESS_KEY: "Bucket" }));
  await assert.rejects(store.get("a.png", never), /NoSuchBucket/);
  await store.put("a.png", image, about, never);
});
