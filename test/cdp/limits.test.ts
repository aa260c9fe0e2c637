/** Limits of the browser endpoint: who gets a browser, for how long, how many concurrently, and at what cost; how connections end. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { before, beforeEach, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createApiKey } from "../accounts/accounts.ts";
import { chromiumProcesses, memory, openFiles, profiles } from "../browser/processes.ts";
import { eventually, within } from "../support/eventually.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { exchange } from "../support/raw.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";
import { openClient, refusalOf } from "./client.ts";
import { startEndpoint, type TestEndpoint } from "./endpoint.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let endpoint: TestEndpoint;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#00ff00") });
  endpoint = await startEndpoint(scope, {
    EGRESS_ALLOWED_HOSTS: site.host,
    CDP_MAX_SESSIONS: "3",
    CDP_MAX_SESSIONS_PER_ACCOUNT: "2",
    CDP_MAX_WAIT: "0",
    MAX_CONCURRENT_SCREENSHOTS: "1",
  });
});

/** With CDP_MAX_WAIT=0, a connection is refused until the previous connection's browser has exited. */
const noBrowserIsLent = () => eventually("no browser is lent", () => endpoint.service.services.lent?.running() === 0);
const openNext: typeof openClient = async (...connection) => {
  await noBrowserIsLent();
  return await openClient(...connection);
};

beforeEach(noBrowserIsLent);

const browsers = async () => (await chromiumProcesses()).filter(({ kind }) => kind === "browser");
const emailOf = async (userId: string): Promise<string> =>
  (await endpoint.service.pool.query("select email from users where id = $1", [userId])).rows[0].email;
const sessionsOf = async (userId: string) =>
  (
    await endpoint.service.pool.query(
      "select minutes, ended_at is not null as ended, end_reason from browser_sessions where user_id = $1 order by started_at",
      [userId],
    )
  ).rows;
const usedBy = async (userId: string): Promise<number> =>
  (await endpoint.service.pool.query("select used from usage_periods where user_id = $1", [userId])).rows[0]?.used ?? 0;

