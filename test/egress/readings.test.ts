/** The verdict on every form of an address, with Node's and Chromium's reading of it side by side: what is judged is what is visited. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { createSlots } from "../../src/browser/slots.ts";
import { createLane } from "../../src/egress/lane.ts";
import { createVet } from "../../src/egress/vet.ts";
import { createMetrics } from "../../src/metrics.ts";
import { answers, literals, names } from "./forms.ts";

test("Node and Chromium read every form alike; whatever only one of them reads is refused", async (t) => {
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
    openLane: () =>
      createLane({
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
  const chromium = await slots.lend({ owner: "test", signal: AbortSignal.timeout(30_000) }, (tab) =>
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
  t.diagnostic(`${rows.length} forms: verdict | Node | Chromium | form`);
  for (const { form, outcome, node, chromium: read } of rows)
    t.diagnostic(`${outcome.padEnd(18)}| ${node.padEnd(40)}| ${read === node ? "the same" : read} | ${JSON.stringify(form)}`);
  // A difference is harmless only where the form is never passed on: Chromium is given the text that Node's parser wrote.
  const different = rows.filter(({ node, chromium: read }) => node !== read);
  assert.deepEqual(
    different.filter(({ outcome }) => outcome === "allowed"),
    [],
  );
  t.diagnostic(`${different.length} are read differently, none of them allowed`);
  // And the other way round: what Node writes, Chromium reads as the same host.
  const written = rows.filter(({ node }) => node !== "–").map(({ form }) => new URL(form).href);
  const reread = await slots.lend({ owner: "test", signal: AbortSignal.timeout(30_000) }, (tab) =>
    tab.evaluate((texts: string[]) => texts.map((text) => new URL(text).host), written),
  );
  assert.deepEqual(
    reread,
    written.map((href) => new URL(href).host),
  );
});
