/** The alerts and the dashboard in a real Prometheus that scrapes a running service. */

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import { freePort } from "../../scripts/stack/ports.ts";
import { createMetricsServer } from "../../src/http/server/metrics-server.ts";
import { eventually } from "../support/eventually.ts";
import { spawnProcess } from "../support/process.ts";
import { startService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { alertsOf, workersTrigger } from "./render.ts";

const alertsFile = fileURLToPath(new URL("../../deploy/prometheus/alerts.yml", import.meta.url));
const board = JSON.parse(readFileSync(new URL("../../deploy/grafana/tintype.json", import.meta.url), "utf8")) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const alerts: { alert: string }[] = parse(readFileSync(alertsFile, "utf8")).groups.flatMap(({ rules }: { rules: object[] }) => rules);
const hasPrometheus = ["prometheus", "promtool"].every((name) => spawnSync(name, ["--version"]).status === 0);
const skip = hasPrometheus ? false : "Prometheus is not installed: apt-get install prometheus";

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tintype-prometheus-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

type Series = Record<string, string>;

const ready = { 'tintype_ready{role="api",instance="b"}': "1x90" };
const refused = (values: string): Series => ({ 'tintype_failures_total{code="unavailable"}': values });
/** Screenshot requests, in addition to a balancer's probes. */
const answered = (values: string, status = "200"): Series => ({
  [`tintype_http_requests_total{route="/v1/screenshots/take",status="${status}"}`]: values,
  'tintype_http_requests_total{route="/health/ready",status="200"}': "0+60x90",
});

/** For each alert: series, with one value per minute, that fire only this alert, and similar ones that must not fire it. */
const cases: Record<string, { fires: Series | Series[]; quiet: Series | Series[] }> = {
  TintypeAbsent: { fires: { other: "1x90" }, quiet: { tintype_queue_length: "0x90" } },
  TintypeUnavailable: {
    fires: [
      { 'tintype_ready{role="all",instance="a"}': "0x90", 'tintype_ready{role="all",instance="b"}': "0x90" },
      { 'tintype_ready{role="api"}': "0x90", 'tintype_ready{role="worker"}': "1x90" },
      { 'tintype_ready{role="worker"}': "1x90" },
      { ...ready, 'tintype_component_up{component="database",instance="a"}': "0x90" },
      // One request a minute.
      { ...ready, ...refused("0+1x90"), ...answered("0+1x90", "503") },
      { ...ready, ...refused("0+30x90"), ...answered("0+300x90") },
    ],
    quiet: [
      { 'tintype_ready{role="api",instance="a"}': "0x90", ...ready, 'tintype_ready{role="worker"}': "0x90" },
      {
        ...ready,
        'tintype_component_up{component="database",instance="a"}': "0x90",
        'tintype_component_up{component="database",instance="b"}': "1x90",
        'tintype_component_up{component="cache"}': "0x90",
      },
      { ...ready, ...refused("0+30x90"), ...answered("0+3000x90") },
      { ...ready, ...refused("0x82 2x7"), ...answered("0x82 2x7", "503") },
    ],
  },
  TintypeRedisAway: {
    fires: {
      'tintype_component_up{component="cache",instance="a"}': "0x90",
      'tintype_component_up{component="cache",instance="b"}': "1x90",
    },
    quiet: { 'tintype_component_up{component="cache"}': "1x90", 'tintype_component_up{component="storage"}': "0x90" },
  },
  TintypeStorageAway: {
    fires: { 'tintype_component_up{component="storage"}': "0x90" },
    quiet: { 'tintype_component_up{component="storage"}': "1x90", 'tintype_component_up{component="cache"}': "0x90" },
  },
  TintypeNoBrowser: {
    fires: { 'tintype_browser_slots{state="started"}': "0x90" },
    quiet: { 'tintype_browser_slots{state="started",instance="a"}': "0x90", 'tintype_browser_slots{state="started",instance="b"}': "2x90" },
  },
  TintypeBug: {
    fires: { 'tintype_failures_total{code="internal_error"}': "0x86 1x3" },
    quiet: { 'tintype_failures_total{code="internal_error"}': "7x90" },
  },
  TintypeImagesLost: {
    fires: { 'tintype_storage_uploads_total{result="lost"}': "0x86 2x3" },
    quiet: { 'tintype_storage_uploads_total{result="retried"}': "0+9x90" },
  },
  TintypeQueueFull: {
    fires: { 'tintype_failures_total{code="queue_full"}': "0+1x90" },
    quiet: { 'tintype_failures_total{code="queue_full"}': "0x80 0+1x9" },
  },
  TintypeQueueLong: {
    fires: [
      { tintype_queue_length: "40x90", 'tintype_browser_slots{state="running"}': "8x90" },
      {
        'tintype_queue_length{instance="a"}': "32x90",
        'tintype_queue_length{instance="b"}': "32x90",
        'tintype_browser_slots{state="running",instance="a"}': "4x90",
        'tintype_browser_slots{state="running",instance="b"}': "4x90",
      },
    ],
    quiet: { tintype_queue_length: "30x90", 'tintype_browser_slots{state="running"}': "8x90" },
  },
  TintypeJobsWait: {
    fires: { tintype_queued_captures: "9x90", 'tintype_captures_total{format="png"}': "5x90" },
    quiet: { tintype_queued_captures: "9x90", 'tintype_captures_total{format="png"}': "0+5x90" },
  },
  TintypeBrowsersEnd: {
    fires: { 'tintype_browser_ends_total{reason="hung"}': "0+2x90", 'tintype_captures_total{format="png"}': "0+10x90" },
    quiet: { 'tintype_browser_ends_total{reason="worn"}': "0+9x90", 'tintype_captures_total{format="png"}': "0+10x90" },
  },
  TintypePrivateTargets: {
    fires: { 'tintype_egress_refusals_total{reason="private_address"}': "0+30x90" },
    quiet: { 'tintype_egress_refusals_total{reason="blocked"}': "0+300x90" },
  },
  TintypeMailLost: {
    fires: { 'tintype_mails_total{result="failed"}': "0x60 1x29" },
    quiet: { 'tintype_mails_total{result="retried"}': "0+5x90" },
  },
  TintypeWebhooksFail: {
    fires: { 'tintype_webhook_tries_total{result="retried"}': "0+6x90", 'tintype_webhook_tries_total{result="delivered"}': "0+5x90" },
    quiet: { 'tintype_webhook_tries_total{result="retried"}': "0+4x90", 'tintype_webhook_tries_total{result="delivered"}': "0+5x90" },
  },
  TintypeBillingSilent: {
    fires: { tintype_billing_webhook_age_seconds: "300000x90" },
    quiet: { tintype_billing_webhook_age_seconds: "200000x90" },
  },
  TintypeReservationsSwept: {
    fires: { 'tintype_quota_refunds_total{reason="swept"}': "0x84 3x5" },
    quiet: { 'tintype_quota_refunds_total{reason="failed"}': "0+3x90" },
  },
};

test("workers scale only by the running and queued captures of their release, even while the database is down", { skip }, async (t) => {
  const series = (service: string, [running, waiting]: [number, number], queued?: number) => {
    const labels = `namespace="shots",service="${service}-worker-metrics"`;
    return [
      { series: `tintype_browser_slots{state="running",${labels}}`, values: `${running}x9` },
      { series: `tintype_queue_length{${labels}}`, values: `${waiting}x9` },
      { series: `tintype_queued_captures{${labels}}`, values: `${queued ?? "_"}x9` },
    ];
  };
  const blue = (await workersTrigger("blue")).query;
  const other = series("green-tintype", [64, 100], 1_000);
  const of = (input_series: object[], wanted?: number) => ({
    interval: "1m",
    input_series,
    promql_expr_test: [{ expr: blue, eval_time: "5m", exp_samples: wanted === undefined ? [] : [{ labels: "{}", value: wanted }] }],
  });
  const tests = [
    of([...series("blue-tintype", [3, 2], 10), ...other], 15),
    of([...series("blue-tintype", [3, 2]), ...other], 5),
    of(other, undefined),
  ];
  const file = join(folderOf(t), "tests.yml");
  writeFileSync(file, stringify({ evaluation_interval: "1m", tests }));
  await promisify(execFile)("promtool", ["test", "rules", file]).catch(({ stdout, stderr }) => assert.fail(`${stdout}\n${stderr}`));
});

test("a release's alerts use only its own series, next to other releases in the same namespace and in others", { skip }, async (t) => {
  const folder = folderOf(t);
  const releases = [
    { release: "prod", namespace: "shots", ready: 0 },
    { release: "staging", namespace: "shots", ready: 1 },
    { release: "prod", namespace: "preview", ready: 1 },
  ];
  const files = releases.map(({ release, namespace }) => join(folder, `${namespace}-${release}.yml`));
  for (const [index, { release, namespace }] of releases.entries())
    writeFileSync(files[index] ?? "", stringify(await alertsOf(release, "--namespace", namespace)));
  const own = ({ release, namespace }: { release: string; namespace: string }) =>
    `namespace="${namespace}",service="${release}-tintype-api-metrics"`;
  const firing = (alertname: string, exp_samples: object[]) => ({
    expr: `ALERTS{alertname="${alertname}",alertstate="firing"}`,
    eval_time: "10m",
    exp_samples,
  });
  const fired = (alertname: string, { release, namespace }: { release: string; namespace: string }) => ({
    labels: `ALERTS{alertname="${alertname}",alertstate="firing",namespace="${namespace}",release="${release}",severity="critical"}`,
    value: 1,
  });
  const [prod = assert.fail(), ...others] = releases;
  const notReady = releases.flatMap((of) => [
    { series: `tintype_ready{role="api",${own(of)}}`, values: `${of.ready}x20` },
    { series: `tintype_queue_length{${own(of)}}`, values: "0x20" },
  ]);
  const away = others.flatMap((of) => [
    { series: `tintype_ready{role="api",${own(of)}}`, values: "1x20" },
    { series: `tintype_queue_length{${own(of)}}`, values: "0x20" },
  ]);
  const tests = [
    [notReady, [firing("TintypeUnavailable", [fired("TintypeUnavailable", prod)]), firing("TintypeAbsent", [])]] as const,
    [away, ["TintypeUnavailable", "TintypeAbsent"].map((alert) => firing(alert, [fired(alert, prod)]))] as const,
  ].map(([input_series, promql_expr_test]) => ({ interval: "1m", input_series, promql_expr_test }));
  const file = join(folder, "tests.yml");
  writeFileSync(file, stringify({ rule_files: files, evaluation_interval: "1m", tests }));
  for (const rules of files) await promisify(execFile)("promtool", ["check", "rules", rules]);
  await promisify(execFile)("promtool", ["test", "rules", file]).catch(({ stdout, stderr }) => assert.fail(`${stdout}\n${stderr}`));
});

test("Prometheus accepts the alerts, and each fires exactly when it should", { skip }, async (t) => {
  await promisify(execFile)("promtool", ["check", "rules", alertsFile]);
  assert.deepEqual(
    Object.keys(cases),
    alerts.map(({ alert }) => alert),
  );
  const file = join(folderOf(t), "tests.yml");
  const tests = Object.entries(cases).flatMap(([alertname, { fires, quiet }]) =>
    [fires, quiet].flat().map((series) => ({
      interval: "1m",
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"}) or vector(0)`,
          eval_time: "89m",
          exp_samples: [{ labels: "{}", value: [quiet].flat().includes(series) ? 0 : 1 }],
        },
      ],
    })),
  );
  writeFileSync(file, stringify({ rule_files: [alertsFile], evaluation_interval: "1m", tests }));
  await promisify(execFile)("promtool", ["test", "rules", file]).catch(({ stdout, stderr }) => assert.fail(`${stdout}\n${stderr}`));
});

