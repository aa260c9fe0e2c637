/** Bodies that never end use a bounded share of memory, and leave room for other callers' bodies. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { before, test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { exchange } from "../../support/raw.ts";
import { fileScope, type Scope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";

const longTest = longOnly(test);
const scope = fileScope();
let service: TestService;

before(async () => {
  service = await startService(scope, { ROLE: "api", TRUST_PROXY: "127.0.0.1" });
});

const most = 4 * 1024 * 1024 - 1;
const paths = ["/v1/screenshots/take", "/v1/captures", "/v1/batches", "/v1/compare"];

interface Sender {
  address: string;
  headerKey?: string;
  /** Headers to send before the body's length. */
  others?: string;
}

/** Clients that announce 4 MB and send all but the last byte. */
function hold(t: Scope, { address, headerKey, others = "" }: Sender, count: number, bytes = most): Socket[] {
  const { hostname, port } = new URL(service.origin);
  const body = Buffer.alloc(bytes, " ");
  return Array.from({ length: count }, (_, index) => {
    const socket = connect(Number(port), hostname).on("error", () => {}); // one that is refused
    t.after(() => socket.destroy());
    const keyLine = headerKey ? `X-API-Key: ${headerKey}\r\n` : "";
    const head = `POST ${paths[index % paths.length]} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n${keyLine}`;
    socket.write(`${head}Content-Type: application/json\r\n${others}Content-Length: ${bytes + 1}\r\n\r\n`);
    socket.write(body);
    return socket;
  });
}

/**
 * Sends `count` incomplete bodies, more than fit, of 60 KB, which the service reads at once. Resolves once one is refused, so that none of a
 * megabyte fits.
 */
async function fill(t: Scope, sender: Sender, count: number): Promise<Socket[]> {
  const sockets = hold(t, sender, count, 60 * 1024);
  let refusals = 0;
  for (const socket of sockets) socket.once("data", () => (refusals += 1));
  await eventually("the share is used up", () => refusals > 0);
  return sockets;
}

/** The status for a complete body of one megabyte. */
async function post(
  { address, headerKey }: Sender,
  bodyKey?: string,
): Promise<{ status: number; message: string; retryAfter: string | null }> {
  const members = { html: "x", dry_run: true, ...(bodyKey ? { api_key: bodyKey } : {}) };
  const response = await fetch(`${service.origin}/v1/screenshots/take`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address, ...(headerKey ? { "x-api-key": headerKey } : {}) },
    body: `${JSON.stringify(members)}${" ".repeat(1_000_000)}`,
  });
  const { message = "" } = await response.json();
  return { status: response.status, message, retryAfter: response.headers.get("retry-after") };
}

test("bodies whose length follows hundreds of other headers are counted as well", async (t) => {
  const sender = { address: "192.0.2.3", others: "a:\r\n".repeat(990) };
  await fill(t, sender, 160);
  assert.equal((await post(sender, (await service.createAccount()).key)).status, 503);
});