test("refused connections get an ordinary error and no browser", async () => {
  const { service, address } = endpoint;
  const { key, userId } = await service.createAccount();
  const email = await emailOf(userId);
  const bound = await createApiKey(service.database, email, { targets: ["example.com"] });
  const signing = await createApiKey(service.database, email, { requireSignature: true });
  const inPages = await createApiKey(service.database, email, { domains: ["example.com"] });
  const { key: limited } = await service.createAccount({ rateLimit: 1 });
  const { key: poor } = await service.createAccount({ quota: 0 });
  await endpoint.service.pool.query("select 1");
  const cases: [address: string, status: number, code: string, message: RegExp, headers?: Record<string, string>][] = [
    [address(""), 401, "invalid_parameters", /api_key is missing.* or in the query parameter token/],
    [address(`${key.slice(0, -4)}aaaa`), 403, "invalid_api_key", /not valid/],
    [address(bound), 403, "target_not_allowed", /restricted to certain targets/],
    [address(signing), 403, "signature_invalid", /can't be signed/],
    [address(inPages), 403, "domain_not_allowed", /restricted to certain domains/],
    [address(inPages), 403, "domain_not_allowed", /not allowed on this domain/, { origin: "https://other.example" }],
    [address(poor), 403, "quota_exceeded", /monthly quota of 0/],
    [address(key, "timeout=1"), 400, "invalid_parameters", /^timeout must be/],
    [address(key).replace("/?", "/chromium/playwright?"), 400, "invalid_parameters", /use chromium\.connectOverCDP/],
  ];
  for (const [target, status, code, message, headers] of cases) {
    const refusal = await refusalOf(target, headers);
    assert.deepEqual(
      [refusal.status, refusal.body.code, refusal.headers["x-error-code"]],
      [status, code, code],
      JSON.stringify(refusal.body),
    );
    assert.match(refusal.body.message, message);
  }
  const first = await openClient(scope, address(limited));
  const refusal = await refusalOf(address(limited));
  assert.deepEqual([refusal.status, refusal.body.code], [429, "rate_limited"]);
  assert.ok(Number(refusal.headers["retry-after"]) > 0);
  first.socket.close();
  const plain = await fetch(`http://${endpoint.authority}/?token=${key}`);
  assert.deepEqual([plain.status, ((await plain.json()) as { code: string }).code], [400, "invalid_parameters"]);
  assert.equal(await usedBy(userId), 0);
});

test("a message that arrives in more than 8,192 pieces closes the connection", async () => {
  const { service, authority } = endpoint;
  const { key } = await service.createAccount();
  const { hostname, port } = new URL(`http://${authority}`);
  const client = connect({ host: hostname, port: Number(port), noDelay: true });
  scope.after(() => void client.destroy());
  const received: Buffer[] = [];
  client.on("data", (chunk: Buffer) => received.push(chunk));
  client.on("error", () => {}); // the server doesn't read on
  client.write(
    `GET /?token=${key} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  await eventually("the connection is open", () => /^HTTP\/1\.1 101 .*\r\n\r\n$/s.test(String(Buffer.concat(received))));
  received.length = 0;
  const head = Buffer.from("81ff000000000070000000000000", "hex"); // a masked text of 7 MB
  client.write(head);
  let pieces = 0;
  for (; received.length === 0 && pieces < 100_000; pieces += 1) {
    client.write("a".repeat(30));
    await setImmediate();
  }
  const close = Buffer.concat(received);
  assert.deepEqual([close[0], close.readUInt16BE(2)], [0x88, 1008]);
  assert.ok(pieces >= 8_192, `${pieces}`);
});

test("a refused connection is closed, whether or not its client closes its side", async () => {
  const { hostname, port } = new URL(`http://${endpoint.authority}`);
  const upgrade =
    "GET /?token=none HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
  const before = await openFiles();
  const clients = Array.from({ length: 20 }, () => connect({ host: hostname, port: Number(port), allowHalfOpen: true }));
  scope.after(() => clients.forEach((client) => void client.destroy()));
  const answers = clients.map(async (client) => {
    client.write(upgrade);
    return await text(client);
  });
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 403 /);
  const [closing, ...open] = clients;
  closing?.end();
  await eventually("this side of every connection is closed", async () => (await openFiles()) <= before + open.length + 2);
});

longTest("an upgrade with a body is answered like any other request, and is no WebSocket handshake", async () => {
  const { key } = await endpoint.service.createAccount();
  const handshake = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
  const cases: [line: string, headers: string, status: number, code: string | undefined][] = [
    ["GET /json/version", "Content-Length: 50\r\n", 401, "invalid_parameters"],
    [`GET /json/version?token=${key}`, "Content-Length: 50\r\n", 200, undefined],
    ["GET /", `${handshake}Content-Length: 5\r\n`, 400, "invalid_parameters"],
    [`GET /?token=${key}`, `${handshake}Content-Length: 5\r\n`, 400, "invalid_parameters"],
    [`GET /?token=${key}`, `${handshake}Transfer-Encoding: chunked\r\n`, 400, "invalid_parameters"],
    [`GET /?token=${key}`, "Content-Length: 5\r\n", 400, "invalid_parameters"],
    ["GET /nothing", "Content-Length: 50\r\n", 404, "not_found"],
    ["POST /nothing", "Content-Length: 50\r\n", 404, "not_found"],
    ["POST /json/version", "Content-Type: application/json\r\nContent-Length: 50\r\n", 405, "method_not_allowed"],
  ];
  for (const [line, headers, status, code] of cases) {
    const sent = `${line} HTTP/1.1\r\nHost: ${endpoint.authority}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`;
    const [answer] = await exchange(`http://${endpoint.authority}`, { pieces: [sent] });
    assert.deepEqual([answer?.status, answer && JSON.parse(answer.body.toString()).code], [status, code], `${line}: ${answer?.body}`);
  }
});

longTest("an upgrade behind unanswered requests closes the connection once these have been answered", async () => {
  const { key } = await endpoint.service.createAccount();
  const read = (token: string) => `GET /json/version?token=${token} HTTP/1.1\r\nHost: ${endpoint.authority}\r\n\r\n`;
  const upgrade = `GET /?token=${key} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n`;
  const cases: [sent: string, statuses: number[]][] = [
    [`${read("none")}${upgrade}\r\n`, [403]],
    [`${read(key)}${read("none")}${read(key)}${upgrade}\r\n${read(key)}`, [200, 403, 200]],
    [`${read(key)}${upgrade}Content-Length: 5\r\n\r\nab`, [200]],
    [`${read(key)}${upgrade}Content-Length: 5\r\n\r\nabcde`, [200]],
  ];
  for (const [sent, statuses] of cases) {
    const answers = await exchange(`http://${endpoint.authority}`, { pieces: [sent] });
    assert.deepEqual(
      answers.map(({ status }) => status),
      statuses,
      sent,
    );
  }
});

test("/json/version, with or without a slash, returns the WebSocket URL with the same query; the key may be in a header", async () => {
  const { key } = await endpoint.service.createAccount();
  for (const path of ["/json/version", "/json/version/"]) {
    const answer = await fetch(`http://${endpoint.authority}${path}?token=${key}&timeout=5000`);
    assert.equal(answer.headers.get("x-warnings"), null);
    const { webSocketDebuggerUrl, ...rest } = (await answer.json()) as Record<string, string>;
    assert.equal(webSocketDebuggerUrl, `ws://${endpoint.authority}/?token=${key}&timeout=5000`);
    assert.match(rest.Browser ?? "", /^Chrome\/\d+\./);
  }
  const launched = await fetch(`http://${endpoint.authority}/json/version?token=${key}&launch=%7B%7D&stealth`);
  assert.equal(launched.headers.get("x-warnings"), "unknown parameters were ignored: launch, stealth");
  assert.equal((await fetch(`http://${endpoint.authority}/json/version`)).status, 401);
  const byHeader = await openClient(scope, `ws://${endpoint.authority}/devtools/browser/1?launch=%7B%7D`, {
    authorization: `Bearer ${key}`,
  });
  assert.match(String((await byHeader.send("Browser.getVersion")).product), /Chrome/);
  byHeader.socket.close();
});

test("an account's browser limit applies across its keys, and doesn't affect browsers for captures", async () => {
  const { service, address } = endpoint;
  const { key, userId } = await service.createAccount();
  const otherKey = await createApiKey(service.database, await emailOf(userId));
  const clients = [await openClient(scope, address(key)), await openClient(scope, address(otherKey))];
  const refusal = await refusalOf(address(otherKey));
  assert.deepEqual([refusal.status, refusal.body.code], [429, "queue_full"]);
  assert.ok(Number(refusal.headers["retry-after"]) > 0);
  const { key: another } = await service.createAccount();
  clients.push(await openClient(scope, address(another)));
  const { key: third } = await service.createAccount();
  assert.equal((await refusalOf(address(third))).status, 429);
  assert.equal((await service.take({ api_key: third, url: site.origin })).status, 200);
  for (const { socket } of clients) socket.close();
  await eventually("the browsers exit", async () => (await browsers()).length === 1);
  assert.equal(await usedBy(userId), 2);
});

longTest("Browser.close, a disconnect and the time limit each end the browser and remove its profile", async () => {
  const { service, address } = endpoint;
  const { key, userId } = await service.createAccount();
  const closing = await openClient(scope, address(key));
  assert.deepEqual(await closing.send("Browser.close"), {});
  assert.deepEqual(await within("the close", closing.closed), { code: 1000, reason: "The browser was closed." });
  const leaving = await openNext(scope, address(key));
  leaving.socket.terminate();
  const late = await openNext(scope, address(key, "timeout=1000"));
  assert.deepEqual(await within("the time limit", late.closed), { code: 1008, reason: "The time limit of 1 s was reached." });
  await eventually("the browsers exit", async () => (await browsers()).length === 1);
  await eventually("the profiles are gone", async () => (await profiles()).length === 1);
  await eventually("the ends of the connections are recorded", async () => (await sessionsOf(userId)).every(({ ended }) => ended));
  assert.deepEqual(await sessionsOf(userId), [
    { minutes: 1, ended: true, end_reason: "The browser was closed." },
    { minutes: 1, ended: true, end_reason: "The client closed the connection (1006)." },
    { minutes: 1, ended: true, end_reason: "The time limit of 1 s was reached." },
  ]);
});

longTest("a killed browser ends only its own connection", async () => {
  const { service, address } = endpoint;
  const { key } = await service.createAccount();
  const before = new Set((await browsers()).map(({ pid }) => pid));
  const client = await openClient(scope, address(key));
  const [own] = (await browsers()).filter(({ pid }) => !before.has(pid));
  process.kill(own?.pid ?? 0, "SIGKILL");
  assert.deepEqual(await within("the close", client.closed), { code: 1011, reason: "The browser exited." });
  assert.equal((await service.take({ api_key: key, url: site.origin })).status, 200);
});

longTest("a browser that transfers more than its data limit ends its connection", async (t) => {
  const chunk = Buffer.alloc(1024 * 1024);
  const flood = createServer((_request, response) => {
    response.writeHead(200, { "access-control-allow-origin": "*" });
    const write = () => {
      while (!response.destroyed) if (!response.write(chunk)) return void response.once("drain", write);
    };
    write();
  });
  t.after(() => flood.close().closeAllConnections());
  await once(flood.listen(0, "127.0.0.1"), "listening");
  const { port } = flood.address() as AddressInfo;
  const settings = { EGRESS_ALLOWED_HOSTS: `${site.host},127.0.0.1:${port}`, CDP_SESSION_TIMEOUT: "60000" }; // 200 MB
  const { service, address } = await startEndpoint(t, settings);
  const { key } = await service.createAccount();
  const client = await openClient(t, address(key));
  const { sessionId } = await client.openPage();
  await client.send("Page.navigate", { url: site.origin }, sessionId);
  const expression = `fetch("http://127.0.0.1:${port}/").then(({ body }) => body.pipeTo(new WritableStream()))`;
  await client.send("Runtime.evaluate", { expression }, sessionId);
  assert.deepEqual(await within("the data limit", client.closed), { code: 1008, reason: "The browser exceeded its limit on data." });
});

test("an invalid protocol message closes the connection with a code and a reason", async () => {
  const { key } = await endpoint.service.createAccount();
  const messages: [message: string | Buffer, code: number, reason: RegExp][] = [
    ["{", 1007, /not JSON/],
    ['{"id":1,"guid":"","method":"initialize"}', 1008, /connectOverCDP/],
    ...onlyLong<[message: string | Buffer, code: number, reason: RegExp]>([
      [Buffer.from("{}"), 1003, /text, not binary/],
      ['{"method":"Browser.getVersion"}', 1007, /needs an id/],
      [`{"id":1,"method":"Runtime.evaluate","params":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`, 1007, /nested too deeply/],
      ["x".repeat(33 * 1024 * 1024), 1009, /^$/],
    ]),
  ];
  for (const [message, code, reason] of messages) {
    const client = await openNext(scope, endpoint.address(key));
    client.socket.send(message);
    const closed = await within("the close", client.closed);
    assert.equal(closed.code, code, String(message).slice(0, 60));
    assert.match(closed.reason, reason);
  }
});

test("each started minute costs one screenshot; when the quota is used up, the connection ends", async (t) => {
  const short = await startEndpoint(t, {}, 200);
  const { key, userId } = await short.service.createAccount({ quota: 3 });
  const client = await openClient(t, short.address(key));
  const { code, reason } = await within("the end of the quota", client.closed);
  assert.deepEqual([code, /^The monthly quota of 3 screenshots is used up/.test(reason)], [1008, true]);
  const { rows } = await short.service.pool.query(
    "select s.minutes, p.used from browser_sessions s join usage_periods p using (user_id) where user_id = $1",
    [userId],
  );
  assert.deepEqual(rows, [{ minutes: 3, used: 3 }]);
  await eventually("its end is recorded", async () => {
    const ended = "select end_reason from browser_sessions where user_id = $1 and ended_at is not null";
    return (await short.service.pool.query(ended, [userId])).rows[0]?.end_reason === reason;
  });
});

longTest("a revoked key's connections end at the next minute", async (t) => {
  const short = await startEndpoint(t, {}, 200);
  const { key, userId } = await short.service.createAccount();
  const client = await openClient(t, short.address(key));
  await short.service.pool.query("update api_keys set revoked_at = now() where user_id = $1", [userId]);
  assert.deepEqual(await within("the close", client.closed), {
    code: 1008,
    reason: "The API key is not valid. Valid keys are listed in the dashboard under API keys.",
  });
});

longTest("a shutdown closes connections with 1001, refuses new ones with 503, and leaves no browser", async (t) => {
  const other = await startEndpoint(t);
  const { key } = await other.service.createAccount();
  const client = await openClient(t, other.address(key));
  other.service.services.stopAdmitting();
  assert.deepEqual(await within("the close", client.closed), { code: 1001, reason: "The service is shutting down." });
  assert.deepEqual([(await refusalOf(other.address(key))).status], [503]);
  await other.service.stop();
  await eventually("its browsers are gone", async () => (await browsers()).length === 1);
});

longTest("a client that doesn't read makes the browser wait instead of filling memory", async () => {
  const { key } = await endpoint.service.createAccount();
  const [slow, other] = [await openClient(scope, endpoint.address(key)), await openClient(scope, endpoint.address(key))];
  const megabyte = 1024 * 1024;
  const answersOf = async ({ send, openPage }: typeof slow) => {
    const { sessionId } = await openPage();
    return () => send("Runtime.evaluate", { expression: `"x".repeat(${megabyte})` }, sessionId);
  };
  const held = async () => {
    await memory(); // triggers a garbage collection
    return process.memoryUsage().arrayBuffers;
  };
  const [ofSlow, ofOther] = [await answersOf(slow), await answersOf(other)];
  const before = await held();
  slow.socket.pause();
  const answers = Array.from({ length: 60 }, ofSlow);
  for (let count = 0; count < 60; count += 1) await ofOther(); // as many, so the slow client's would have arrived by then
  const more = (await held()) - before;
  assert.ok(more < 30 * megabyte, `${Math.round(more / megabyte)} of the 60 MB are in memory`);
  slow.socket.resume();
  const all = (await Promise.all(answers)) as { result: { value: string } }[];
  assert.ok(all.every(({ result }) => result.value.length === megabyte));
  for (const { socket } of [slow, other]) {
    socket.close();
    await once(socket, "close");
  }
});