test("Prometheus scrapes a running service, and every query of the dashboard has data", { skip }, async (t) => {
  const site = await createSite(t, { "/": colouredPage("#00ff00", "<h1>Open") });
  const service = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host });
  const metricsServer = createMetricsServer(service.services);
  t.after(() => metricsServer.close());
  await metricsServer.listen({ host: "127.0.0.1", port: 0 });
  const { port: metricsPort } = metricsServer.server.address() as AddressInfo;

  const folder = folderOf(t);
  const scrape = { job_name: "tintype", static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] };
  const global = { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" };
  writeFileSync(join(folder, "prometheus.yml"), stringify({ global, rule_files: [alertsFile], scrape_configs: [scrape] }));
  const port = await freePort();
  const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`];
  spawnProcess(t, ["prometheus", ...flags], {});
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined); // it isn't listening immediately
    return response?.ok ? (await response.json()).data : undefined;
  };

  const { key } = await service.createAccount();
  const { metrics } = service.services;
  let shots = 0;
  /** Takes captures, and produces the metrics that exist only after mail, webhooks and failures. */
  const live = async () => {
    shots += 1;
    const answered = [
      await service.take({ api_key: key, url: `${site.origin}/?shot=${shots}`, is_cached: "true" }),
      await service.take({ api_key: key, url: "ftp://x" }),
    ];
    for (const response of answered) await response.arrayBuffer();
    metrics.mails.inc({ result: "sent" });
    metrics.webhookAttempts.inc({ result: "delivered" });
    metrics.browserEnds.inc({ reason: "worn" });
    metrics.egressRefusals.inc({ reason: "private_address" });
  };
  const missing = async () => {
    await live();
    const without: string[] = [];
    for (const { title, targets } of board.panels)
      for (const { expr } of targets) {
        const query = expr.replaceAll("$__rate_interval", "30s").replaceAll("$job", ".*");
        const found = await ask(`query?${new URLSearchParams({ query })}`);
        const isData = found?.result.some(({ value }: { value: [number, string] }) => value[1] !== "NaN");
        if (!isData) without.push(`${title}: ${expr}`);
      }
    return without;
  };
  let without: string[] = [];
  await eventually("all panels have data", async () => {
    without = await missing();
    return without.length === 0;
  }).catch((error) => assert.fail(`${error}\n${without.join("\n")}`));

  const rules = await ask("rules");
  assert.deepEqual(
    rules.groups[0].rules.map(({ name, health }: { name: string; health: string }) => [name, health]),
    alerts.map(({ alert }) => [alert, "ok"]),
  );
});
