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
    SCREENSHOT_TIMEOUT: "90000",
    NODE_OPTIONS: "--import ./test/floods/report-loop.ts",
  });
  await server.printed('"msg":"ready"');
});

after(() => {
  const head = ["flood", "ends in", "after s", "late", "live p50", "p95", "max", "delay p95", "max", "turn p95", "max", "CPU", "probe p95"];
  console.log(
    "\nMilliseconds, except for `after`. `late`: past the capture's deadline; `delay`: of the service's event loop; `turn`: processor",
  );
  console.log("time of its main thread in one turn, and `CPU` in all; `probe`: delay of the test's own event loop.");
  for (const [name = "", end = "", ...cells] of [head, ...rows])
    console.log(name.padEnd(48) + end.padEnd(16) + cells.map((cell) => cell.padStart(10)).join(""));
});

for (const flood of floods) {
  test(`a flood is over by its deadline, and keeps the service from nothing meanwhile: ${flood.name}`, async () => {
    const { end, lateMs, statuses, turnMaxMs } = await measure(flood);
    assert.match(end, /^(image|page_too_heavy|target_timeout)$/);
    assert.ok(lateMs < 5_000, `${lateMs} ms late`);
    assert.deepEqual(new Set(statuses), new Set([200]));
    // On any machine: what others do to the machine takes none of this thread's processor time.
    assert.ok(turnMaxMs < 100, `${turnMaxMs} ms of the processor in one turn of the event loop`);
  });
}

for (const name of ["fetch: names that do not resolve", "fetch: own site, new addresses"]) {
  test(`a page that goes on and on ends with page_too_heavy: ${name}`, async () => {
    const flood = floods.find((one) => one.name === name);
    assert.ok(flood);
    const response = await capture(flood, { timeout: "90", wait_until_timeout: "30", delay: "30" });
    assert.equal(((await response.json()) as { code: string }).code, "page_too_heavy");
  });
}

function capture(flood: Flood, parameters: Record<string, string>): Promise<Response> {
  const url = `${siteOrigin}/flood/${floods.indexOf(flood)}`;
  const query = { api_key: apiKey, url, width: "400", height: "300", ...flood.parameters, ...parameters };
  return fetch(`${origin}/v1/screenshots/take?${new URLSearchParams(query)}`);
}

async function measure(flood: Flood): Promise<{ end: string; lateMs: number; statuses: number[]; turnMaxMs: number }> {
  const ownLoop = monitorEventLoopDelay({ resolution: 5 });
  await loopReport(); // it starts again from here
  ownLoop.enable();
  const stopProbing = startProbing();
  const started = performance.now();
  const response = await capture(flood, { timeout: `${timeoutSeconds}` });
  const body = Buffer.from(await response.arrayBuffer()).toString();
  const seconds = (performance.now() - started) / 1000;
  const probes = await stopProbing();
  const { delay, turn, cpu } = await loopReport();
  ownLoop.disable();
  const end = response.status === 200 ? "image" : String(JSON.parse(body).code);
  const times = probes.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] ?? 0;
  const lateMs = Math.max(0, seconds - timeoutSeconds) * 1000;
  const figures = [lateMs, at(0.5), at(0.95), at(1), delay.p95, delay.max, turn.p95, turn.max, cpu, ownLoop.percentile(95) / 1e6];
  rows.push([flood.name, end, seconds.toFixed(1), ...figures.map((ms) => ms.toFixed(0))]);
  return { end, lateMs, statuses: probes.map(({ status }) => status), turnMaxMs: turn.max };
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

interface LoopReport {
  delay: { p95: number; max: number };
  turn: { p95: number; max: number };
  cpu: number;
}

/** What the service's event loop did since the last call; see `report-loop.ts`. */
async function loopReport(): Promise<LoopReport> {
  const from = server.output().length;
  server.child.kill("SIGUSR2");
  const report = () => /^\{"loop":(.*)\}$/m.exec(server.output().slice(from))?.[1];
  while (!report()) await new Promise((resolve) => setImmediate(resolve));
  return JSON.parse(report() ?? "");
}
