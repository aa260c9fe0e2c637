/** A single delivery request, to real servers that respond, hang, redirect, flood, close and send invalid responses. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectSocket, createServer } from "node:net";
import { test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import { createVet } from "../../src/egress/vet.ts";
import { createConnections } from "../../src/start/network.ts";
import { requestFailure, responseFailure } from "../../src/webhooks/deliver.ts";
import { post } from "../../src/webhooks/post.ts";
import { createCertificate } from "../browser/certificate.ts";
import { startReceiver } from "./receiver.ts";

/** Posts through the egress filter. @param addresses the resolver's answers, one list for each lookup. */
function sender({ allowed = "", addresses = [["127.0.0.1"]] }: { allowed?: string; addresses?: string[][] }) {
  const lookups: string[] = [];
  const resolve = async (host: string) => {
    lookups.push(host);
    return addresses[Math.min(lookups.length, addresses.length) - 1] ?? [];
  };
  const { connect } = createConnections(createVet({ allowedHosts: parseAllowedHosts(allowed), infrastructure: [], resolve }));
  const timeout = new AbortController();
  /** The response, and why it isn't a success, or why there is none. */
  async function outcome(url: string) {
    try {
      const answer = await post(new URL(url), { "content-type": "application/json" }, '{"a":"ü"}', { connect, signal: timeout.signal });
      return { answer, reason: responseFailure(answer) };
    } catch (error) {
      return { answer: undefined, reason: requestFailure(error, timeout.signal, 10_000) };
    }
  }
  return { outcome, lookups, timeout };
}

test("a webhook is posted as JSON with Content-Length, to the URL's path and query, with its Host", async (t) => {
  const receiver = await startReceiver(t);
  const { outcome } = sender({ allowed: "hooks.example" });
  const { answer, reason } = await outcome(`http://hooks.example:${receiver.port}/in?a=1&b=%20`);
  assert.deepEqual([answer?.status, reason], [204, undefined]);
  const [received] = receiver.received;
  assert.deepEqual([received?.method, received?.path, received?.body], ["POST", "/in?a=1&b=%20", '{"a":"ü"}']);
  assert.equal(received?.headers.host, `hooks.example:${receiver.port}`);
  assert.equal(received?.headers["content-length"], "10");
});

test("https: the certificate must be valid for the name, and its rejection is explained", async (t) => {
  const { key, cert } = createCertificate("hooks.example");
  const receiver = await startReceiver(t, { key, cert });
  const { outcome } = sender({ allowed: "hooks.example,other.example" });
  const url = `https://hooks.example:${receiver.port}/`;
  assert.equal((await outcome(url)).reason, "The server's TLS certificate was not accepted: self-signed certificate.");
  const before = getCACertificates("default");
  t.after(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, cert]);
  assert.equal((await outcome(url)).answer?.status, 204);
  assert.match((await outcome(url.replace("hooks", "other"))).reason ?? "", /certificate was not accepted: .*hooks\.example/);
  assert.equal(receiver.received.length, 1);
});

test("https to a port that speaks plain HTTP fails with that reason", async (t) => {
  const receiver = await startReceiver(t);
  const { reason } = await sender({ allowed: "127.0.0.1" }).outcome(`https://${receiver.host}/`);
  assert.match(reason ?? "", /TLS handshake failed/);
});

test("a redirect is not followed; the failure names its target", async (t) => {
  const [first, second] = [await startReceiver(t), await startReceiver(t)];
  first.answer = (_request, response) => void response.writeHead(302, { location: `http://${second.host}/` }).end();
  const { reason } = await sender({ allowed: "127.0.0.1" }).outcome(`http://${first.host}/`);
  assert.equal(reason, `The receiver responded with a redirect (302) to http://${second.host}/, which is not followed: use the final URL.`);
  assert.equal(second.connections(), 0);
});

test("2xx is a success; any other status is a failure that states it", async (t) => {
  const receiver = await startReceiver(t);
  const { outcome } = sender({ allowed: "127.0.0.1" });
  for (const [status, expected] of [
    [200, undefined],
    [299, undefined],
    [400, /status 400/],
    [410, /410 Gone/],
    [500, /status 500/],
  ] as const) {
    receiver.answer = (_request, response) => void response.writeHead(status).end();
    const { reason } = await outcome(`http://${receiver.host}/`);
    if (expected) assert.match(reason ?? "", expected);
    else assert.equal(reason, undefined);
  }
});

test("a body of one gigabyte is cut off at 64 KB, and the connection is closed", async (t) => {
  const receiver = await startReceiver(t);
  const gigabyte = 1024 ** 3;
  let written = 0;
  const closed = Promise.withResolvers<void>();
  receiver.answer = (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": String(gigabyte) });
    response.once("close", closed.resolve);
    const part = Buffer.alloc(64 * 1024, "x");
    const write = () => {
      if (response.destroyed || written >= gigabyte) return;
      written += part.length;
      response.write(part, () => write());
    };
    write();
  };
  const { answer, reason } = await sender({ allowed: "127.0.0.1" }).outcome(`http://${receiver.host}/`);
  await closed.promise;
  assert.deepEqual([answer?.body.length, answer?.isCut, reason], [64 * 1024, true, undefined]);
  assert.ok(written < gigabyte / 10, String(written));
});

