/** The health report during and after an outage of each component. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { chmod, readdir, readFile, rename } from "node:fs/promises";
import { test } from "node:test";
import { createMetricsServer } from "../../../src/http/server/metrics-server.ts";
import { eventually } from "../../support/eventually.ts";
import { openGate } from "../../support/gate.ts";
import { longOnly } from "../../support/long-only.ts";
import { lastFirst } from "../../support/scope.ts";
import { startReplica, startService, type TestService } from "../../support/service.ts";

const longTest = longOnly(test);

interface Report {
  status: string;
  version: string;
  uptime: number;
  timestamp: string;
  checks: { name: string; status: string; duration: number; error?: string }[];
}

async function health({ origin }: TestService) {
  const response = await fetch(`${origin}/health`);
  return { code: response.status, report: (await response.json()) as Report };
}

/** Polls until `test` passes; reports are cached for a second. */
async function until(service: TestService, holds: (report: Report) => boolean): Promise<{ code: number; report: Report }> {
  let seen = await health(service);
  const isSeen = async () => {
    if (!holds(seen.report)) seen = await health(service);
    return holds(seen.report);
  };
  await eventually("the report", isSeen).catch((error) => assert.fail(`${error.message}: ${JSON.stringify(seen.report)}`));
  return seen;
}

function statusOf(report: Report, name: string): string | undefined {
  return report.checks.find((check) => check.name === name)?.status;
}

test("a working service is healthy, ready and alive", async (t) => {
  const service = await startService(t);
  const before = Date.now();
  const { code, report } = await health(service);
  assert.equal(code, 200);
  assert.equal(report.status, "healthy");
  assert.equal(report.version, JSON.parse(await readFile("package.json", "utf8")).version);
  assert.ok(report.uptime > 0);
  const timestamp = Date.parse(report.timestamp);
  assert.ok(before <= timestamp && timestamp <= Date.now(), report.timestamp);
  assert.deepEqual(
    report.checks.map(({ name, status }) => [name, status]),
    [
      ["database", "pass"],
      ["cache", "pass"],
      ["storage", "pass"],
      ["queue", "pass"],
      ["browser", "pass"],
    ],
  );
  const ready = await fetch(`${service.origin}/health/ready`);
  assert.deepEqual([ready.status, (await ready.json()).status], [200, "ready"]);
  const live = await fetch(`${service.origin}/health/live`);
  assert.deepEqual([live.status, Object.keys(await live.json())], [200, ["status", "timestamp"]]);
  service.services.stopAdmitting();
  const closing = await fetch(`${service.origin}/health/ready`);
  assert.deepEqual(
    [closing.status, await closing.json().then(({ status, error }) => [status, error])],
    [503, ["not ready", "shutting down"]],
  );
});

longTest("without PostgreSQL: unhealthy, but ready for cached screenshots; healthy again without a restart", async (t) => {
  const database = await openGate(t, process.env.TEST_DATABASE_URL ?? "");
  const service = await startService(t, ({ DATABASE_URL = "" }) => ({ DATABASE_URL: database.through(DATABASE_URL) }));
  const metricsServer = createMetricsServer(service.services);
  t.after(() => metricsServer.close());
  const metrics = async () => (await metricsServer.inject("/metrics")).body;
  const readyMetric = async () => /^tintype_ready\{role="all"\} (\d)$/m.exec(await metrics())?.[1];
  const isUp = async () => /^tintype_component_up\{component="database"\} (\d)$/m.exec(await metrics())?.[1];
  await until(service, ({ status }) => status === "healthy");
  assert.deepEqual([await readyMetric(), await isUp()], ["1", "1"]);
  database.cut();
  const broken = await until(service, (report) => statusOf(report, "database") === "fail");
  assert.deepEqual([await readyMetric(), await isUp()], ["1", "0"]);
  assert.deepEqual([broken.code, broken.report.status], [503, "unhealthy"]);
  assert.equal(statusOf(broken.report, "browser"), "pass");
  assert.equal((await fetch(`${service.origin}/health/ready`)).status, 200);
  assert.equal((await fetch(`${service.origin}/health/live`)).status, 200);
  await database.mend();
  await until(service, (report) => report.status === "healthy");
});

test("without PostgreSQL, a worker is not ready", async (t) => {
  const database = await openGate(t, process.env.TEST_DATABASE_URL ?? "");
  const behindGate = ({ DATABASE_URL = "" }) => ({ DATABASE_URL: database.through(DATABASE_URL), ROLE: "worker" });
  const worker = await startService(t, behindGate);
  database.cut();
  await until(worker, (report) => statusOf(report, "database") === "fail");
  const ready = await fetch(`${worker.origin}/health/ready`);
  assert.equal(ready.status, 503);
  assert.match((await ready.json()).error, /^database: /);
});

