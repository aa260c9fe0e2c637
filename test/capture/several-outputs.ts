/** Several outputs from one load, compared with individual captures with the same options. */

import assert from "node:assert/strict";
import { pino } from "pino";
import type { Slots } from "../../src/browser/slots.ts";
import type { Tab } from "../../src/browser/tab.ts";
import { createCapture } from "../../src/capture/capture.ts";
import type { CaptureOptions } from "../../src/capture/options.ts";
import { createCaptureOutputs, type OutputOutcome } from "../../src/capture/outputs.ts";
import type { Capture } from "../../src/capture/request.ts";
import { withPresets } from "../../src/screenshots/take/take-options.ts";
import { limitsOf } from "../../src/start/limits.ts";
import type { Services } from "../../src/start/services.ts";
import { differingShare } from "../support/image.ts";
import type { Scope } from "../support/scope.ts";
import { startService } from "../support/service.ts";

type Given = Record<string, unknown>;

/** @param hosts hosts that pages may be on. */
export async function startOutputs(scope: Scope, hosts: string, settings: Record<string, string> = {}) {
  const { services } = await startService(scope, { EGRESS_ALLOWED_HOSTS: hosts, ...settings });
  return {
    services,
    ...outputsOf(services, (tab) => tab),
    /** The same service, with `tabOf` replacing the first tab that a capture gets. */
    through: (tabOf: (tab: Tab) => Tab) => outputsOf(services, tabOf),
  };
}

function outputsOf(services: Services, tabOf: (tab: Tab) => Tab) {
  const withTab: Slots["withTab"] = (request, use) => services.slots.withTab(request, (tab, queuedMs) => use(tabOf(tab), queuedMs));
  const parts = {
    slots: { ...services.slots, withTab },
    limits: limitsOf(services.config),
    log: pino({ level: "silent" }),
    metrics: services.metrics,
  };
  const [takeOutputs, takeCapture] = [createCaptureOutputs(parts), createCapture(parts)];
  const optionsOf = (given: Given): CaptureOptions =>
    services.takeSchema.parse(withPresets({ format: "png", width: 400, height: 300, ...given }, {}));
  const timeLimit = (ms = 60_000, signal = AbortSignal.timeout(ms)) => ({ account: "test", signal, deadlineAt: performance.now() + ms });

  const take = async (shared: Given, outputs: Given[], limit = timeLimit(), heldUntil?: Promise<void>) =>
    await takeOutputs({ ...limit, heldUntil, outputs: outputs.map((output) => optionsOf({ ...shared, ...output })) });
  return {
    take,
    timeLimit,
    single: async (given: Given): Promise<Capture> => await takeCapture({ ...timeLimit(), options: optionsOf(given) }),
    /** Fails if an output differs from the individual capture with the same options in more than `share` of its pixels. */
    async assertEqual(shared: Given, outputs: Given[], share = 0.002) {
      const { outcomes, loads } = await take(shared, outputs);
      const shares: Record<string, number> = {};
      for (const [index, outcome] of outcomes.entries()) {
        const alone = await takeCapture({ ...timeLimit(), options: optionsOf({ ...shared, ...outputs[index] }) });
        shares[JSON.stringify(outputs[index])] = differingShare(captureOf(outcome).bytes, alone.bytes);
      }
      for (const [output, off] of Object.entries(shares))
        assert.ok(off <= share, `${output}: a share of ${off} of the pixels differs\n${JSON.stringify(shares, null, 1)}`);
      return { outcomes, loads, shares };
    },
  };
}

export function captureOf(outcome: OutputOutcome | undefined): Capture {
  if (!outcome || "failure" in outcome) throw outcome?.failure ?? new Error("no such output");
  return outcome.capture;
}
