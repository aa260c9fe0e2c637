/** The production process: start, shutdown, and recovery after a kill. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { pino } from "pino";
import { freePort } from "../../scripts/stack/ports.ts";
import { createQuotaSweep } from "../../src/accounts/usage/sweep.ts";
import { eventually, within } from "../support/eventually.ts";
import { inParallel } from "../support/in-parallel.ts";
import { longOnly } from "../support/long-only.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { createSite, type Site } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
/** Provides accounts and stores; the process under test is a different one. */
let stores: TestService;

before(async () => {
  site = await createSite(scope, {
    "/slow": (_, response) => void setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end("<h1>slow"), 300),
  });
  stores = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

async function environment(settings: Record<string, string> = {}): Promise<Record<string, string>> {
  return { ...stores.env, HOST: "127.0.0.1", PORT: String(await freePort()), METRICS_PORT: String(await freePort()), ...settings };
}

/** Starts a few requests, each for a different screenshot. */
function load(port: string | undefined, key: string, count: number, path = "/slow"): Promise<Response[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      fetch(
        `http://127.0.0.1:${port}/v1/screenshots/take?${new URLSearchParams({ api_key: key, url: site.origin + path, width: String(100 + index), height: "50" })}`,
      ),
    ),
  );
}

longTest("if the port is in use, the process ends with code 1 and a message", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const server = spawnServer(t, await environment({ PORT: String(port) }));
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  assert.match(server.output(), new RegExp(`port ${port} is already in use`));
});

longTest("if HOST is not an address of this machine, the process ends with a message that names HOST", async (t) => {
  for (const HOST of ["192.0.2.1", "nothing.invalid"]) {
    const server = spawnServer(t, await environment({ HOST }));
    assert.deepEqual(await server.exited, { code: 1, signal: null });
    assert.match(server.output(), new RegExp(`HOST is \\\\"${HOST}\\\\", which is not an address of this machine`));
  }
});

test("SIGTERM under load: running and queued captures are delivered, and the exit code is 0", async (t) => {
  const env = await environment({ MAX_CONCURRENT_SCREENSHOTS: "2" });
  const server = spawnServer(t, env);
  await server.printed('"msg":"ready"');
  const { key, userId } = await stores.createAccount();
  const released = Promise.withResolvers<void>();
  site.serve({ "/held": (_, response) => void released.promise.then(() => response.end("<h1>held")) });
  const answers = load(env.PORT, key, 8, "/held");
  const metrics = async () => await (await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`)).text();
  await eventually("two are running and six are waiting", async () => /^tintype_queue_length 6$/m.test(await metrics()));
  server.child.kill("SIGTERM");
  await server.printed("waiting for running captures");
  released.resolve();
  const responses = await answers;
  for (const response of responses) {
    const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
    assert.equal(response.status, 200, body.slice(0, 300));
  }
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  // Everything that was delivered is recorded and stored.
  const { rows } = await stores.pool.query(
    "select status, count(*)::int, count(object_key)::int as stored from screenshots where user_id = $1 group by status order by status",
    [userId],
  );
  assert.deepEqual(rows, [{ status: "done", count: 8, stored: 8 }]);
  const used = await stores.pool.query("select used from usage_periods where user_id = $1", [userId]);
  assert.deepEqual(used.rows, [{ used: 8 }]);
});

longTest("a second signal exits immediately", async (t) => {
  const env = await environment();
  const server = spawnServer(t, env);
  await server.printed('"msg":"ready"');
  site.serve({ "/stuck": () => server.child.kill("SIGTERM") });
  const { key } = await stores.createAccount();
  const answer = fetch(
    `http://127.0.0.1:${env.PORT}/v1/screenshots/take?${new URLSearchParams({ api_key: key, url: `${site.origin}/stuck` })}`,
  ).catch((error) => error);
  await server.printed("waiting for running captures");
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  assert.ok((await answer) instanceof Error);
});

