/** How Node and Chromium parse each notation of a URL: the host that is checked must be the host that is visited. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { createSlots } from "../../src/browser/slots.ts";
import { createEgressProxy } from "../../src/egress/proxy.ts";
import { createVet } from "../../src/egress/vet.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { answers, literals, names } from "./forms.ts";

test("Node and Chromium parse every URL the same way; URLs that only one of them accepts are refused", async (t) => {
  const log = pino({ level: "silent" });
  const vet = createVet({
    allowedHosts: {
      namesHost: () => false,
      namesAddresses: () => false,
      namesPort: () => false,
      matches: () => false,
      matchesPort: () => false,
    },
    infrastructure: [],
    resolve: async (host) => answers[host] ?? [],
  });
  const slots = createSlots({
    chromium: { executablePath: process.env.TEST_CHROMIUM ?? "", sandbox: process.env.CHROMIUM_SANDBOX !== "false", webgl: false },
    env: process.env,
    openProxy: () =>
      createEgressProxy({
        vet,
        log,
        limits: {
          bytesMax: 1e6,
          socketsMax: 10,
          connectTimeoutMs: 1_000,
          idleTimeoutMs: 1_000,
          refusalsMax: 3_000,
          refusalsPerSecondMax: 1_000,
        },
      }),
    slotsMax: 1,
    queuedMax: 1,
    queueWaitMaxMs: 30_000,
    memoryMaxBytes: 2 ** 31,
    log,
    metrics: createMetrics(),
  });
  t.after(() => slots.close());
  await slots.start();
  const forms = [...literals, ...names];
  const chromium = await slots.withTab({ account: "test", signal: AbortSignal.timeout(30_000) }, (tab) =>
    tab.evaluate(
      (texts: string[]) => texts.map((text) => (URL.canParse(text) ? new URL(text).host : "–")),
      forms.map(([form]) => form),
    ),
  );
  assert.ok(forms.length >= 150, `${forms.length} forms`);
  const rows = forms.map(([form, outcome], index) => ({
    form,
    outcome,
    node: URL.canParse(form) ? new URL(form).host : "–",
    chromium: chromium[index] ?? "?",
  }));
  t.diagnostic(`${rows.length} URLs: outcome | Node | Chromium | URL`);
  for (const { form, outcome, node, chromium: parsed } of rows)
    t.diagnostic(`${outcome.padEnd(18)}| ${node.padEnd(40)}| ${parsed === node ? "same" : parsed} | ${JSON.stringify(form)}`);
  // A difference is harmless only if the URL is refused: Chromium gets the URL as serialized by Node.
  const different = rows.filter(({ node, chromium: parsed }) => node !== parsed);
  assert.deepEqual(
    different.filter(({ outcome }) => outcome === "allowed"),
    [],
  );
  t.diagnostic(`${different.length} are parsed differently, none of them allowed`);
  // Conversely, Chromium parses URLs serialized by Node to the same host.
  const serialised = rows.filter(({ node }) => node !== "–").map(({ form }) => new URL(form).href);
  const parsedAgain = await slots.withTab({ account: "test", signal: AbortSignal.timeout(30_000) }, (tab) =>
    tab.evaluate((texts: string[]) => texts.map((text) => new URL(text).host), serialised),
  );
  assert.deepEqual(
    parsedAgain,
    serialised.map((href) => new URL(href).host),
  );
});
