/** The Prometheus alerts and the Grafana dashboard. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { alertsOf, type Rule, render, renderRelease, threeValues, workersTrigger } from "./render.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const alerts: Rule[] = parse(read("deploy/prometheus/alerts.yml")).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
const board = JSON.parse(read("deploy/grafana/tintype.json")) as {
  panels: { title: string; description: string; gridPos: { x: number; y: number; w: number; h: number }; targets: { expr: string }[] }[];
};

/** Replaces variables as Grafana does before querying Prometheus. */
const filled = (expression: string) => expression.replaceAll("$__rate_interval", "5m").replaceAll("$job", ".*");
const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...board.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, filled(expr)] as const)),
];

interface Selector {
  metric: string;
  labels: string[];
}

/** The series that an expression selects. @throws {AssertionError} if it is not PromQL. */
function selectorsOf(expression: string): Selector[] {
  const selectors: Selector[] = [];
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      assert.ok(!type.isError, `${expression} is not PromQL at ${from}`);
      if (type.name !== "VectorSelector") return;
      const metric = /^\w+/.exec(expression.slice(from, to))?.[0] ?? "";
      const labels = [...expression.slice(from, to).matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map((match) => match[1] as string);
      assert.ok(node.firstChild, expression);
      selectors.push({ metric, labels });
    },
  });
  return selectors;
}

test("every expression is valid PromQL and uses existing metrics and labels", async () => {
  const known = new Map<string, Set<string>>();
  for (const metric of await createMetrics().registry.getMetricsAsArray()) {
    const labels = new Set([...((metric as unknown as { labelNames?: string[] }).labelNames ?? []), "job", "le"]);
    for (const suffix of ["", "_bucket", "_count", "_sum"]) known.set(`${metric.name}${suffix}`, labels);
  }
  assert.ok(expressions.length > 25);
  for (const [name, expression] of expressions) {
    const selectors = selectorsOf(expression);
    assert.ok(selectors.length > 0, name);
    for (const { metric, labels } of selectors) {
      assert.ok(known.has(metric), `${name}: the service has no metric ${metric}`);
      for (const label of labels) assert.ok(known.get(metric)?.has(label), `${name}: ${metric} has no label ${label}`);
    }
  }
});

test("counters used by alerts start at 0, so that the first event is an increase", async () => {
  const text = await createMetrics().registry.metrics();
  const wanted = alerts.flatMap(({ expr }) => [...expr.matchAll(/(tintype_\w+_total)\{(\w+)(=~?)"([^"]+)"\}/g)]);
  assert.ok(wanted.length > 8);
  for (const [, metric, label, operator, values = ""] of wanted)
    for (const value of operator === "=~" ? values.split("|") : [values])
      assert.ok(text.includes(`${metric}{${label}="${value}"} 0\n`), `${metric} ${value}`);
  assert.match(text, /^tintype_captures_total\{format="png"\} 0$/m);
});

test("the checks detect a misspelled metric and invalid PromQL", () => {
  assert.deepEqual(selectorsOf('sum(rate(tintype_failure_total{code="x"}[5m]))'), [{ metric: "tintype_failure_total", labels: ["code"] }]);
  assert.throws(() => selectorsOf("sum(rate(tintype_failures_total[5m])"), /is not PromQL/);
});

test("docs/operations.md describes exactly the existing alerts", () => {
  const documented = [...read("docs/operations.md").matchAll(/^\| `(Tintype\w+)` +\| (\S.*)\|$/gm)].map((match) => match[1]);
  assert.deepEqual(
    documented,
    alerts.map(({ alert }) => alert),
  );
  for (const { labels, annotations } of alerts) {
    assert.match(labels.severity ?? "", /^(critical|warning)$/);
    assert.ok(annotations.summary && annotations.description);
  }
});

test("the dashboard's panels don't overlap, and each has a description", () => {
  const cells = new Set<string>();
  for (const { title, description, gridPos } of board.panels) {
    assert.ok(description, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(x < 24 && !cells.has(`${x} ${y}`), `${title} overlaps at ${x} ${y}`);
        cells.add(`${x} ${y}`);
      }
  }
});

test("the chart installs the same alerts, restricted to the release's own series", async () => {
  const rules = (await alertsOf("blue")).groups.flatMap((group) => group.rules);
  const own = 'namespace="shots",service=~"blue-tintype-(api|worker)-metrics"';
  for (const { alert, expr } of rules)
    for (const { metric, labels } of selectorsOf(expr))
      assert.deepEqual(labels.slice(0, 2), ["namespace", "service"], `${alert}: ${metric}`);
  assert.deepEqual(
    rules.map((rule) => ({ ...rule, expr: rule.expr.replaceAll(`{${own}}`, "").replaceAll(`{${own},`, "{") })),
    alerts.map((rule) => ({ ...rule, labels: { ...rule.labels, namespace: "shots", release: "blue" } })),
  );
});

test("the chart installs the same dashboard", async () => {
  const objects = await render({ ...threeValues, monitoring: { board: { enabled: true } } });
  const configMap = objects.find(({ metadata }) => metadata.name === "tintype-board");
  assert.equal(configMap?.data?.["tintype.json"], read("deploy/grafana/tintype.json"));
});

test("workers scale by their own release's load, and not on missing data", async () => {
  const { query, ignoreNullValues } = await workersTrigger("shots");
  const selectors = selectorsOf(query);
  assert.equal(selectors.length, 3);
  for (const { metric, labels } of selectors)
    assert.deepEqual(
      labels.filter((label) => label !== "state"),
      ["namespace", "service"],
      metric,
    );
  assert.equal(ignoreNullValues, "false");
  const hpa = { worker: { autoscaling: { kind: "hpa" } } };
  const names = (await renderRelease("blue", { ...threeValues, ...hpa })).flatMap(
    (object) => JSON.stringify(object).match(/\w+_captures_wanted/g) ?? [],
  );
  assert.deepEqual(names, ["blue_tintype_captures_wanted"]);
  const services = (await renderRelease("shots", threeValues)).filter(
    ({ kind, metadata }) => kind === "Service" && metadata.labels["tintype.io/metrics"],
  );
  const [, pattern = ""] = /service=~"([^"]+)"/.exec(query) ?? [];
  assert.equal(services.length, 2);
  for (const { metadata } of services) assert.match(metadata.name, new RegExp(`^(?:${pattern})$`));
});