test("when a process is killed during a capture, the sweep refunds its reservation", async (t) => {
  const env = await environment();
  const server = spawnServer(t, env);
  await server.printed('"msg":"ready"');
  const { key, userId } = await stores.createAccount();
  const arrived = Promise.withResolvers<void>();
  site.serve({ "/never": () => arrived.resolve() });
  const answer = fetch(
    `http://127.0.0.1:${env.PORT}/v1/screenshots/take?${new URLSearchParams({ api_key: key, url: `${site.origin}/never` })}`,
  ).catch((error) => error);
  await arrived.promise;
  server.child.kill("SIGKILL");
  assert.ok((await answer) instanceof Error);
  const used = async () => (await stores.pool.query("select used from usage_periods where user_id = $1", [userId])).rows;
  assert.deepEqual(await used(), [{ used: 1 }]);
  await stores.pool.query("update screenshots set lease_until = now() - interval '1 second' where user_id = $1", [userId]);
  const sweep = createQuotaSweep({ database: stores.database, log: pino({ level: "silent" }) });
  t.after(() => sweep.close());
  assert.ok((await sweep.run()) >= 1);
  assert.deepEqual(await used(), [{ used: 0 }]);
});

longTest("SIGTERM ends the process with code 0 even if the reader of its output has exited", async (t) => {
  const env = await environment();
  const server = spawnServer(t, env);
  await server.printed('"msg":"ready"');
  server.child.stdout?.destroy();
  server.child.stderr?.destroy();
  await fetch(`http://127.0.0.1:${env.PORT}/v1/screenshots/take`); // lines that no one has read
  server.child.kill("SIGTERM");
  assert.deepEqual(await within("it has ended", server.exited), { code: 0, signal: null });
});

longTest("SIGTERM ends the process even if nobody reads its output and the pipe is full", async (t) => {
  const env = await environment();
  const server = spawnServer(t, env);
  await server.printed('"msg":"ready"');
  server.child.stdout?.pause();
  const address = `http://127.0.0.1:${env.PORT}/v1/screenshots/${"long".repeat(200)}`;
  await inParallel(2_000, 20, async () => void (await (await fetch(address)).arrayBuffer()));
  server.child.kill("SIGTERM");
  assert.deepEqual(await within("it has ended", server.exited), { code: null, signal: "SIGKILL" }); // its own signal
});

longTest("log lines have no duplicate fields: browsers use browserPid, not pid", async (t) => {
  const env = await environment();
  const server = spawnServer(t, env);
  await server.printed('"msg":"ready"');
  const { key } = await stores.createAccount();
  site.serve({ "/endless": "<script>for (;;);</script>" });
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/endless`, timeout: "1" });
  assert.equal((await fetch(`http://127.0.0.1:${env.PORT}/v1/screenshots/take?${query}`)).status, 400);
  await server.printed("browser replaced");
  server.child.kill("SIGTERM");
  await server.exited;
  const lines = server.output().trim().split("\n");
  for (const line of lines) assert.equal(JSON.stringify(JSON.parse(line)), line); // when parsed, the last of two duplicates wins
  for (const words of ["browser started", "browser replaced"]) {
    const { pid, browserPid } = JSON.parse(lines.find((line) => line.includes(words)) ?? "");
    assert.equal(pid, server.child.pid);
    assert.ok(browserPid > 0 && browserPid !== pid, words);
  }
});

longTest("metrics are served on a separate port and count requests", async (t) => {
  const env = await environment();
  const server = spawnServer(t, env);
  await server.printed('"msg":"ready"');
  assert.equal((await fetch(`http://127.0.0.1:${env.PORT}/metrics`)).status, 404);
  const { key } = await stores.createAccount();
  const [response] = await load(env.PORT, key, 1);
  assert.equal(response?.status, 200);
  await response?.arrayBuffer();
  await fetch(`http://127.0.0.1:${env.PORT}/v1/screenshots/take`);
  const metrics = await (await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`)).text();
  for (const line of [
    'tintype_http_requests_total{route="/v1/screenshots/take",status="200"} 1',
    'tintype_failures_total{code="invalid_parameters"} 1',
    'tintype_captures_total{format="jpeg"} 1',
    'tintype_capture_seconds_count{phase="shoot"} 1',
    'tintype_browser_slots{state="started"} 1',
    "tintype_queued_captures 0",
  ]) {
    assert.ok(
      metrics.includes(line),
      `${line} is not in:\n${metrics
        .split("\n")
        .filter((text) => text.startsWith("tintype"))
        .join("\n")}`,
    );
  }
});
