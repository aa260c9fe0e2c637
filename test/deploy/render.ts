/** Renders the chart with Helm. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { helmProgram } from "../../scripts/stack/helm.ts";

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec?: unknown;
  data?: Record<string, string>;
}

export const chart = fileURLToPath(new URL("../../charts/tintype", import.meta.url));
/** The values required from someone who already has stores. */
export const threeValues = {
  existingSecret: "tintype-settings",
  image: { registry: "registry.example.com/team" },
  dashboard: { url: "https://dashboard.example.com" },
};

/** Runs Helm with `values` on its standard input. @throws {Error} with what it printed as the message. */
export async function helm(args: string[], values: object = {}): Promise<string> {
  const program = await helmProgram(AbortSignal.timeout(300_000));
  const running = promisify(execFile)(program, [...args, "--values", "-"], { maxBuffer: 64 * 1024 * 1024 });
  running.child.stdin?.end(JSON.stringify(values));
  try {
    return (await running).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error([stdout, stderr].join("\n").replace(/^level=INFO .*\n/gm, ""));
  }
}

/** The objects of an installation named `tintype` in the namespace `shots`. @throws {Error} with what Helm printed. */
export function render(values: object, ...args: string[]): Promise<KubernetesObject[]> {
  return renderRelease("tintype", values, ...args);
}

/** The objects of a release with another name. @throws {Error} with what Helm printed. */
export async function renderRelease(release: string, values: object, ...args: string[]): Promise<KubernetesObject[]> {
  const text = await helm(["template", release, chart, "--namespace", "shots", ...args], values);
  return parseAllDocuments(text).flatMap((document) => (document.toJS() === null ? [] : [document.toJS() as KubernetesObject]));
}

/** The object with this kind and name. @throws {AssertionError} if there is none. */
export function find(objects: KubernetesObject[], kind: string, name: string): KubernetesObject {
  return objects.find((one) => one.kind === kind && one.metadata.name === name) ?? assert.fail(`no ${kind} ${name}`);
}

/** Merged as Helm does: objects deeply, everything else replaced. */
export function merged(base: object, over: object): object {
  const both = (a: unknown, b: unknown) => [a, b].every((value) => typeof value === "object" && value !== null && !Array.isArray(value));
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over))
    result[key] = both(result[key], value) ? merged(result[key] as object, value as object) : value;
  return result;
}

export interface Rule {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: { summary: string; description: string };
}

/** The alerts of a release in the namespace `shots`, or in the namespace given by `args`. */
export async function alertsOf(release: string, ...args: string[]): Promise<{ groups: { name: string; rules: Rule[] }[] }> {
  const objects = await renderRelease(release, merged(threeValues, { monitoring: { rules: { enabled: true } } }), ...args);
  const rules = objects.find(({ kind }) => kind === "PrometheusRule") ?? { spec: undefined };
  return rules.spec as { groups: { name: string; rules: Rule[] }[] };
}

/** The query by which KEDA scales the workers of a release in the namespace `shots`, and its trigger's other settings. */
export async function workersTrigger(release: string): Promise<Record<string, string> & { query: string }> {
  const autoscaling = { kind: "keda", prometheusUrl: "http://prometheus.monitoring:9090" };
  const objects = await renderRelease(release, merged(threeValues, { worker: { autoscaling } }));
  const { spec } = objects.find(({ kind }) => kind === "ScaledObject") ?? {};
  return (spec as { triggers: { metadata: Record<string, string> & { query: string } }[] }).triggers[0]?.metadata ?? { query: "" };
}
