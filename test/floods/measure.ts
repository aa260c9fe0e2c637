/** Measures a flooded service, and its effect on other requests. */

import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { freePort } from "../../scripts/stack/ports.ts";
import { slownessOfMachine } from "../support/longest-turn.ts";
import { spawnProcess, spawnServer } from "../support/process.ts";
import type { Scope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { type Flood, floods } from "./pages.ts";

const timeoutSeconds = 6;
const probeEveryMs = 10;

export interface Measured {
  /** `image`, or the error code. */
  end: string;
  /** Seconds after the request. */
  seconds: number;
  /** How far past the capture's deadline. */
  lateMs: number;
  /** Statuses of the probes' responses. */
  statuses: number[];
  /** Latencies of `/health/live`, in milliseconds: median, 95th percentile, maximum. */
  live: { p50: number; p95: number; max: number };
  /** The service's event loop, in milliseconds: its delay, the CPU time of one turn, and of all turns. */
  loop: LoopReport;
  /** 95th percentile of the delay of the test's own event loop, in milliseconds. */
  probeDelayMs: number;
}

export interface FloodedService {
  capture(flood: Flood, parameters: Record<string, string>): Promise<Response>;
  /** Captures the page of `flood`, and requests `/health/live` meanwhile. */
  measure(flood: Flood): Promise<Measured>;
}

/** The service in a separate process, and the flood pages in another one. */
export async function startFloodedService(scope: Scope): Promise<FloodedService> {
  const site = spawnProcess(scope, [process.execPath, "test/floods/site.ts"], {});
  await site.printed("listening on ");
  const sitePort = /listening on (\d+)/.exec(site.output())?.[1];
  const stores = await startService(scope);
  const apiKey = (await stores.createAccount()).key;
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const server = spawnServer(scope, {
    ...stores.env,
    HOST: "127.0.0.1",
    PORT: String(port),
    METRICS_PORT: String(await freePort()),
    EGRESS_ALLOWED_HOSTS: `127.0.0.1:${sitePort},localhost:${sitePort}`,
    SCREENSHOT_TIMEOUT: "90000",
    NODE_OPTIONS: "--import ./test/floods/report-loop.ts",
  });
  await server.printed('"msg":"ready"');

  function capture(flood: Flood, parameters: Record<string, string>): Promise<Response> {
    const url = `http://127.0.0.1:${sitePort}/flood/${floods.indexOf(flood)}`;
    const query = { api_key: apiKey, url, width: "400", height: "300", ...flood.parameters, ...parameters };
    return fetch(`${origin}/v1/screenshots/take?${new URLSearchParams(query)}`);
  }

  /** The service's event loop since the last call; see `report-loop.ts`. */
  async function loopReport(): Promise<LoopReport> {
    const from = server.output().length;
    server.child.kill("SIGUSR2");
    const report = () => /^\{"loop":(.*)\}$/m.exec(server.output().slice(from))?.[1];
    while (!report()) await new Promise((resolve) => setImmediate(resolve));
    return JSON.parse(report() ?? "");
  }

  async function measure(flood: Flood): Promise<Measured> {
    const ownLoop = monitorEventLoopDelay({ resolution: 5 });
    await loopReport(); // resets the measurement
    ownLoop.enable();
    const stopProbing = startProbing(`${origin}/health/live`);
    const started = performance.now();
    const response = await capture(flood, { timeout: `${timeoutSeconds}` });
    const body = Buffer.from(await response.arrayBuffer()).toString();
    const seconds = (performance.now() - started) / 1000;
    const probes = await stopProbing();
    const loop = await loopReport();
    ownLoop.disable();
    const times = probes.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number) => times[Math.ceil(share * times.length) - 1] ?? 0;
    return {
      end: response.status === 200 ? "image" : String(JSON.parse(body).code),
      seconds,
      lateMs: Math.max(0, seconds - timeoutSeconds) * 1000,
      statuses: probes.map(({ status }) => status),
      live: { p50: at(0.5), p95: at(0.95), max: at(1) },
      loop,
      probeDelayMs: ownLoop.percentile(95) / 1e6,
    };
  }
  return { capture, measure };
}

/** @throws {AssertionError} unless the flood ended by itself or by its deadline, and the service responded throughout. */
export function assertHarmless({ end, statuses, loop }: Measured): void {
  assert.match(end, /^(image|page_too_heavy|target_timeout)$/);
  assert.deepEqual(new Set(statuses), new Set([200]));
  // Other processes take none of this thread's CPU time, but share its caches.
  const turnMs = loop.turn.max / slownessOfMachine();
  assert.ok(turnMs < 100, `${turnMs} ms of CPU in one turn of the event loop`);
}

interface Probe {
  status: number;
  /** Since it was due. */
  ms: number;
}

/** Requests `/health/live` at a fixed rate, without waiting for responses. The returned function stops it. */
function startProbing(url: string): () => Promise<Probe[]> {
  const agent = new Agent({ keepAlive: true });
  const probes: Promise<Probe>[] = [];
  let due = performance.now();
  const probe = (since: number) =>
    new Promise<Probe>((resolve, reject) => {
      const request = get(url, { agent }, (response) => {
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
