/** Connections of the service's own, to real servers with TLS. */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import { type AddressInfo, connect as connectSocket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { exchange } from "../../src/shared/exchange.ts";
import { openConnection } from "../../src/shared/open-connection.ts";
import { createCertificate } from "../browser/certificate.ts";

const hash = (data: Buffer) => createHash("sha256").update(data).digest("hex");

for (const length of ["with", "without"])
  test(`TLS: a slow reader gets all of a body ${length} a length whose server closes the connection`, async (t) => {
    const { key, cert } = createCertificate("files.example");
    const body = randomBytes(2_000_000);
    const server = createServer({ key, cert }, (_request, response) => {
      response.removeHeader("transfer-encoding");
      response.writeHead(200, { connection: "close", ...(length === "with" ? { "content-length": body.length } : {}) });
      response.end(body);
    });
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
    const { signal } = t;
    const url = new URL(`https://files.example:${port}/`);
    const socket = await openConnection(url, connect, signal);
    const response = await exchange(socket, "/", { method: "GET", headers: { host: url.host } }, signal);
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
      await sleep(3);
    }
    assert.equal(hash(Buffer.concat(chunks)), hash(body));
    socket.destroy();
  });
