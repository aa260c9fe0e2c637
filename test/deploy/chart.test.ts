/** The Helm chart: what it installs, validated against Kubernetes' own schemas. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import { parse } from "yaml";
import { settings } from "../../src/settings/config.ts";
import { readConfig } from "../../src/settings/read-config.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { chart, find, helm, type KubernetesObject, merged, render, renderRelease, threeValues } from "./render.ts";

const longTest = longOnly(test);
/** Only an upgrade renders all of the chart's objects. */
const upgrade = "--is-upgrade";
const root = fileURLToPath(new URL("../..", import.meta.url));
const hosts = { api: { url: "https://shots.example.com" }, dashboard: { url: "https://dashboard.example.com" } };
const prometheusUrl = "http://prometheus.monitoring:9090";

/** Values files for different clusters, all of which must install. */
const clusters: Record<string, object> = {
  "three values": {},
  "bundled stores": { existingSecret: "", bundled: { enabled: true } },
  "bundled stores with a storage class": {
    existingSecret: "",
    bundled: { enabled: true, storageClass: "fast", databaseSize: "1Gi", imagesSize: "1.5Ti" },
  },
  "an Ingress": { ...hosts, ingress: { enabled: true, className: "nginx" } },
  "an Ingress with TLS": { ...hosts, ingress: { enabled: true, tlsSecret: "tls", annotations: { "cert-manager.io/cluster-issuer": "x" } } },
  "a Gateway": { ...hosts, httpRoute: { enabled: true, parentRefs: [{ name: "public", namespace: "edge" }] } },
  "a Gateway without the dashboard": {
    ...hosts,
    dashboard: { enabled: false },
    httpRoute: { enabled: true, parentRefs: [{ name: "public" }] },
  },
  "no dashboard": { dashboard: { enabled: false, url: "" } },
  keda: { worker: { captures: 8, autoscaling: { kind: "keda", prometheusUrl } } },
  hpa: { worker: { captures: 6, autoscaling: { kind: "hpa", min: 1, max: 100, usedPercent: 75 } } },
  "an API that scales": { api: { autoscaling: { enabled: true, min: 3, max: 30 } } },
  "all Prometheus Operator objects": {
    monitoring: {
      serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
      rules: { enabled: true, labels: { release: "prometheus" } },
      board: { enabled: true },
    },
  },
  "the Security Profiles Operator": { worker: { seccomp: "operator" } },
  "an installed profile": { worker: { seccomp: "installed", hostUsers: true } },
  gVisor: { worker: { seccomp: "unconfined", runtimeClassName: "gvisor" } },
  "dedicated nodes": {
    worker: { nodeSelector: { pool: "browsers" }, tolerations: [{ key: "browsers", operator: "Exists" }], podLabels: { team: "web" } },
    api: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
  },
  settings: { settings: { SIGN_UP: "open", MAX_FULL_PAGE_HEIGHT: 100_000, CHROMIUM_WEBGL: true, TRUST_PROXY: "10.0.0.0/8" } },
  "non-secret settings of the stores": {
    settings: { REDIS_KEY_PREFIX: "shots:", STORAGE_BUCKET: "shots", STORAGE_REGION: "auto", STORAGE_USE_PATH_STYLE_ENDPOINT: true },
  },
  "resources in many notations": {
    api: { resources: { requests: { cpu: 0.5, memory: "1e9", "ephemeral-storage": "1.5Gi", "example.com/device": 1 } } },
  },
  "a browser endpoint": { settings: { CDP_PORT: 9222, CDP_MAX_SESSIONS: 2 } },
  "one pod of each kind": { api: { replicas: 1 }, worker: { replicas: 1, captures: 1 }, dashboard: { replicas: 1 } },
  "large workers": { worker: { captures: 64, resources: { limits: { memory: "64Gi" }, requests: { cpu: "32", memory: "32Gi" } } } },
  "no policies": { networkPolicy: { enabled: false }, podDisruptionBudget: { enabled: false }, migration: { enabled: false } },
  "stores elsewhere": { networkPolicy: { storePorts: [], extraEgress: [{ to: [{ ipBlock: { cidr: "10.1.2.3/32" } }] }] } },
  "a load balancer": { service: { type: "LoadBalancer", annotations: { "example.com/internal": "true" } } },
  "IPv6 alone": { settings: { HOST: "::" } },
  "a private registry": { image: { registry: "localhost:5000", tag: "1.2.3", pullPolicy: "Always", pullSecrets: ["pull"] } },
  "images with digests": { image: { digest: `sha256:${"0".repeat(64)}`, webDigest: `sha256:${"1".repeat(64)}` } },
  "names that YAML takes for numbers or booleans": {
    ...hosts,
    existingSecret: "123",
    image: { tag: "1.10", pullSecrets: ["1e5"] },
    ingress: { enabled: true, className: "1", tlsSecret: "2" },
    worker: { runtimeClassName: "3" },
    networkPolicy: { monitoringNamespace: "4" },
    serviceAccount: { name: "true" },
    test: { keySecret: "null" },
  },
  "a private CA": {
    api: {
      extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
      extraVolumeMounts: [{ name: "ca", mountPath: "/ca", readOnly: true }],
    },
    worker: { extraVolumes: [{ name: "ca", configMap: { name: "ca" } }], extraVolumeMounts: [{ name: "ca", mountPath: "/ca" }] },
  },
  "an account and a key for helm test": { serviceAccount: { name: "existing" }, test: { keySecret: "test-key" } },
};

