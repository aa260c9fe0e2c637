/**
 * Pages that cause as much work for the service as they can. Prints what other callers notice of each: the latency of `/health/live`,
 * requested at a fixed rate, and the delay of the service's event loop. Quiet machine: `/health/live` stays below 50 ms at p95.
 */

import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { after, before, test } from "node:test";
import { freePort } from "../../scripts/stack/ports.ts";
import { type ServerProcess, spawnProcess, spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { type Flood, floods } from "./pages.ts";

const scope = fileScope();
const timeoutSeconds = 6;
const probeEveryMs = 10;

let server: ServerProcess;
let origin: string;
let siteOrigin: string;
let apiKey: string;
const rows: string[][] = [];

before(async () => {
  const site = spawnProcess(scope, [process.execPath, "test/floods/site.ts"], {});
  await site.printed("listening on ");
  const sitePort = /listening on (\d+)/.exec(site.output())?.[1];
  siteOrigin = `http://127.0.0.1:${sitePort}`;
  const stores = await startService(scope);
  apiKey = (await stores.createAccount()).key;
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  server = spawnServer(scope, {
    ...stores.env,
    HOST: "127.0.0.1",
    PORT: String(port),
    METRICS_PORT: String(await freePort()),
    EGRESS_ALLOWED_HOSTS: `127.0.0.1:${sitePort},localhost:${sitePort}`,
    NODE_OPTIONS: "--import ./test/floods/report-loop-delay.ts",
  });
  await server.printed('"msg":"ready"');
});

after(() => {
  const head = ["flood", "ends in", "after s", "late", "live p50", "p95", "max", "loop p95", "max", "CPU", "probe p95"];
  console.log("\nMilliseconds, except for `after`. `late`: past the capture's deadline. `probe`: the event loop of the test itself.");
  for (const [name = "", end = "", ...cells] of [head, ...rows])
    console.log(name.padEnd(48) + end.padEnd(16) + cells.map((cell) => cell.padStart(10)).join(""));
});

for (const [index, flood] of floods.entries()) {
  test(`a flood ends before its deadline, and nobody else waits for it: ${flood.name}`, async () => {
    const { end, statuses } = await measure(flood, index);
    assert.match(end, /^(image|page_too_heavy|target_timeout)$/);
    assert.deepEqual(new Set(statuses), new Set([200]));
  });
}

async function measure({ name, parameters = {} }: Flood, index: number): Promise<{ end: string; statuses: number[] }> {
  const ownLoop = monitorEventLoopDelay({ resolution: 5 });
  await loopDelay(); // it starts again from here
  ownLoop.enable();
  const stopProbing = startProbing();
  const started = performance.now();
  const query = { api_key: apiKey, url: `${siteOrigin}/flood/${index}`, timeout: `${timeoutSeconds}`, width: "400", height: "300" };
  const response = await fetch(`${origin}/v1/screenshots/take?${new URLSearchParams({ ...query, ...parameters })}`);
  const body = Buffer.from(await response.arrayBuffer()).toString();
  const seconds = (performance.now() - started) / 1000;
  const probes = await stopProbing();
  const loop = await loopDelay();
  ownLoop.disable();
  const end = response.status === 200 ? "image" : String(JSON.parse(body).code);
  const times = probes.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] ?? 0;
  const late = Math.max(0, seconds - timeoutSeconds) * 1000;
  const figures = [late, at(0.5), at(0.95), at(1), loop.p95, loop.max, loop.cpu, ownLoop.percentile(95) / 1e6];
  rows.push([name, end, seconds.toFixed(1), ...figures.map((ms) => ms.toFixed(0))]);
  return { end, statuses: probes.map(({ status }) => status) };
}

interface Probe {
  status: number;
  /** Since it was due. */
  ms: number;
}

/** Requests `/health/live` at fixed times, whether or not earlier answers have come. The returned function stops that. */
function startProbing(): () => Promise<Probe[]> {
  const agent = new Agent({ keepAlive: true });
  const probes: Promise<Probe>[] = [];
  let due = performance.now();
  const probe = (since: number) =>
    new Promise<Probe>((resolve, reject) => {
      const request = get(`${origin}/health/live`, { agent }, (response) => {
        response.resume().on("end", () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - since }));
      });
      request.on("error", reject);
    });
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += probeEveryMs) probes.push(probe(due));
  }, probeEveryMs);
  return async () => {
    clearInterval(timer);
    const answered = await Promise.all(probes);
    agent.destroy();
    return answered;
  };
}

/** The delay of the service's event loop since the last call, and the processor time of its process; milliseconds. */
async function loopDelay(): Promise<{ p95: number; max: number; cpu: number }> {
  const from = server.output().length;
  server.child.kill("SIGUSR2");
  const report = () => /\{"loopDelay":(\{.*?\})\}/.exec(server.output().slice(from))?.[1];
  while (!report()) await new Promise((resolve) => setImmediate(resolve));
  return JSON.parse(report() ?? "");
}
