/** Connections of the service's own, to real servers with TLS. */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { type AddressInfo, connect as connectSocket, createServer as createRelay, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { exchange } from "../../src/shared/exchange.ts";
import { openConnection } from "../../src/shared/open-connection.ts";
import { createCertificate } from "../browser/certificate.ts";

const hash = (data: Buffer) => createHash("sha256").update(data).digest("hex");

/** Starts a server, whose certificate is trusted until the test ends. @returns opens a connection to it. */
async function startServer(t: TestContext, options: ServerOptions, answer: RequestListener, type: "ec" | "rsa" = "ec") {
  const { key, cert } = createCertificate("files.example", undefined, type);
  const server = createServer({ key, cert, ...options }, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  t.after(() => {
    setDefaultCACertificates(before);
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (through = port) => {
    const connect = async () => {
      const socket = connectSocket(through, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    };
    return openConnection(new URL(`https://files.example:${port}/`), connect, t.signal);
  };
  return { open, port };
}

/** Sends records with a single byte each, and then ends the connection. */
function sendRecords(socket: Socket, left: number): void {
  socket.write("\n", () => (left > 1 ? sendRecords(socket, left - 1) : socket.end()));
}

/** A record with a single byte, in TLS 1.3. */
const recordBytes = 23;

/**
 * Passes connections on to `target`. @returns `hold` keeps what the target sends until that is `count` bytes in all, and then
 * passes all of it on at once.
 */
async function startRelay(t: TestContext, target: number) {
  let [waitsFor, isHolding] = [0, false];
  const held = new Map<Socket, Buffer[]>();
  const sent = Promise.withResolvers<void>();
  const server = createRelay((client) => {
    const onward = connectSocket(target, "127.0.0.1");
    client.pipe(onward);
    for (const socket of [client, onward]) socket.on("error", () => {});
    client.once("close", () => onward.destroy());
    onward.on("data", (chunk: Buffer) => {
      if (!isHolding) return void client.write(chunk);
      held.set(client, [...(held.get(client) ?? []), chunk]);
      waitsFor -= chunk.length;
      if (waitsFor <= 0) sent.resolve();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return {
    port: (server.address() as AddressInfo).port,
    hold: async (count: number) => {
      [waitsFor, isHolding] = [count, true];
      await sent.promise;
      isHolding = false;
      for (const [client, chunks] of held) client.write(Buffer.concat(chunks));
    },
  };
}

for (const length of ["with", "without"])
  test(`TLS: a slow reader gets all of a body ${length} a length whose server closes the connection`, async (t) => {
    const body = randomBytes(2_000_000);
    const { open } = await startServer(t, {}, (_request, response) => {
      response.removeHeader("transfer-encoding");
      response.writeHead(200, { connection: "close", ...(length === "with" ? { "content-length": body.length } : {}) });
      response.end(body);
    });
    const socket = await open();
    const response = await exchange(socket, "/", { method: "GET", headers: { host: "files.example" } }, t.signal);
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
      await sleep(3);
    }
    assert.equal(hash(Buffer.concat(chunks)), hash(body));
    socket.destroy();
  });

for (const [name, ciphers] of [
  ["elliptic curves", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["finite fields", "DHE-RSA-AES128-GCM-SHA256"],
])
  test(`TLS: key exchange with ${name} is ${name === "finite fields" ? "refused" : "accepted"}`, async (t) => {
    const options: ServerOptions = { ciphers, dhparam: "auto", maxVersion: "TLSv1.2" };
    const { open } = await startServer(t, options, () => {}, "rsa");
    if (name === "finite fields") await assert.rejects(open(), /handshake failure/);
    else (await open()).destroy();
  });

test("TLS: a server can't start another handshake", async (t) => {
  const ended = Promise.withResolvers<string>();
  const { open } = await startServer(t, { maxVersion: "TLSv1.2" }, (request) => {
    request.socket.once("close", () => ended.resolve("closed"));
    (request.socket as TLSSocket).renegotiate({}, () => ended.resolve("renegotiated"));
  });
  const socket = await open();
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nhost: files.example\r\n\r\n");
  assert.equal(await ended.promise, "closed");
});

test("TLS: what servers have sent in records of a single byte is decrypted over several turns of the event loop", async (t) => {
  const [connections, records] = [8, 1_500];
  const { open, port } = await startServer(t, {}, ({ socket }) => sendRecords(socket, records));
  const relay = await startRelay(t, port);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(relay.port)));
  let [inTurn, mostInTurn, left] = [0, 0, connections * records];
  const received = Promise.withResolvers<void>();
  const held = relay.hold(records * connections * recordBytes);
  for (const socket of sockets) {
    socket.on("data", (chunk: Buffer) => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      inTurn += 1;
      left -= chunk.length;
      mostInTurn = Math.max(mostInTurn, inTurn);
      if (left <= 0) received.resolve();
      for (const began = performance.now(); performance.now() - began < 0.05; ); // as readers take for each chunk
    });
    socket.write("GET / HTTP/1.1\r\nhost: files.example\r\n\r\n");
  }
  await held;
  await received.promise;
  for (const socket of sockets) socket.destroy();
  assert.ok(mostInTurn < 600, `${mostInTurn} records in one turn`);
});

test("TLS: a server can't send thousands of tiny records", async (t) => {
  const { open } = await startServer(t, {}, ({ socket }) => sendRecords(socket, 10_000));
  const socket = await open();
  let bytes = 0;
  socket.on("data", (chunk) => (bytes += chunk.length));
  socket.write("GET / HTTP/1.1\r\nhost: files.example\r\n\r\n");
  await assert.rejects(once(socket, "close"), /too many small TLS records/);
  // A chunk of 64 KB that arrives at once counts as a whole before its records do, which allows for 6,460 records of this size.
  assert.ok(bytes > 1_500 && bytes < 6_500, `${bytes} records were read`);
});