/** Together, these have every kind of object. */
const kinds = [
  "bundled stores with a storage class",
  "an Ingress with TLS",
  "a Gateway",
  "no dashboard",
  "keda",
  "hpa",
  "an API that scales",
  "all Prometheus Operator objects",
  "the Security Profiles Operator",
  "resources in many notations",
  "names that YAML takes for numbers or booleans",
];
const matrix = Object.entries(clusters).filter((entry) => kinds.includes(entry[0]) || onlyLong([entry]).length > 0);

/** Modules of the packages with Kubernetes' types, by API group. */
function moduleOf({ apiVersion, kind }: KubernetesObject): string | undefined {
  if (apiVersion.startsWith("monitoring.coreos.com/")) return `@kubernetes-models/prometheus-operator/${apiVersion}/${kind}`;
  if (apiVersion.startsWith("keda.sh/")) return `@kubernetes-models/keda/${apiVersion}/${kind}`;
  if (apiVersion.startsWith("gateway.networking.k8s.io/")) return `@kubernetes-models/gateway-api/${apiVersion}/${kind}`;
  if (apiVersion.startsWith("security-profiles-operator.")) return undefined; // has no published types
  return `kubernetes-models/${apiVersion.replace(/\.(k8s|authorization\.k8s)\.io\//, (group) => group)}/${kind}`;
}

const podOf = (objects: KubernetesObject[], name: string) => {
  const { spec } = find(objects, "Deployment", name) as IDeployment;
  return spec?.template.spec ?? assert.fail("no pod");
};
const environmentOf = (objects: KubernetesObject[], name: string) =>
  Object.fromEntries((podOf(objects, name).containers[0]?.env ?? []).map(({ name: key, value }) => [key, value ?? ""]));

test("helm lint accepts the chart with three values", async () => {
  assert.match(await helm(["lint", chart, "--strict"], threeValues), /0 chart\(s\) failed/);
});

longTest("Kubernetes' types and schemas accept what the chart renders for every kind of cluster", async (t) => {
  const rendered = new Map<string, KubernetesObject[]>();
  for (const [name, values] of matrix) rendered.set(name, await render(merged(threeValues, values), upgrade));
  await typeCheck(t, rendered);
  for (const [name, objects] of rendered) {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    assert.equal(new Set(names).size, names.length, `${name} renders an object twice`);
    for (const object of objects) {
      await validate(name, object);
      for (const block of ipBlocksOf(object)) assertStrictSubsets(name, block);
    }
  }
});