test("without a response, the attempt times out", async (t) => {
  const receiver = await startReceiver(t);
  const { outcome, timeout } = sender({ allowed: "127.0.0.1" });
  receiver.answer = () => timeout.abort();
  assert.equal((await outcome(`http://${receiver.host}/`)).reason, "There was no response within 10 seconds.");
});

test("TLS: an attempt times out if the server never responds to the handshake", async (t) => {
  const server = createServer((socket) => socket.on("error", () => {}).once("data", () => timeout.abort()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { outcome, timeout } = sender({ allowed: "127.0.0.1" });
  assert.equal((await outcome(`https://127.0.0.1:${port}/`)).reason, "There was no response within 10 seconds.");
});

for (const length of ["in chunks", "without Content-Length"])
  test(`an endless body ${length}: at the timeout, the status counts`, async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = (_request, response) => {
      if (length === "without Content-Length") response.removeHeader("transfer-encoding");
      response.writeHead(202).write("queued");
    };
    const over = new AbortController();
    const connect = async () => {
      const socket = connectSocket(receiver.port, "127.0.0.1");
      socket.on("data", () => setImmediate(() => over.abort())); // the headers have been parsed
      return socket;
    };
    const answer = await post(new URL(`http://${receiver.host}/`), {}, "{}", { connect, signal: over.signal });
    assert.deepEqual([answer.status, answer.isCut], [202, true]);
  });

test("truncated, non-HTTP and protocol-switching responses are explained", async () => {
  const answers: [string, RegExp][] = [
    ["", /^The connection was closed before a response was received\.$/],
    ["HTTP/1.1 200", /^The (connection was closed before a response was received|response is not valid HTTP)\.$/],
    ["SSH-2.0-OpenSSH_9.2\r\n", /^The response is not valid HTTP\.$/],
    [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`, /^The response is not valid HTTP\.$/],
    ["HTTP/1.1 000 OK\r\ncontent-length: 0\r\n\r\n", /^The response is not valid HTTP\.$/],
    ["HTTP/1.1 101 OK\r\n\r\n", /^The response is not valid HTTP\.$/],
    ["HTTP/0.9 200 OK\r\ncontent-length: 0\r\n\r\n", /^The response is not valid HTTP\.$/],
    ["HTTP/2.0 204 No Content\r\n\r\n", /^The response is not valid HTTP\.$/],
    ["HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n", /closed before a response was received/],
  ];
  for (const [text, expected] of answers) {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(text));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { reason } = await sender({ allowed: "127.0.0.1" }).outcome(`http://127.0.0.1:${port}/`);
    server.close();
    assert.match(reason ?? "", expected, text.slice(0, 40));
  }
});

test("an incomplete body is stored as far as received, and marked as incomplete", async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = (_request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("half\0", () => response.destroy());
  };
  const { answer, reason } = await sender({ allowed: "127.0.0.1" }).outcome(`http://${receiver.host}/`);
  assert.deepEqual([answer?.body, answer?.isCut, reason], ["half\ufffd", true, undefined]);
});

test("a name that has a public address at registration but a private one at delivery is not connected to", async (t) => {
  const receiver = await startReceiver(t);
  const { outcome, lookups } = sender({ addresses: [["127.0.0.1"]] });
  const { reason } = await outcome(`http://rebinding.example:${receiver.port}/`);
  assert.equal(reason, "The host name does not resolve to a public address.");
  assert.deepEqual([lookups, receiver.connections()], [["rebinding.example"], 0]);
});

test("a name is resolved once per attempt, and only the checked address is dialed", async (t) => {
  const receiver = await startReceiver(t);
  const { outcome, lookups } = sender({ allowed: "127.0.0.1", addresses: [["127.0.0.1"], ["10.0.0.1"]] });
  assert.equal((await outcome(`http://rebinding.example:${receiver.port}/`)).answer?.status, 204);
  assert.deepEqual(lookups, ["rebinding.example"]);
  assert.match((await outcome(`http://rebinding.example:${receiver.port}/`)).reason ?? "", /does not resolve to a public address/);
  assert.equal(receiver.connections(), 1);
});

test("private addresses, metadata addresses and blocked ports are refused without a connection", async (t) => {
  const receiver = await startReceiver(t);
  for (const url of [`http://${receiver.host}/`, "http://169.254.169.254/latest/meta-data", "http://[::1]:8080/", "https://10.0.0.1/"])
    assert.match((await sender({}).outcome(url)).reason ?? "", /^The address is blocked/, url);
  assert.equal(receiver.connections(), 0);
});

test("a refused connection is reported as such", async (t) => {
  const receiver = await startReceiver(t);
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  assert.notEqual(port, receiver.port);
  assert.equal((await sender({ allowed: "127.0.0.1" }).outcome(`http://127.0.0.1:${port}/`)).reason, "The server refused the connection.");
});
