/** The start of the first browser on a busy machine, simulated by freezing Chromium. */

import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { type LaunchParts, launch } from "../../src/browser/chromium.ts";
import { createSlot } from "../../src/browser/slot.ts";
import { createSlots } from "../../src/browser/slots.ts";
import { createSupervisor } from "../../src/browser/supervisor.ts";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import { createEgressProxy } from "../../src/egress/proxy.ts";
import { createVet } from "../../src/egress/vet.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";

/** Starts a browser, which is frozen as soon as it has responded for the first time; `onFrozen` then gets its process id. */
function frozen(onFrozen: (pid: number) => void): LaunchParts {
  const write: Writable["_write"] = (line, _encoding, done) => {
    const { browserPid } = JSON.parse(String(line));
    if (browserPid) {
      process.kill(browserPid, "SIGSTOP");
      onFrozen(browserPid);
    }
    done();
  };
  const log = pino(new Writable({ write }));
  const limits = { bytesMax: 1_000_000, socketsMax: 100, refusalsMax: 3_000, refusalsPerSecondMax: 1_000 };
  const vet = createVet({ allowedHosts: parseAllowedHosts(""), infrastructure: [] });
  return {
    chromium: { executablePath: process.env.TEST_CHROMIUM ?? "", sandbox: process.env.CHROMIUM_SANDBOX !== "false", webgl: false },
    env: process.env,
    openProxy: () => createEgressProxy({ vet, log, limits: { ...limits, connectTimeoutMs: 5_000, idleTimeoutMs: 20_000 } }),
    log,
    metrics: createMetrics(),
  };
}

const killed = (t: TestContext, pid: number) => {
  const timer = setTimeout(() => process.kill(pid, "SIGKILL"), 600); // the service would wait for it to exit
  t.after(() => clearTimeout(timer));
};

test("the error for a start that takes too long says which step timed out, and after how long", async (t) => {
  const supervisor = createSupervisor({ memoryMaxBytes: 2 ** 31 });
  t.after(() => supervisor.close());
  const parts = frozen((pid) => killed(t, pid));
  await assert.rejects(
    createSlot(() => launch(parts), supervisor, 300),
    { name: "BrowserHung", message: /^Chromium started, but rendered no image within 0.3 s: the machine is overloaded/ },
  );
});

/** Set the variable to freeze it longer than the deadline of a replacement browser. */
const frozenMs = Number(process.env.FROZEN_MS ?? 500);

test("a first browser that is slow to render its first image starts successfully", async (t) => {
  const parts = frozen((pid) => setTimeout(() => process.kill(pid, "SIGCONT"), frozenMs));
  const slots = createSlots({ ...parts, slotsMax: 1, queuedMax: 1, queueWaitMaxMs: 10_000, memoryMaxBytes: 2 ** 31 });
  t.after(() => slots.close());
  await slots.start();
  assert.equal(slots.state().started, 1);
});