longTest("releases with any name get valid objects that don't collide", async () => {
  const blueAndGreen = ["blue", "green"].map((colour) => `screenshots-production-eu-west-1-${colour}`);
  const releases = [
    "tintype",
    "true",
    "2026.tintype",
    "shots.prod",
    ...onlyLong(["2026", "1e5", "shots-prod"]),
    ...blueAndGreen,
    "x".repeat(53),
  ];
  const owners = new Map<string, string>();
  for (const release of releases)
    for (const object of await renderRelease(release, merged(threeValues, { existingSecret: "", bundled: { enabled: true } }))) {
      const { kind, metadata } = object;
      await validate(release, object);
      assert.match(metadata.name, /^[a-z][-a-z0-9]{0,61}[a-z0-9]$/, `${release}: ${kind}`);
      assert.equal(metadata.labels["app.kubernetes.io/instance"], release);
      const owner = owners.get(`${kind} ${metadata.name}`);
      assert.equal(owner, undefined, `${kind} ${metadata.name} of ${release} and ${owner}`);
      owners.set(`${kind} ${metadata.name}`, release);
    }
});

test("a digest replaces an image's tag, and every pod gets the pull secrets", async () => {
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
  const image = { digest, tag: "1.2.3", pullSecrets: ["pull"] };
  const objects = await render(merged(threeValues, { existingSecret: "", bundled: { enabled: true }, image }));
  assert.equal(podOf(objects, "tintype-api").containers[0]?.image, `registry.example.com/team/tintype@${digest}`);
  assert.equal(podOf(objects, "tintype-web").containers[0]?.image, "registry.example.com/team/tintype-web:1.2.3");
  const pods = objects.flatMap(({ kind, spec }) =>
    ["Deployment", "DaemonSet", "StatefulSet"].includes(kind) ? [(spec as NonNullable<IDeployment["spec"]>).template.spec] : [],
  );
  assert.deepEqual(
    pods.map((pod) => pod?.imagePullSecrets),
    pods.map(() => [{ name: "pull" }]),
  );
  assert.equal(pods.length, 7);
});

interface IpBlock {
  cidr: string;
  except?: string[];
}

/** Every `ipBlock` in an object, at any depth. */
function ipBlocksOf(value: unknown): IpBlock[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "ipBlock" ? [inner as IpBlock] : ipBlocksOf(inner)));
}

/**
 * A rule of the API server that is not in Kubernetes' types: each exception is a strict subset of the block as Go compares networks,
 * where an IPv4-mapped address counts as IPv4.
 */
function assertStrictSubsets(name: string, { cidr, except = [] }: IpBlock): void {
  const parsed = (text: string) => {
    const [address = "", prefix = ""] = text.split("/");
    assert.ok(isIP(address) !== 0 && /^\d+$/.test(prefix), `${name}: ${text} is not a CIDR`);
    const isIpv4 = isIP(address) === 4 || /^::ffff:/i.test(new URL(`http://[${address}]`).hostname.slice(1));
    return { address, prefix: Number(prefix), family: isIpv4 ? "ipv4" : "ipv6" } as const;
  };
  const outer = parsed(cidr);
  const network = new BlockList();
  network.addSubnet(outer.address, outer.prefix, outer.family);
  for (const text of except) {
    const { address, prefix, family } = parsed(text);
    const isInside = family === outer.family && network.check(address, family) && prefix > outer.prefix;
    assert.ok(isInside, `${name}: ${text} is not a strict subset of ${cidr}`);
  }
}

test("null means the default, for sections and values", async () => {
  const defaults = await render(threeValues);
  const sections = parse(readFileSync(join(chart, "values.yaml"), "utf8"));
  const nulls = (values: object) => Object.fromEntries(Object.keys(values).map((name) => [name, null]));
  assert.deepEqual(await render({ ...nulls(sections), ...threeValues }), defaults);
  const worker = nulls(sections.worker);
  assert.deepEqual(await render({ ...threeValues, worker, monitoring: { rules: null }, bundled: { enabled: null } }), defaults);
  const { containers } = podOf(await render({ ...threeValues, api: { resources: { limits: null } } }), "tintype-api");
  assert.deepEqual(containers[0]?.resources, { requests: { cpu: "500m", memory: "384Mi" } });
});

