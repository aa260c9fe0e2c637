/** Retries of the TypeScript client: after a rate limit, a lost connection, and a killed service. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { type ClientSettings, createTintype, TintypeError } from "../../clients/typescript/src/index.ts";
import { freePort } from "../../scripts/stack/ports.ts";
import { eventually } from "../support/eventually.ts";
import { openGate } from "../support/gate.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope } from "../support/scope.ts";
import { startReplica, startService } from "../support/service.ts";
import { closedPage, createSite } from "../support/site.ts";
import { page } from "./expected.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": page });
const settings = { EGRESS_ALLOWED_HOSTS: site.host, SCREENSHOT_TIMEOUT: "90000" };
const service = await startService(scope, settings);
// The limit in the settings applies to accounts whose plan has none.
await service.pool.query("update plans set rate_limit = null where id = 'free'");
const limited = await startReplica(scope, service, { ROLE: "api", RATE_LIMIT_MAX_REQUESTS: "1", RATE_LIMIT_WINDOW_MS: "3000" });
const url = `${site.origin}/`;

/** A client, and the codes of the errors after which it retried. */
function client(key: string, given: Partial<ClientSettings> = {}) {
  const retried: string[] = [];
  const pauses: number[] = [];
  const onRetry = (error: TintypeError, delayMs: number) => {
    retried.push(error.code);
    pauses.push(delayMs - (error.retryAfterSeconds ?? 0) * 1000);
  };
  return { tintype: createTintype({ url: service.origin, key, onRetry, ...given }), retried, pauses };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error) => (error instanceof TintypeError ? error.code : error),
  );

test("a rate-limited request is retried, but not before Retry-After", async () => {
  const { key } = await service.createAccount({ plan: "free" });
  const { tintype, retried, pauses } = client(key, { url: limited.origin });
  const both = await Promise.all([tintype.take({ url, width: 60 }), tintype.take({ url, width: 61 })]);
  assert.deepEqual(
    both.map(({ cache }) => cache),
    ["MISS", "MISS"],
  );
  assert.ok(retried.includes("rate_limited"));
  assert.ok(
    pauses.every((ms) => ms >= 0),
    "not before Retry-After",
  );
});

test("a call is not retried if retries are off, the deadline is too near, or it could capture twice", async () => {
  const { key } = await service.createAccount({ rateLimit: 1 });
  const { tintype, retried } = client(key);
  assert.equal(await codeOf(tintype.batches.get("none")), "not_found");
  const refused = await Promise.all([
    codeOf(tintype.take({ url, width: 60 }, { retries: 0 })),
    codeOf(tintype.take({ url, width: 60 }, { timeoutMs: 20_000 })), // its window ends later
    codeOf(tintype.captures.create({ url, outputs: [{ width: 60 }] })),
  ]);
  assert.deepEqual(refused, ["rate_limited", "rate_limited", "rate_limited"]);
  const error = await tintype.batches.get("none", { retries: 0 }).catch((failure) => failure);
  assert.deepEqual([error.status, error.retryable, error.retryAfterSeconds > 0], [429, true, true]);
  assert.deepEqual(retried, []);
});

test("with an Idempotency-Key, a rate-limited capture is retried and made once", async () => {
  const { key } = await service.createAccount({ plan: "free" });
  const { tintype, retried } = client(key, { url: limited.origin });
  const create = () => tintype.captures.create({ url, outputs: [{ width: 60 }] }, { idempotencyKey: "once" });
  const [one, other] = await Promise.all([create(), create()]);
  assert.equal(one.id, other.id);
  assert.ok(retried.includes("rate_limited"));
});

test("after a lost connection, only idempotent calls are retried", async () => {
  const { key } = await service.createAccount();
  const gate = await openGate(scope, service.origin);
  const { tintype, retried } = client(key, { url: gate.through(service.origin), retries: 50 });
  await gate.refuse();
  assert.equal(await codeOf(tintype.take({ url, width: 60 })), "unreachable");
  assert.deepEqual(retried, []);
  const held = closedPage(site, "/lost");
  const queued = tintype.captures.create({ url: `${url}lost`, async: true, outputs: [{ width: 60 }] });
  await eventually("it retries", () => retried.length > 0);
  await gate.mend();
  const { id } = await queued;
  const waiting = tintype.captures.wait(id);
  await eventually("it has been captured", held.requested);
  gate.cut();
  await eventually("it retries", () => retried.length > 1);
  held.open();
  await gate.mend();
  assert.equal((await waiting).status, "done");
  const stopped = new AbortController();
  await gate.refuse();
  const reading = codeOf(tintype.captures.get(id, { signal: stopped.signal }));
  await eventually("it retries", () => retried.length > 2);
  stopped.abort("enough");
  assert.equal(await reading, "enough");
});

test("captures and batches continue after a service has been killed and restarted, and are charged once", async (t) => {
  // Two captures are held up, and a third one also needs a browser.
  const workers = await startService(t, { ...settings, ROLE: "worker", MAX_CONCURRENT_SCREENSHOTS: "3" });
  const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  const start = async () => {
    const server = spawnServer(t, { ...workers.env, ROLE: "api", HOST: "127.0.0.1", PORT, METRICS_PORT });
    await server.printed('"ready"');
    return server.child;
  };
  const api = await start();
  const held = closedPage(site, "/held");
  const { key, userId } = await workers.createAccount();
  const { tintype, retried } = client(key, { url: `http://127.0.0.1:${PORT}`, retries: 1_000 });
  const capture = tintype.captures.create({ url: `${url}held`, outputs: [{ width: 60 }] }, { idempotencyKey: "killed" });
  const batch = await tintype.batches.create({ shared: { width: 60 }, captures: [{ url }, { url: `${url}held`, name: "held" }] });
  const names: string[] = [];
  const counts: number[] = [];
  const reading = (async () => {
    for await (const result of tintype.batches.results(batch.id)) names.push(`${result.batch.name}: ${result.status}`);
  })();
  const progress = (async () => {
    for await (const state of tintype.batches.progress(batch.id)) counts.push(state.counts.done);
  })();
  await eventually("the first result", () => names.length === 1 && held.requested());
  api.kill("SIGKILL");
  await once(api, "exit");
  await eventually("the client tries again", () => retried.includes("unreachable"));
  held.open();
  await start();
  assert.equal((await capture).outputs.length, 1);
  await Promise.all([reading, progress]);
  assert.deepEqual(names.slice(1), ["held: done"]);
  assert.equal(counts.at(-1), 2);
  const { rows } = await workers.pool.query("select used from usage_periods where user_id = $1", [userId]);
  assert.deepEqual(rows, [{ used: 3 }]);
});