test("endless bodies without a key use up only their address's share: keys in headers and other addresses are still accepted", async (t) => {
  const { key } = await service.createAccount();
  const [flood, other] = ["192.0.2.1", "192.0.2.2"];
  const sockets = await fill(t, { address: flood }, 160);
  const refused = await post({ address: flood }, key);
  assert.equal(refused.status, 503);
  assert.match(refused.message, /Too many large requests/);
  assert.equal(refused.retryAfter, "1");
  assert.equal((await post({ address: flood, headerKey: key })).status, 200);
  assert.equal((await post({ address: other }, key)).status, 200);
  const signIn = await fetch(`${service.origin}/v1/auth/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: "http://localhost:3001", "x-forwarded-for": other },
    body: JSON.stringify({ email: "a@example.com", password: "wrong" }),
  });
  assert.equal(signIn.status, 401);
  for (const socket of sockets) socket.destroy();
  await eventually("there is room again", async () => (await post({ address: flood }, key)).status === 200);
});

test("an account's incomplete bodies use up only its own share: another account's are still accepted", async (t) => {
  const [{ key: flood }, { key: other }] = [await service.createAccount(), await service.createAccount()];
  const address = "192.0.2.3";
  const sockets = await fill(t, { address, headerKey: flood }, 900);
  assert.equal((await post({ address, headerKey: flood })).status, 503);
  assert.equal((await post({ address, headerKey: other })).status, 200);
  assert.equal((await post({ address }, flood)).status, 503, "wherever its key is");
  assert.equal((await post({ address }, other)).status, 200);
  for (const socket of sockets) socket.destroy();
  await eventually("there is room again", async () => (await post({ address, headerKey: flood })).status === 200);
});

longTest("an address can have at most 256 incomplete bodies without a key, however small", async (t) => {
  const { key } = await service.createAccount();
  const [flood, other] = ["192.0.2.4", "192.0.2.5"];
  const sockets = hold(t, { address: flood }, 257, 10);
  await eventually("one more is refused", async () => (await post({ address: flood }, key)).status === 503);
  assert.equal((await post({ address: flood, headerKey: key })).status, 200);
  assert.equal((await post({ address: other }, key)).status, 200);
  for (const socket of sockets) socket.destroy();
  await eventually("there is room again", async () => (await post({ address: flood }, key)).status === 200);
});

longTest("tiny chunks count as more than their bytes, and an account can have at most 1,024 incomplete bodies", async (t) => {
  const [{ key: flood }, { key: other }] = [await service.createAccount(), await service.createAccount()];
  const address = "192.0.2.6";
  const sockets = hold(t, { address, headerKey: flood }, 1_025, 10);
  await eventually("one more is refused", async () => (await post({ address, headerKey: flood })).status === 503);
  assert.equal((await post({ address, headerKey: other })).status, 200);
  for (const socket of sockets) socket.destroy();
  await eventually("there is room again", async () => (await post({ address, headerKey: flood })).status === 200);
  const { hostname, port } = new URL(service.origin);
  const head = `POST /v1/captures HTTP/1.1\r\nHost: a\r\nX-API-Key: ${flood}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  for (let count = 0; count < 100; count += 1) {
    const socket = connect(Number(port), hostname).on("error", () => {}); // one that is refused
    t.after(() => socket.destroy());
    socket.write(`${head}${"1\r\n \r\n".repeat(1_900)}`);
  }
  await eventually("one more is refused", async () => (await post({ address, headerKey: flood })).status === 503);
  assert.equal((await post({ address, headerKey: other })).status, 200);
});

test("a wrong key in a header, or a request to /mcp without a key, is rejected before the body has arrived", async () => {
  const head = (path: string, more = "") =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}Content-Type: application/json\r\n`;
  for (const path of ["/mcp", ...paths]) {
    const wrong = path === "/mcp" ? "" : "X-API-Key: sk_wrong\r\n";
    const [answer] = await exchange(service.origin, { pieces: [`${head(path, wrong)}Content-Length: ${most}\r\n\r\n`] });
    assert.deepEqual([answer?.status, JSON.parse(String(answer?.body)).code], [403, "invalid_api_key"], path);
  }
});

longTest("a body in thousands of small chunks is harmless in a request whose body nobody reads", async (t) => {
  const { hostname, port } = new URL(service.origin);
  const chunks = "1\r\nx\r\n".repeat(2_500); // without an end
  for (const method of ["GET", "HEAD"])
    for (const path of ["/health", "/health/ready", "/openapi.json", "/nothing"]) {
      const socket = connect(Number(port), hostname).on("error", () => {}); // the service may close it while it still receives
      t.after(() => socket.destroy());
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
      await once(socket, "data");
      for (let count = 0; count < 3; count += 1)
        assert.equal((await fetch(`${service.origin}/health/live`)).status, 200, `${method} ${path}`);
    }
});

longTest("a body in very many small chunks is rejected before they cost memory and time; a few thousand are accepted", async () => {
  const head = (key: string) =>
    `POST /v1/screenshots/take HTTP/1.1\r\nHost: a\r\n${key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  const { key } = await service.createAccount();
  const withKey = head(`X-API-Key: ${key}\r\n`);
  const body = `{"html":"x","dry_run":true}${" ".repeat(1_500)}`;
  const chunks = Array.from(body, (character) => `1\r\n${character}\r\n`).join("");
  const [few] = await exchange(service.origin, { pieces: [`${withKey}${chunks}0\r\n\r\n`] });
  assert.equal(few?.status, 200, String(few?.body));
  for (const start of [withKey, head("")]) {
    const sent = `${start}${"1\r\n \r\n".repeat(400_000)}`;
    const { result, ms } = await longestTurnAtBest(() => exchange(service.origin, { pieces: [sent] }));
    assert.deepEqual([result[0]?.status, JSON.parse(String(result[0]?.body)).code], [413, "payload_too_large"]);
    assert.ok(ms < 100, `${ms} ms`);
  }
});