/** Writes every object as a literal of its type, so that a misspelled or misplaced field is a TypeScript error. */
async function typeCheck(t: TestContext, rendered: Map<string, KubernetesObject[]>): Promise<void> {
  mkdirSync(join(root, ".local"), { recursive: true });
  const folder = mkdtempSync(join(root, ".local/chart-types-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const literals = new Map<string, string>();
  for (const objects of rendered.values())
    for (const object of objects) {
      const module = moduleOf(object);
      if (module) literals.set(`${JSON.stringify(object)} satisfies import("${module}").I${object.kind}`, object.kind);
    }
  const lines = [...literals.keys()].map((literal, index) => `export const object${index} = ${literal};`);
  assert.ok(lines.length > 50, `${lines.length} objects`);
  writeFileSync(join(folder, "objects.ts"), lines.join("\n"));
  const options = { module: "nodenext", moduleResolution: "nodenext", target: "es2022", strict: true, skipLibCheck: true, noEmit: true };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...options, types: [] }, files: ["objects.ts"] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", folder]).catch(({ stdout }) => assert.fail(stdout.slice(0, 4_000)));
}

async function validate(name: string, object: KubernetesObject): Promise<void> {
  const module = moduleOf(object);
  if (!module) return;
  const { [object.kind]: Model } = await import(module);
  assert.doesNotThrow(() => new Model(object).validate(), `${name}: ${object.kind} ${object.metadata.name}`);
}

test("workers have only the privileges required by Chromium's sandbox, and no pod has a token", async () => {
  const objects = await render(threeValues);
  for (const { kind, metadata, spec } of objects) {
    if (kind !== "Deployment") continue;
    const pod = (spec as NonNullable<IDeployment["spec"]>).template.spec ?? assert.fail();
    assert.equal(pod.automountServiceAccountToken, false, metadata.name);
    for (const { securityContext } of pod.containers)
      assert.deepEqual(
        securityContext,
        {
          runAsNonRoot: true,
          runAsUser: 1000,
          runAsGroup: 1000,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        metadata.name,
      );
  }
  const worker = podOf(objects, "tintype-worker");
  assert.equal(worker.hostUsers, false);
});

test("the DaemonSet installs the repository's seccomp profile", async () => {
  const profile = readFileSync(join(root, "docker/seccomp-chromium.json"), "utf8");
  const objects = await render(threeValues);
  assert.equal(find(objects, "ConfigMap", "tintype-seccomp").data?.["chromium.json"], profile);
  const file = `chromium-${createHash("sha256").update(profile).digest("hex").slice(0, 12)}.json`;
  const used = (of: KubernetesObject[]) => podOf(of, "tintype-worker").securityContext?.seccompProfile;
  assert.deepEqual(used(objects), { type: "Localhost", localhostProfile: `tintype/${file}` });
  assert.match(JSON.stringify(find(objects, "DaemonSet", "tintype-seccomp")), new RegExp(` /node/${file}\\b`));
  const installed = await render(merged(threeValues, { worker: { seccomp: "installed" } }));
  assert.deepEqual(used(installed), { type: "Localhost", localhostProfile: "tintype/chromium.json" });
  const [operator] = (await render(merged(threeValues, { worker: { seccomp: "operator" } }))).filter(
    ({ kind }) => kind === "SeccompProfile",
  );
  const { defaultAction, syscalls } = (operator ?? assert.fail("no profile")).spec as {
    defaultAction: string;
    syscalls: { names: string[]; action: string }[];
  };
  const allowed = (rules: { names: string[] }[]) => rules.flatMap(({ names }) => names).sort();
  assert.equal(defaultAction, "SCMP_ACT_ERRNO");
  assert.deepEqual(allowed(syscalls), allowed(JSON.parse(profile).syscalls));
});

test("the service accepts the environment that the chart gives each role", async () => {
  const values = merged(threeValues, {
    api: { url: "https://shots.example.com" },
    settings: { SIGN_UP: "open", MAX_FULL_PAGE_HEIGHT: 90_000, RATE_LIMIT_MAX_REQUESTS: 1_000_000, OTEL_TRACES_SAMPLER_ARG: 0.05 },
  });
  const secret = {
    AUTH_SECRET: "0123456789abcdef0123456789abcdef",
    DATABASE_URL: "postgresql://u:p@db:5432/tintype",
    REDIS_URL: "redis://redis:6379",
    STORAGE_URL: "https://s3.example.com",
    STORAGE_BUCKET: "tintype",
    STORAGE_REGION: "auto",
    STORAGE_ACCESS_KEY_ID: "id",
    STORAGE_SECRET_ACCESS_KEY: "secret",
  };
  const objects = await render(values, "--set", "settings.CDP_MAX_WAIT=300000");
  for (const role of ["api", "worker"]) {
    const given = environmentOf(objects, `tintype-${role}`);
    for (const name of Object.keys(given)) assert.ok(name in settings.shape, `${name} is not a setting`);
    const config = await readConfig({ NODE_ENV: "production", ...secret, ...given });
    assert.equal(config.ROLE, role);
    assert.equal(config.MAX_FULL_PAGE_HEIGHT, 90_000);
    assert.deepEqual([given.RATE_LIMIT_MAX_REQUESTS, given.OTEL_TRACES_SAMPLER_ARG, given.CDP_MAX_WAIT], ["1000000", "0.05", "300000"]);
    assert.equal(config.WEB_PUBLIC_URL, "https://dashboard.example.com");
  }
});

test("fractions can be set on the command line", async () => {
  const objects = await render(threeValues, "--set", "settings.OTEL_TRACES_SAMPLER_ARG=0.05");
  assert.equal(environmentOf(objects, "tintype-worker").OTEL_TRACES_SAMPLER_ARG, "0.05");
});

test("extra volumes are mounted in the pods that connect to the stores", async () => {
  const extra = { extraVolumes: [{ name: "ca", secret: { secretName: "ca" } }], extraVolumeMounts: [{ mountPath: "/ca", name: "ca" }] };
  const objects = await render(merged(threeValues, { api: extra, worker: extra }), upgrade);
  const withCa = objects.filter((object) => JSON.stringify(object).includes(JSON.stringify(extra.extraVolumes[0])));
  assert.deepEqual(
    withCa.map(({ metadata }) => metadata.name),
    ["tintype-api", "tintype-worker", "tintype-migration"],
  );
  for (const object of withCa) assert.ok(JSON.stringify(object).includes(JSON.stringify(extra.extraVolumeMounts[0])), object.metadata.name);
});

test("the dashboard uses the API's listen address and log level", async () => {
  const { WEB_LISTEN_HOST: byDefault } = environmentOf(await render(threeValues), "tintype-web");
  assert.equal(byDefault, undefined);
  const objects = await render(merged(threeValues, { settings: { HOST: "::", LOG_LEVEL: "debug" } }));
  const { WEB_LISTEN_HOST, LOG_LEVEL } = environmentOf(objects, "tintype-web");
  assert.deepEqual({ WEB_LISTEN_HOST, LOG_LEVEL }, { WEB_LISTEN_HOST: "::", LOG_LEVEL: "debug" });
});

test("Job pods don't get the API pods' annotations or labels, which could add a sidecar that never exits", async () => {
  const mark = { "sidecar.example.com/inject": "true" };
  const objects = await render(merged(threeValues, { api: { podAnnotations: mark, podLabels: mark } }), upgrade);
  const marked = objects
    .filter((object) => JSON.stringify(object).includes("sidecar.example.com"))
    .map(({ kind, metadata }) => [kind, metadata.name]);
  assert.deepEqual(marked, [["Deployment", "tintype-api"]]);
  find(objects, "Job", "tintype-migration");
  find(objects, "Pod", "tintype-test");
});

test("the migration Job runs only before upgrades, because Argo CD would wait for it during installation", async () => {
  const jobs = async (values: object, ...args: string[]) =>
    (await render(merged(threeValues, values), ...args)).flatMap(({ kind, metadata }) => (kind === "Job" ? [metadata.annotations] : []));
  assert.deepEqual(await jobs({}), []);
  const hook = { "helm.sh/hook": "pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded" };
  assert.deepEqual(await jobs({}, upgrade), [hook]);
  assert.deepEqual(await jobs({ migration: { enabled: false } }, upgrade), []);
});

test("workers' memory, volumes and autoscaling follow the number of captures per pod", async () => {
  const of = async (captures: number) => {
    const objects = await render(merged(threeValues, { worker: { captures, autoscaling: { kind: "hpa" } } }));
    const { containers, volumes = [] } = podOf(objects, "tintype-worker");
    const mebibytes = (text: unknown) => Number(/^(\d+)Mi$/.exec(String(text))?.[1]);
    const limit = mebibytes(containers[0]?.resources?.limits?.memory);
    const inMemory = volumes.reduce((sum, { emptyDir }) => sum + mebibytes(emptyDir?.sizeLimit), 0);
    const wanted = JSON.stringify(find(objects, "HorizontalPodAutoscaler", "tintype-worker").spec);
    return { limit, inMemory, wanted, slots: environmentOf(objects, "tintype-worker").MAX_CONCURRENT_SCREENSHOTS };
  };
  for (const captures of [1, 4, 16]) {
    const { limit, inMemory, wanted, slots } = await of(captures);
    assert.equal(slots, String(captures));
    assert.ok(limit > inMemory + 100 + 110 * captures, `${captures}: ${limit} MiB, ${inMemory} of them in volumes`);
    assert.match(wanted, new RegExp(`"averageValue":"${captures * 800}m"`));
  }
});

test("the bundled PostgreSQL has enough connections and memory for old and new pods during an upgrade", async () => {
  const of = async (values: object) => {
    const objects = await render(merged({ ...threeValues, existingSecret: "", bundled: { enabled: true } }, values));
    const { spec } = find(objects, "StatefulSet", "tintype-postgres") as { spec?: IDeployment["spec"] };
    const [container] = spec?.template.spec?.containers ?? [];
    return { args: container?.args, memory: container?.resources?.limits?.memory };
  };
  // 26 for each pod, as docs/scaling.md says: twice 2 + 2 pods, twice 3 + 5, twice 10 + 20; plus ten for the Job and for people.
  assert.deepEqual(await of({}), { args: ["-c", "max_connections=218"], memory: "1384Mi" });
  const fixed = { api: { replicas: 3 }, worker: { replicas: 5 } };
  assert.deepEqual(await of(fixed), { args: ["-c", "max_connections=426"], memory: "2216Mi" });
  const scaled = { api: { autoscaling: { enabled: true } }, worker: { autoscaling: { kind: "keda", prometheusUrl } } };
  assert.deepEqual(await of(scaled), { args: ["-c", "max_connections=1570"], memory: "6792Mi" });
});

test("the bundled stores' passwords appear in only one Secret", async () => {
  const objects = await render(merged(threeValues, { existingSecret: "", bundled: { enabled: true } }));
  const secret = find(objects, "Secret", "tintype-bundled") as KubernetesObject & { stringData: Record<string, string> };
  const others = JSON.stringify(objects.filter((one) => one !== secret));
  for (const name of ["AUTH_SECRET", "DATABASE_PASSWORD", "REDIS_PASSWORD", "STORAGE_SECRET_ACCESS_KEY"]) {
    const value = secret.stringData[name] ?? assert.fail(name);
    assert.match(value, /^\w{40}$/);
    assert.ok(!others.includes(value), name);
  }
});
