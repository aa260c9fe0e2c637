/** compose.scale.yml and the balancer's configuration. The long tests run the balancer itself. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse, parseDocument } from "yaml";
import { configuration } from "./balancer.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const scale = parse(read("compose.scale.yml"), { logLevel: "silent" });
const base = parse(read("docker-compose.yml"), { merge: true });

test("only the balancer publishes the API's port, at the single container's address", () => {
  const ports = parseDocument(read("compose.scale.yml")).getIn(["services", "api", "ports"], true) as { tag?: string };
  assert.equal(ports.tag, "!reset");
  assert.deepEqual(scale.services.balancer.ports, base.services.api.ports);
});

test("the balancer has no privileges, and reaches the API only through the network that the API trusts", () => {
  const { balancer } = scale.services;
  assert.deepEqual([balancer.cap_drop, balancer.read_only, balancer.user], [["ALL"], true, "haproxy"]);
  assert.deepEqual(balancer.security_opt, ["no-new-privileges=true"]);
  const shared = balancer.networks.filter((name: string) => base.services.api.networks.includes(name));
  assert.deepEqual(shared, ["front"]);
  assert.ok(base.services.api.environment.TRUST_PROXY.startsWith(base.networks.front.ipam.config[0].subnet));
});

test("every command keeps the number of containers, which fits the limits of PostgreSQL and the balancer", () => {
  assert.match(scale.services.api.scale, /^\$\{API_CONTAINERS:-\d\}$/);
  const containersMax = Number(/server-template api (\d+)/.exec(configuration)?.[1]);
  const connectionsMax = Number(/max_connections=(\d+)/.exec(scale.services.postgres.command.join(" "))?.[1]);
  const ofEach = Number(/Each container opens up to (\d+) connections/.exec(read("docs/operations.md"))?.[1]);
  assert.ok(containersMax * ofEach < connectionsMax, `${containersMax} × ${ofEach} of ${connectionsMax}`);
});

test("the balancer logs neither paths nor queries, and waits longer than any capture", () => {
  const format = /^ +log-format "(.*)"$/m.exec(configuration)?.[1] ?? assert.fail("no log format");
  assert.doesNotMatch(format, /%(r|HU|HP|HQ|HPO|hr|\[)/);
  assert.doesNotMatch(configuration, /option (httplog|tcplog)|capture request/);
  for (const name of ["client", "server"]) {
    const seconds = Number(new RegExp(`^ +timeout ${name} (\\d+)s$`, "m").exec(configuration)?.[1]);
    assert.ok(seconds > 90 + 30, name);
  }
});

test("the buffers of all accepted connections fit into the balancer's memory", () => {
  const setting = (name: string) => Number(new RegExp(`^ +${name} (\\d+)$`, "m").exec(configuration)?.[1]);
  assert.equal(scale.services.balancer.mem_limit, "1g");
  assert.ok(setting("maxconn") * 3 * setting("tune.bufsize") < 0.8 * 2 ** 30);
});

test("one caller gets a twentieth of the balancer's connections, and incomplete requests time out", () => {
  const shares = [...configuration.matchAll(/sc\d_conn_cur gt (\d+) /g)].map(([, share]) => Number(share));
  assert.deepEqual(shares, [100, 100]);
  assert.match(configuration, /^ {2}maxconn 2000$/m);
  assert.match(configuration, /^ {2}timeout http-request 10s$/m);
  assert.match(configuration, /^ {2}http-request wait-for-body time 10s$/m);
});
