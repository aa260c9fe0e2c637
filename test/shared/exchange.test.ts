/**
 * Unusual responses from servers that requests of the service itself reach, for webhooks, copies, sitemaps and robots.txt: many informational
 * ones (1xx), and bodies in tiny chunks.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { failureOf } from "../../src/accounts/destinations/failures.ts";
import { exchange } from "../../src/shared/exchange.ts";
import { openConnection } from "../../src/shared/open-connection.ts";
import { createReadRobots } from "../../src/sitemaps/read-robots.ts";
import { createReadSitemap } from "../../src/sitemaps/read-sitemap.ts";
import { openBucket } from "../../src/storage/bucket.ts";
import { requestFailure } from "../../src/webhooks/deliver.ts";
import { post } from "../../src/webhooks/post.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

const interim = ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n"];
const xml = "<urlset><url><loc>http://site.example/a</loc></url></urlset>";
const final = `HTTP/1.1 200 OK\r\ncontent-length: ${xml.length}\r\n\r\n${xml}`;

/** A server that responds with `text` to the first bytes of a request. @returns a connection to it, whatever the host. */
async function responding(t: TestContext, text: string) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(text));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  return async () => connectSocket(port, "127.0.0.1");
}

type Connect = Awaited<ReturnType<typeof responding>>;

/** Each resolves with the problem, or undefined if the request succeeded. */
const clients: Record<string, (connect: Connect, signal: AbortSignal) => Promise<string | undefined>> = {
  webhook: (connect, signal) =>
    post(new URL("http://hooks.example/"), {}, "{}", { connect, signal }).then(
      () => undefined,
      (error) => requestFailure(error, signal, 10_000),
    ),
  copy: (connect, signal) => {
    const address = { endpoint: "http://s3.example", bucket: "pictures", region: "eu-central-1", pathStyle: true };
    const bucket = openBucket(address, { accessKeyId: "AKIATESTONLY", secretAccessKey: "a-secret-of-this-test" }, connect);
    const object = { key: "a", contentType: "text/plain", bytes: 1, sha256: "0".repeat(64), content: Readable.from([Buffer.from("x")]) };
    return bucket.put(object, signal).then(
      () => undefined,
      (error) => failureOf(error, signal, 30_000).message,
    );
  },
  "robots.txt": async (connect, signal) => {
    const readRobots = createReadRobots(() => () => {});
    return (await readRobots("http://site.example", { userId: "ada", connect, assertMayFetch() {} }, signal)).problem;
  },
  sitemap: (connect, signal) =>
    createReadSitemap(connect, () => () => {})("http://site.example/sitemap.xml", 1, { userId: "ada", assertMayFetch() {} }, signal).then(
      () => undefined,
      (error) => error.message,
    ),
};

for (const [name, problemOf] of Object.entries(clients))
  test(`${name}: eight informational responses may precede the final one; the ninth ends the request`, async (t) => {
    for (const text of interim) {
      const { signal } = new AbortController();
      assert.equal(await problemOf(await responding(t, text.repeat(8) + final), signal), undefined);
      const excess = await problemOf(await responding(t, text.repeat(9)), AbortSignal.timeout(5_000));
      assert.match(excess ?? "", /more than 8 informational responses \(1xx\)/);
    }
  });

for (const end of ["the connection is reset", "the request is aborted"])
  test(`a body without a length isn't complete when ${end}`, async (t) => {
    let connection: Socket | undefined;
    const over = new AbortController();
    const server = createServer((socket) => {
      connection = socket;
      socket.on("error", () => {});
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n"));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const socket = connectSocket((server.address() as { port: number }).port, "127.0.0.1");
    const response = await exchange(socket, "/", { method: "GET", headers: { host: "a" } }, over.signal);
    const reading = response.toArray();
    if (end === "the connection is reset") connection?.resetAndDestroy();
    else over.abort(new Error("over"));
    await assert.rejects(reading, end === "the connection is reset" ? { code: "ECONNRESET" } : /over/);
    socket.destroy();
  });

test("copy: a success that arrives before the whole object was sent doesn't count", async (t) => {
  const address = { endpoint: "http://s3.example", bucket: "pictures", region: "eu-central-1", pathStyle: true };
  const connect = await responding(t, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  const bucket = openBucket(address, { accessKeyId: "AKIATESTONLY", secretAccessKey: "a-secret-of-this-test" }, connect);
  const content = new Readable({ read() {} });
  content.push(Buffer.alloc(100_000));
  const object = { key: "a", contentType: "text/plain", bytes: 8_000_000, sha256: "0".repeat(64), content };
  await assert.rejects(bucket.put(object, AbortSignal.timeout(5_000)), /responded before it had received the whole object/);
});

const inChunks = (text: string, length = 1) => {
  const chunks = text.match(new RegExp(`.{1,${length}}`, "gs")) ?? [];
  return `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join("")}0\r\n\r\n`;
};

for (const name of ["robots.txt", "sitemap"])
  test(`${name}: a file of up to 2,000 chunks of a byte is read; one of very many ends the request, in a turn of at most 30 ms`, async (t) => {
    const problemOf = clients[name] as (typeof clients)[string];
    const { signal } = new AbortController();
    assert.equal(await problemOf(await responding(t, inChunks(xml + "\n".repeat(1_900))), signal), undefined);
    const connect = await responding(t, inChunks(xml + "\n".repeat(100_000)));
    const { result, ms } = await longestTurnAtBest(() => problemOf(connect, signal), 30);
    assert.match(result ?? "", /sends its body in too many small chunks/);
    assert.ok(ms <= 30, `a turn of ${ms} ms`);
  });

test("a response's chunks are joined as they arrive, and a slow reader stops the sender", async (t) => {
  const text = Array.from({ length: 40_000 }, (_, index) => `${String(index).padStart(99)}\n`).join("");
  const socket = await (await responding(t, inChunks(text, 100)))();
  const response = await exchange(socket, "/", { method: "GET", headers: { host: "a" } }, new AbortController().signal);
  let [read, count, most] = ["", 0, 0];
  for await (const chunk of response) {
    read += chunk;
    count += 1;
    most = Math.max(most, response.readableLength);
    if (count % 10 === 0) await pause(1);
  }
  assert.ok(read === text, "nothing is lost or out of order");
  assert.ok(count < 2_000, `${count} chunks`);
  assert.ok(most <= 300_000, `${most} bytes waited`);
});

test("a TLS handshake of more bytes than certificates need ends the connection before they are verified", async (t) => {
  const record = Buffer.concat([Buffer.from([0x16, 3, 3, 0x40, 0]), Buffer.alloc(16_384)]).toString("latin1");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(record.repeat(2), "latin1"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const connect = async () => connectSocket(port, "127.0.0.1");
  const opening = openConnection(new URL("https://site.example/"), connect, AbortSignal.timeout(10_000));
  await assert.rejects(opening, /sends more than 20 KB during the TLS handshake/);
});