longTest("while the job queue can't start: unhealthy and not ready; healthy once it can", async (outer) => {
  const t = lastFirst(outer);
  const first = await startService(t, { ROLE: "api" });
  await until(first, ({ status }) => status === "healthy");
  await first.stop();
  const database = new URL(first.env.DATABASE_URL ?? "");
  const name = database.pathname.slice(1);
  const user = `limited_${name}`.slice(0, 60);
  const password = randomUUID();
  await first.pool.query("drop schema jobs cascade");
  await first.pool.query(`create role ${user} login password '${password}'`);
  t.after(async () => {
    await first.pool.query(`drop owned by ${user} cascade`);
    await first.pool.query(`drop role ${user}`);
  });
  await first.pool.query(`grant all on all tables in schema public to ${user}`);
  await first.pool.query(`grant all on all sequences in schema public to ${user}`);
  Object.assign(database, { username: user, password });
  const service = await startReplica(t, first, { DATABASE_URL: database.href });
  const { code, report } = await until(service, (seen) => statusOf(seen, "queue") === "fail");
  assert.deepEqual([code, report.status, statusOf(report, "database"), statusOf(report, "queue")], [503, "unhealthy", "pass", "fail"]);
  const ready = await fetch(`${service.origin}/health/ready`);
  assert.deepEqual([ready.status, (await ready.json()).error], [503, "queue: not_started"]);
  await first.pool.query(`grant create on database "${name}" to ${user}`);
  await until(service, ({ status }) => status === "healthy");
});

test("without Redis: degraded, but still ready; healthy again without a restart", async (t) => {
  const redis = await openGate(t, process.env.TEST_REDIS_URL ?? "");
  const service = await startService(t, { ROLE: "api", REDIS_URL: redis.through(process.env.TEST_REDIS_URL ?? "") });
  const metricsServer = createMetricsServer(service.services);
  t.after(() => metricsServer.close());
  redis.cut();
  const broken = await until(service, (report) => statusOf(report, "cache") === "fail");
  assert.deepEqual([broken.code, broken.report.status], [200, "degraded"]);
  assert.match((await metricsServer.inject("/metrics")).body, /^tintype_component_up\{component="cache"\} 0$/m);
  assert.equal((await fetch(`${service.origin}/health/ready`)).status, 200);
  await redis.mend();
  await until(service, (report) => report.status === "healthy");
});

test("with a database number that Redis doesn't have: degraded, with the reason", async (t) => {
  const service = await startService(t, { ROLE: "api", REDIS_URL: new URL("/999999", process.env.TEST_REDIS_URL).href });
  const { code, report } = await until(service, ({ checks }) => checks.some(({ error }) => error === "no_such_database"));
  assert.deepEqual([code, report.status, statusOf(report, "cache")], [200, "degraded", "fail"]);
});

test("without object storage: degraded; healthy again without a restart", async (t) => {
  const service = await startService(t, { ROLE: "api" });
  const folder = service.env.STORAGE_URL?.slice("file:".length) ?? "";
  const metricsServer = createMetricsServer(service.services);
  t.after(() => metricsServer.close());
  await until(service, (report) => report.status === "healthy");
  await rename(folder, `${folder}-away`);
  const broken = await until(service, (report) => statusOf(report, "storage") === "fail");
  assert.deepEqual([broken.code, broken.report.status], [200, "degraded"]);
  assert.match((await metricsServer.inject("/metrics")).body, /^tintype_component_up\{component="storage"\} 0$/m);
  await rename(`${folder}-away`, folder);
  await until(service, (report) => report.status === "healthy");
  await chmod(folder, 0o700);
});

longTest("a killed Chromium is detected and replaced without a restart", async (t) => {
  const service = await startService(t);
  const [first] = await browsers();
  assert.ok(first);
  process.kill(-first, "SIGKILL");
  await until(service, () => true);
  const picture = await service.services.slots.withTab(
    { account: "test", signal: AbortSignal.timeout(20_000) },
    async (tab) => (await tab.captureScreenshot({ format: "png" })).length,
  );
  assert.ok(picture > 0);
  assert.equal((await health(service)).report.status, "healthy");
  assert.ok(!(await browsers()).includes(first));
});

longOnly(test)(
  "a hanging Chromium makes the service unhealthy within the check's timeout, and is replaced without a restart",
  async (t) => {
    const service = await startService(t);
    const [first] = await browsers();
    assert.ok(first);
    process.kill(-first, "SIGSTOP");
    // The last successful capture counts for a few seconds; afterwards a canary page is rendered.
    const broken = await until(service, (report) => statusOf(report, "browser") === "fail");
    assert.deepEqual([broken.code, broken.report.status], [503, "unhealthy"]);
    await until(service, (report) => report.status === "healthy");
  },
);

/** Browsers started by this process, by pid. */
async function browsers(): Promise<number[]> {
  const found = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    const command = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (parent === process.pid && command.includes("tintype-profile")) found.push(Number(entry));
  }
  return found;
}
