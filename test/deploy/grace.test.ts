/** The maximum duration of a shutdown, wherever it is documented or configured. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import { parse } from "yaml";
import { captureSettings } from "../../src/settings/capture.ts";
import { closingMsMax, closingTimes } from "../../src/start/closer.ts";
import { lastLinesMs } from "../../src/start/run.ts";
import { find, render, threeValues } from "./render.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const shutdownSeconds = (requestTimeoutMs: number) => (closingMsMax(closingTimes(requestTimeoutMs)) + lastLinesMs) / 1000;
const longestTimeoutMs = 90_000;
const longestSeconds = shutdownSeconds(longestTimeoutMs);

test("shutdown takes longest with the maximum SCREENSHOT_TIMEOUT", () => {
  const isValid = (ms: number) => captureSettings.SCREENSHOT_TIMEOUT.safeParse(ms).success;
  assert.deepEqual([isValid(longestTimeoutMs), isValid(longestTimeoutMs + 1)], [true, false]);
});

test("Compose, the chart and the documented docker run don't kill a process that is still shutting down", async () => {
  const compose = parse(read("docker-compose.yml"), { merge: true }).services.api.stop_grace_period;
  assert.match(compose, /^\dm$/);
  assert.ok(Number.parseInt(compose, 10) * 60 > longestSeconds, `${compose} for up to ${longestSeconds} s`);
  const [, documented] = /--stop-timeout (\d+)/.exec(read("docs/operations.md")) ?? [];
  assert.ok(Number(documented) > longestSeconds, `${documented} s for up to ${longestSeconds} s`);
  const objects = await render(threeValues);
  for (const name of ["tintype-api", "tintype-worker"]) {
    const { spec } = (find(objects, "Deployment", name) as IDeployment).spec?.template ?? {};
    const waitSeconds = spec?.containers[0]?.lifecycle?.preStop?.sleep?.seconds ?? 0;
    assert.ok(waitSeconds > 0, name);
    assert.ok(Number(spec?.terminationGracePeriodSeconds) > waitSeconds + longestSeconds, name);
  }
});

test("the documented durations of the shutdown phases match the code", () => {
  const { deadlineMs, recordingMs } = closingTimes(0);
  const phases = Object.entries(deadlineMs);
  const documented = [
    ...read("docs/internals.md").matchAll(/^\| `(requests|work|flush|connections)` +\| (?:`SCREENSHOT_TIMEOUT` \+ )?(\d+) s /gm),
  ];
  assert.deepEqual(
    documented.map(([, phase, seconds]) => [phase, Number(seconds) * 1000]),
    phases,
  );
  assert.match(read("docs/internals.md"), new RegExp(`has ${recordingMs / 1000} s to record that`));
  assert.match(read("docs/operations.md"), new RegExp(`\`SCREENSHOT_TIMEOUT\` plus ${shutdownSeconds(0)} seconds`));
});
