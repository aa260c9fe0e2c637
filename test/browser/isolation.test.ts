/** Isolation of captures that use the same browser one after another. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pino } from "pino";
import { createSlots } from "../../src/browser/slots.ts";
import type { Tab } from "../../src/browser/tab.ts";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import { createEgressProxy } from "../../src/egress/proxy.ts";
import { createVet } from "../../src/egress/vet.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { onlyLong } from "../support/long-only.ts";
import { lastFirst, type Scope } from "../support/scope.ts";
import { createSite, type Page } from "../support/site.ts";
import { createCertificate } from "./certificate.ts";
import { mechanisms, open } from "./mechanisms.ts";

const secureHost = "secure.test";

const text = (body: string, headers: Record<string, string> = {}): Page => {
  return (_request, response) => void response.writeHead(200, { "content-type": "text/html", ...headers }).end(body);
};

const pages: Record<string, Page> = {
  "/": text("a page"),
  "/set-cookie": text("", { "set-cookie": "mark=1; HttpOnly; Max-Age=3600" }),
  "/echo-cookie": (request, response) => void response.end(request.headers.cookie ?? "none"),
  "/cached": text("kept", { "cache-control": "max-age=3600" }),
  "/worker.js": text(
    'addEventListener("fetch", (event) => { if (event.request.url.endsWith("/from-worker")) event.respondWith(new Response("mark")) })',
    { "content-type": "text/javascript" },
  ),
  "/from-worker": text("from the site"),
  "/private": (request, response) =>
    request.headers.authorization
      ? void response.end("mark")
      : void response.writeHead(401, { "www-authenticate": 'Basic realm="a"' }).end("who are you?"),
  "/secure": text("over http"),
};

test("no browser state of a site survives into the next capture", { timeout: 100_000 }, async (outer) => {
  const t = lastFirst(outer);
  const site = await createSite(t, pages);
  const { slots, metrics } = await startOneSlot(t, site.host);
  const capture = (account: string, use: (tab: Tab) => Promise<void>) =>
    slots.withTab({ account, signal: AbortSignal.timeout(20_000) }, use);

  for (const { name, mark, look } of mechanisms(site.origin, secureHost)) {
    await outer.test(name, async () => {
      for (const tenant of ["one", "the other", ...onlyLong(["one"])]) {
        await capture(tenant, async (tab) => {
          await open(tab, `${site.origin}/`);
          assert.equal(await look(tab), false, `${tenant} finds another capture's mark`);
          await open(tab, `${site.origin}/`);
          await mark(tab);
          await open(tab, `${site.origin}/`);
          assert.equal(await look(tab), true, `${tenant} does not find its own mark, so it would not find another's either`);
        });
      }
    });
  }
  const { values } = await metrics.browserLaunches.get();
  assert.equal(
    values.reduce((sum, { value }) => sum + value, 0),
    1,
    "all captures used the same browser",
  );
});

/** One slot, for a site on http and a host that serves ports 80 and 443. */
async function startOneSlot(t: Scope, host: string) {
  const executable = process.env.TEST_CHROMIUM;
  assert.ok(executable, "TEST_CHROMIUM must name a Chromium executable");
  const { key, cert, spkiHash } = createCertificate(secureHost);
  const answer: RequestListener = (_request, response) =>
    void response.writeHead(200, { "strict-transport-security": "max-age=3600" }).end("over https");
  const secure = createServer({ key, cert }, answer);
  await once(secure.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    secure.closeAllConnections();
    secure.close();
  });
  const ports = new Map([
    [443, (secure.address() as AddressInfo).port],
    [80, Number(host.split(":")[1])],
  ]);
  const allowedHosts = parseAllowedHosts(`${host},${secureHost}`);
  const vet = createVet({ allowedHosts, infrastructure: [], resolve: async () => ["127.0.0.1"] });
  const log = pino({ level: "silent" });
  const metrics = createMetrics();
  const slots = createSlots({
    chromium: { executablePath: await trusting(t, executable, spkiHash), sandbox: process.env.CHROMIUM_SANDBOX !== "false", webgl: false },
    env: process.env,
    openProxy: () =>
      createEgressProxy({
        vet,
        log,
        limits: {
          bytesMax: 10_000_000,
          socketsMax: 100,
          connectTimeoutMs: 5_000,
          idleTimeoutMs: 20_000,
          refusalsMax: 3_000,
          refusalsPerSecondMax: 1_000,
        },
        connect: ({ port, ...options }) => connect({ port: ports.get(port) ?? port, ...options }),
      }),
    slotsMax: 1,
    queuedMax: 8,
    queueWaitMaxMs: 10_000,
    memoryMaxBytes: 2 ** 31,
    log,
    metrics,
  });
  t.after(() => slots.close());
  await slots.start();
  return { slots, metrics };
}

/** The same Chromium, which additionally trusts one key, because it stores nothing from untrusted connections. */
async function trusting(t: Scope, executable: string, spkiHash: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, "chromium");
  await writeFile(script, `#!/bin/sh\nexec '${executable}' --ignore-certificate-errors-spki-list=${spkiHash} "$@"\n`);
  await chmod(script, 0o755);
  return script;
}
