/** Connections of the service's own, to real servers with TLS. */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { type AddressInfo, connect as connectSocket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { exchange } from "../../src/shared/exchange.ts";
import { openConnection } from "../../src/shared/open-connection.ts";
import { createCertificate } from "../browser/certificate.ts";

const hash = (data: Buffer) => createHash("sha256").update(data).digest("hex");

/** Starts a server and opens a connection to it. Its certificate is trusted until the test ends. */
async function openToServer(t: TestContext, options: ServerOptions, answer: RequestListener, type: "ec" | "rsa" = "ec") {
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
  const connect = async () => {
    const socket = connectSocket(port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  return await openConnection(new URL(`https://files.example:${port}/`), connect, t.signal);
}

for (const length of ["with", "without"])
  test(`TLS: a slow reader gets all of a body ${length} a length whose server closes the connection`, async (t) => {
    const body = randomBytes(2_000_000);
    const socket = await openToServer(t, {}, (_request, response) => {
      response.removeHeader("transfer-encoding");
      response.writeHead(200, { connection: "close", ...(length === "with" ? { "content-length": body.length } : {}) });
      response.end(body);
    });
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
    const opening = openToServer(t, options, () => {}, "rsa");
    if (name === "finite fields") await assert.rejects(opening, /handshake failure/);
    else (await opening).destroy();
  });

test("TLS: a server can't start another handshake", async (t) => {
  const ended = Promise.withResolvers<string>();
  const socket = await openToServer(t, { maxVersion: "TLSv1.2" }, (request) => {
    request.socket.once("close", () => ended.resolve("closed"));
    (request.socket as TLSSocket).renegotiate({}, () => ended.resolve("renegotiated"));
  });
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nhost: files.example\r\n\r\n");
  assert.equal(await ended.promise, "closed");
});
