/** Several API processes behind the shipped balancer: what callers notice when one ends. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, type Server } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../scripts/stack/ports.ts";
import { eventually } from "../support/eventually.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { hasBalancer, startBalancer } from "./balancer.ts";

const skip = hasBalancer ? false : "HAProxy is not installed: apt-get install haproxy";
const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00", "<h1>Open") });
const stores = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });

/** Processes at 127.0.0.2, .3, …, each listed by the name server while it runs, and load from four callers until `stop`. */
async function startScaled(t: TestContext, count: number) {
  const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  const running = new Map<number, ReturnType<typeof spawnServer>>();
  let last = 1;
  const start = async () => {
    last += 1;
    const own = last;
    const settings = { PORT, METRICS_PORT, HOST: `127.0.0.${own}`, MAX_CONCURRENT_SCREENSHOTS: "1", TRUST_PROXY: "127.0.0.1" };
    const server = spawnServer(t, { ...stores.env, ...settings });
    running.set(own, server);
    await server.printed('"msg":"ready"');
    server.exited.then(() => running.delete(own));
    return server;
  };
  for (let index = 0; index < count; index += 1) await start();
  const balancer = await startBalancer(t, () => [...running.keys()].map((own) => [127, 0, 0, own]), PORT);
  const isReady = async () => (await fetch(`${balancer.origin}/health/ready`)).status === 200;
  await eventually("the balancer answers", () => isReady().catch(() => false)); // it isn't listening immediately

  const { key, userId } = await stores.createAccount({ plan: "enterprise" });
  const answers: string[] = [];
  let isOver = false;
  const callers = Array.from({ length: 4 }, async (_, caller) => {
    for (let shot = 0; !isOver; shot += 1) {
      const query = new URLSearchParams({ api_key: key, url: `${site.origin}/?shot=${caller}-${shot}`, timeout: "60" });
      const response = await fetch(`${balancer.origin}/v1/screenshots/take?${query}`).catch((error: Error) => error);
      const body = response instanceof Error ? undefined : await response.arrayBuffer().catch((error: Error) => error);
      const isImage = response instanceof Response && response.status === 200 && body instanceof ArrayBuffer && body.byteLength > 1000;
      if (isImage) answers.push("image");
      else if (response instanceof Error) answers.push(`${response.message}: ${response.cause}`);
      else answers.push(`${response.status} ${body instanceof ArrayBuffer ? Buffer.from(body).toString("utf8", 0, 300) : body}`);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(callers);
    return answers;
  };
  t.after(stop);
  const more = async (shots: number) => {
    const wanted = answers.length + shots;
    while (answers.length < wanted) await pause(50);
  };
  return { start, running, more, stop, key, userId, balancer };
}

test("callers don't notice a killed process", { skip }, async (t) => {
  const { start, running, more, stop, key, balancer } = await startScaled(t, 3);
  for (let round = 0; round < 3; round += 1) {
    await more(8);
    const [victim] = running.values();
    victim?.child.kill("SIGKILL");
    await more(8);
    await start();
  }
  const answers = await stop();
  assert.deepEqual([...new Set(answers)], ["image"]);
  assert.ok(answers.length >= 48, `${answers.length} answers`);
  assert.ok(!balancer.output().includes(key), "the balancer's log contains a key");
});

test("a rolling restart under load fails no requests and charges each image once", { skip }, async (t) => {
  const { start, running, more, stop, userId } = await startScaled(t, 3);
  await more(8);
  for (const old of [...running.values()]) {
    await start();
    await more(4);
    old.child.kill("SIGTERM");
    assert.deepEqual(await old.exited, { code: 0, signal: null });
    await more(4);
  }
  const answers = await stop();
  assert.deepEqual([...new Set(answers)], ["image"]);
  const { rows } = await stores.pool.query("select sum(used)::integer as used from usage_periods where user_id = $1", [userId]);
  assert.equal(rows[0].used, answers.length);
});

test("a process that is too busy to answer its health check for four seconds keeps its callers", { skip }, async (t) => {
  const { running, stop, balancer } = await startScaled(t, 1);
  const [busy] = running.values();
  busy?.child.kill("SIGSTOP");
  await pause(3500);
  const late = fetch(`${balancer.origin}/health/live`);
  await pause(500);
  busy?.child.kill("SIGCONT");
  assert.equal((await late).status, 200);
  assert.deepEqual([...new Set(await stop())], ["image"]);
});

test("when no process is left, the balancer responds in the service's error format", { skip }, async (t) => {
  const { origin } = await startBalancer(t, () => [], "1");
  const answered = () => fetch(`${origin}/v1/screenshots/take?url=x`).catch(() => undefined);
  await eventually("the balancer answers", async () => (await answered()) !== undefined);
  const response = await answered();
  assert.deepEqual([response?.status, response?.headers.get("retry-after")], [503, "5"]);
  assert.deepEqual(Object.keys(await response?.json()), ["error", "code", "message", "retryable"]);
});

test("a POST of up to 100 KB is retried on another container if the first one is killed", { skip }, async (t) => {
  const PORT = await freePort();
  let killed = 0;
  const dies = createServer((request, response) => {
    if (request.method === "GET") return void response.end(); // the balancer's checks
    killed += 1;
    request.socket.destroy();
  }).listen(PORT, "127.0.0.2");
  const lives = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    response.end(String(bytes));
  }).listen(PORT, "127.0.0.3");
  t.after(() => dies.close());
  t.after(() => lives.close());
  await Promise.all([once(dies, "listening"), once(lives, "listening")]);
  const { origin } = await startBalancer(t, () => [2, 3].map((own) => [127, 0, 0, own]), String(PORT));
  const send = async (path: string, length: number) => {
    const response = await fetch(`${origin}${path}`, { method: "POST", body: "x".repeat(length) });
    return [response.status, Number(await response.text())];
  };
  await eventually("the balancer knows both", async () => {
    await send("/v1/screenshots/take", 10).catch(() => {});
    return killed > 0;
  });
  for (const path of ["/v1/screenshots/take", "/v1/screenshots/take/"])
    for (let count = 0; count < 10; count += 1) assert.deepEqual(await send(path, 100_000), [200, 100_000]);
  assert.ok(killed >= 5, `${killed} requests reached a container that was killed`);
});

test("requests that no process answers get an error, even on a reused connection", { skip }, async (t) => {
  const PORT = await freePort();
  const ends: Server = createServer((request, response) => {
    if (request.url === "/v1/screenshots/take") request.socket.destroy();
    else response.end();
  });
  ends.listen(PORT, "127.0.0.2");
  t.after(() => ends.close());
  await once(ends, "listening");
  const { origin } = await startBalancer(t, () => [[127, 0, 0, 2]], String(PORT));
  await eventually("the balancer answers", () =>
    fetch(`${origin}/health/ready`)
      .then(({ ok }) => ok)
      .catch(() => false),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const statusOf = async (path: string) => {
    const [response] = (await once(get(`${origin}${path}`, { agent }), "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return response.statusCode;
  };
  assert.deepEqual([await statusOf("/v1"), await statusOf("/v1/screenshots/take"), await statusOf("/v1")], [200, 502, 200]);
});
