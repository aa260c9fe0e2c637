/** The chart's NetworkPolicies: what pods can reach, and that they work in a namespace that denies all other traffic. */

import assert from "node:assert/strict";
import { BlockList, isIPv6 } from "node:net";
import { test } from "node:test";
import { find, type KubernetesObject, merged, render, threeValues } from "./render.ts";

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  podSelector?: { matchLabels?: Record<string, string>; matchExpressions?: { key: string; values: string[] }[] };
}
interface PolicyRule {
  ports?: { port: number | string; protocol?: string }[];
  to?: Peer[];
  from?: Peer[];
}
interface Policy {
  podSelector: NonNullable<Peer["podSelector"]>;
  policyTypes: string[];
  ingress?: PolicyRule[];
  egress?: PolicyRule[];
}

const component = "app.kubernetes.io/component";
const policyOf = (objects: KubernetesObject[], name: string) => find(objects, "NetworkPolicy", name).spec as Policy;
const objects = await render(threeValues);
const connected = ["tintype-api", "tintype-worker", "tintype-migration"];

function contains(cidr: string, address: string): boolean {
  const [network = "", prefix] = cidr.split("/");
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  if (isIPv6(network) !== isIPv6(address)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}

/** Whether a pod under this policy may send to an address outside the cluster's pods. */
function reaches({ egress = [] }: Policy, address: string, port: number, protocol = "TCP"): boolean {
  const isPort = ({ ports }: PolicyRule) => !ports || ports.some((one) => one.port === port && (one.protocol ?? "TCP") === protocol);
  const isTarget = ({ ipBlock }: Peer) =>
    ipBlock !== undefined && contains(ipBlock.cidr, address) && !(ipBlock.except ?? []).some((cidr) => contains(cidr, address));
  return egress.some((rule) => isPort(rule) && (!rule.to || rule.to.some(isTarget)));
}

test("workers and captured pages can't reach any private address except the stores' ports", () => {
  const policy = policyOf(objects, "tintype-worker");
  for (const address of ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
    for (const port of [80, 443, 8080]) assert.ok(reaches(policy, address, port), address);
  const private4 = ["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "127.0.0.1", "100.64.0.1"];
  for (const address of [...private4, "fd00::1", "fe80::1"]) {
    for (const port of [80, 443, 8080]) assert.ok(!reaches(policy, address, port), address);
    for (const port of [5432, 6379, 8333, 9000]) assert.ok(reaches(policy, address, port), address);
  }
});

test("DNS works with a node-local cache, and with GKE's Cloud DNS at the metadata address", () => {
  for (const name of [...connected, "tintype-web", "tintype-test"])
    for (const address of ["169.254.20.10", "169.254.169.254"]) {
      for (const protocol of ["UDP", "TCP"]) assert.ok(reaches(policyOf(objects, name), address, 53, protocol), `${name} ${address}`);
      for (const port of [80, 443, 8080]) assert.ok(!reaches(policyOf(objects, name), address, port), `${name} ${address}:${port}`);
    }
});

test("in a default-deny namespace, the migration reaches the stores and helm test reaches the API", () => {
  assert.deepEqual(policyOf(objects, "tintype-migration").egress, policyOf(objects, "tintype-api").egress);
  assert.deepEqual(policyOf(objects, "tintype-test").egress, policyOf(objects, "tintype-web").egress);
  for (const name of ["migration", "test"]) {
    const { podSelector, policyTypes, ingress } = policyOf(objects, `tintype-${name}`);
    assert.equal(podSelector.matchLabels?.[component], name);
    assert.deepEqual([policyTypes, ingress], [["Ingress", "Egress"], undefined]);
  }
});

test("bundled stores accept only the release's own pods", async () => {
  const bundled = await render(merged(threeValues, { existingSecret: "", bundled: { enabled: true } }));
  const { podSelector, policyTypes, ingress = [] } = policyOf(bundled, "tintype-stores");
  assert.deepEqual(policyTypes, ["Ingress"]);
  const own = { "app.kubernetes.io/name": "tintype", "app.kubernetes.io/instance": "tintype" };
  const [rule, ...others] = ingress;
  assert.deepEqual([rule?.ports, others], [[{ port: "store" }], []]);
  const among = (selector: Peer["podSelector"]) => {
    assert.deepEqual(selector?.matchLabels, own);
    return selector?.matchExpressions?.map(({ key, values }) => [key, values]);
  };
  assert.deepEqual(among(podSelector), [[component, ["postgres", "redis", "s3"]]]);
  assert.deepEqual(
    rule?.from?.map((peer) => among(peer.podSelector)),
    [[[component, ["api", "worker", "migration"]]]],
  );
});

test("without the dashboard and the migration, there are no policies for them", async () => {
  const values = { dashboard: { enabled: false, url: "" }, migration: { enabled: false } };
  const names = (await render(merged(threeValues, values))).flatMap(({ kind, metadata }) =>
    kind === "NetworkPolicy" ? metadata.name : [],
  );
  assert.deepEqual(names.sort(), ["tintype-api", "tintype-test", "tintype-worker"]);
});
