/** The decision on each connection: notations of URLs, DNS answers, ports, the service's infrastructure. */

import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import type { ServiceEndpoint } from "../../src/egress/own-infrastructure.ts";
import { LookupTimeout } from "../../src/egress/resolve.ts";
import { createVet, EgressRefused } from "../../src/egress/vet.ts";
import { eventually } from "../support/eventually.ts";
import { answers, internalNames, literals, names, type Outcome, uncanonicalHosts } from "./forms.ts";

const { signal } = new AbortController();

function setUp({ allowed = "", infrastructure = [] as ServiceEndpoint[], resolve = async (host: string) => answers[host] ?? [] } = {}) {
  const lookups: string[] = [];
  const clock = { ms: 0 };
  const vet = createVet({
    now: () => clock.ms,
    allowedHosts: parseAllowedHosts(allowed),
    infrastructure,
    resolve: async (host) => {
      lookups.push(host);
      return resolve(host);
    },
  });
  return { ...vet, lookups, clock };
}

async function outcomeOf(vetting: Promise<unknown>): Promise<string> {
  try {
    await vetting;
    return "allowed";
  } catch (error) {
    if (error instanceof EgressRefused) return error.reason;
    throw error;
  }
}

async function outcomeOfUrl({ vetUrl }: ReturnType<typeof setUp>, form: string): Promise<string> {
  return URL.canParse(form) ? outcomeOf(vetUrl(new URL(form), signal)) : "unparsable";
}

const show = (form: string, outcome: Outcome) => `${JSON.stringify(form)} is ${outcome}`;

for (const [form, outcome] of [...literals, ...internalNames]) {
  test(`${show(form, outcome)}, without a DNS lookup`, async () => {
    const vet = setUp();
    assert.equal(await outcomeOfUrl(vet, form), outcome);
    assert.deepEqual(vet.lookups, []);
  });
}

for (const [form, outcome] of names) {
  test(`${show(form, outcome)}, with one DNS lookup`, async () => {
    const vet = setUp();
    assert.equal(await outcomeOfUrl(vet, form), outcome);
    assert.deepEqual(vet.lookups, [new URL(form).hostname]);
  });
}

for (const host of uncanonicalHosts) {
  test(`the host ${JSON.stringify(host)} is refused without parsing or lookup`, async () => {
    const { vet, lookups } = setUp({ allowed: "0.0.0.0/0,::/0" });
    assert.equal(await outcomeOf(vet(host, 80, signal)), "invalid_host");
    assert.deepEqual(lookups, []);
  });
}

for (const port of [0, -1, 1.5, 65_536, Number.NaN]) {
  test(`port ${port} is refused`, async () =>
    assert.equal(await outcomeOf(setUp({ allowed: "a.example:81" }).vet("public.example", port, signal)), "port"));
}

test("all addresses of a single lookup are returned, in order", async () => {
  const { vet } = setUp();
  assert.deepEqual(await vet("public.example", 443, signal), { addresses: ["93.184.215.14", "2606:4700::1111"] });
  assert.deepEqual(await vet("[2606:4700::1111]", 443, signal), { addresses: ["2606:4700::1111"] });
});

test("of a name with thousands of addresses, the first 64 are vetted and returned", async () => {
  const addresses = Array.from({ length: 4_000 }, (_, index) => `93.184.${index >> 8}.${index & 255}`);
  const { vet } = setUp({ resolve: async () => addresses });
  assert.deepEqual(await vet("public.example", 443, signal), { addresses: addresses.slice(0, 64) });
});

test("DNS rebinding: every lookup is checked again", async () => {
  const replies = [["93.184.215.14"], ["127.0.0.1"]];
  const { vet } = setUp({ resolve: async () => replies.shift() ?? [] });
  assert.deepEqual(await vet("rebind.example", 80, signal), { addresses: ["93.184.215.14"] });
  assert.equal(await outcomeOf(vet("rebind.example", 80, signal)), "private_address");
});

test("a DNS timeout and a name that doesn't exist have different reasons", async () => {
  const { vet } = setUp({ resolve: async () => Promise.reject(new LookupTimeout("late")) });
  assert.equal(await outcomeOf(vet("slow.example", 80, signal)), "dns_timeout");
});

test("an aborted request is not vetted", async () => {
  const { vet, lookups } = setUp();
  await assert.rejects(vet("public.example", 80, AbortSignal.abort(new Error("gone"))), /gone/);
  assert.deepEqual(lookups, []);
});

test("an allowed address, range or name is reachable although it is private", async () => {
  assert.equal(await outcomeOf(setUp({ allowed: "10.0.0.0/8" }).vet("private.example", 80, signal)), "allowed");
  assert.equal(await outcomeOf(setUp({ allowed: "private.example" }).vet("private.example", 80, signal)), "allowed");
  assert.equal(await outcomeOf(setUp({ allowed: "private.example:8080" }).vet("private.example", 80, signal)), "private_address");
  assert.equal(await outcomeOf(setUp({ allowed: "10.0.0.8" }).vet("private.example", 80, signal)), "private_address");
  assert.equal(await outcomeOf(setUp({ allowed: "10.0.0.0/8" }).vet("mixed6.example", 80, signal)), "private_address");
});

test("an internal name is resolved only if its name, or any address, is allowed", async () => {
  for (const [allowed, outcome] of [
    ["db", "allowed"],
    ["10.0.0.0/8", "allowed"],
    ["10.0.0.1:80", "allowed"],
    ["192.168.0.0/16", "private_address"],
    ["cache", "name_not_resolved"],
  ] as const) {
    assert.equal(await outcomeOf(setUp({ allowed, resolve: async () => ["10.0.0.1"] }).vet("db", 80, signal)), outcome, allowed);
  }
});

test("a name with a refused address looks like one that doesn't exist; a refused literal address does not", async () => {
  const { vet } = setUp({ infrastructure: [{ host: "public.example", port: 9000 }] });
  const isAsUnresolved = (host: string, port: number) =>
    vet(host, port, signal).then(
      () => assert.fail(host),
      ({ asUnresolved }) => asUnresolved,
    );
  for (const host of ["private.example", "mixed.example", "missing.example", "db", "public.example"])
    assert.equal(await isAsUnresolved(host, 9000), true, host);
  for (const host of ["10.0.0.1", "[::1]", "localhost", "a.localhost"]) assert.equal(await isAsUnresolved(host, 9000), false, host);
  assert.equal(await isAsUnresolved("public.example", 22), false, "a refused port is refused for every name");
});

test("an allowed IPv4 range does not allow IPv6 addresses that embed it", async () => {
  for (const host of ["[::ffff:a00:1]", "[::a00:1]", "[64:ff9b::a00:1]", "[2002:a00:1::]"]) {
    assert.equal(await outcomeOf(setUp({ allowed: "10.0.0.0/8" }).vet(host, 80, signal)), "private_address");
  }
});

test("localhost resolves to the allowed loopback addresses", async () => {
  assert.deepEqual(await setUp({ allowed: "127.0.0.1:8080" }).vet("localhost", 8080, signal), { addresses: ["127.0.0.1"] });
  assert.deepEqual(await setUp({ allowed: "localhost" }).vet("localhost", 8080, signal), { addresses: ["127.0.0.1", "::1"] });
  assert.equal(await outcomeOf(setUp({ allowed: "localhost" }).vet("a.localhost", 8080, signal)), "private_address");
});

test("a port below 1024 is allowed only for the host listed with it", async () => {
  const { vet } = setUp({
    allowed: "printer.lan:81,10.0.0.7:82",
    resolve: async (host) => (host === "printer.lan" ? ["10.0.0.7"] : ["93.184.215.14"]),
  });
  assert.equal(await outcomeOf(vet("printer.lan", 81, signal)), "allowed");
  assert.equal(await outcomeOf(vet("printer.lan", 82, signal)), "allowed");
  assert.equal(await outcomeOf(vet("public.example", 81, signal)), "port");
  assert.equal(await outcomeOf(vet("public.example", 83, signal)), "port");
});

const everything = "0.0.0.0/0,::/0,localhost,db,cache.internal";

test("the service's infrastructure is refused by name and by address even if everything is allowed", async () => {
  const { vet } = setUp({
    allowed: everything,
    infrastructure: [
      { host: "DB", port: 5432 },
      { host: "cache.internal", port: 6379 },
      { host: "10.0.0.9", port: 9000 },
      { host: "fd00::9", port: 9000 },
    ],
    resolve: async (host) =>
      ({ db: ["172.18.0.2"], "cache.internal": ["10.0.0.3"], "alias.example": ["1.1.1.1", "10.0.0.3"] })[host.replace(/\.$/, "")] ?? [],
  });
  const refused: [string, number][] = [
    ["db", 5432],
    ["db.", 5432],
    ["172.18.0.2", 5432],
    ["cache.internal", 6379],
    ["alias.example", 6379],
    ["10.0.0.3", 6379],
    ["[::ffff:a00:3]", 6379],
    ["10.0.0.9", 9000],
    ["[::ffff:a00:9]", 9000],
    ["[fd00::9]", 9000],
  ];
  for (const [host, port] of refused) assert.equal(await outcomeOf(vet(host, port, signal)), "own_infrastructure", `${host}:${port}`);
  for (const [host, port] of [
    ["db", 8080],
    ["10.0.0.3", 8080],
    ["10.0.0.4", 6379],
    ["10.0.0.9", 9001],
  ] as const) {
    assert.equal(await outcomeOf(vet(host, port, signal)), "allowed", `${host}:${port}`);
  }
});

test("a local listener is refused at every address of this machine", async () => {
  const { vet } = setUp({
    allowed: everything,
    infrastructure: [
      { host: "0.0.0.0", port: 3000 },
      { host: "localhost", port: 5432 },
    ],
  });
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const hosts = interfaces.filter(({ address, family }) => family === "IPv4" && !address.includes("%")).map(({ address }) => address);
  for (const host of [...hosts, "127.0.0.1", "127.9.9.9", "0.0.0.0", "localhost", "[::1]", "[::]", "[::ffff:7f00:1]"]) {
    for (const port of [3000, 5432]) assert.equal(await outcomeOf(vet(host, port, signal)), "own_infrastructure", `${host}:${port}`);
  }
  assert.equal(await outcomeOf(vet("127.0.0.1", 8080, signal)), "allowed");
});

test("if the name of one of the service's endpoints can't be resolved, every private address with its port is refused", async () => {
  const { vet } = setUp({ allowed: everything, infrastructure: [{ host: "gone.internal", port: 6379 }] });
  assert.equal(await outcomeOf(vet("10.0.0.3", 6379, signal)), "own_infrastructure");
  assert.equal(await outcomeOf(vet("10.0.0.3", 6380, signal)), "allowed");
});

test("hundreds of the service's endpoints with one port are looked up at the same time, and each name once for all that wait", async () => {
  const gate = Promise.withResolvers<void>();
  const isOwn = (host: string) => host.endsWith(".proxy.example");
  const { vet, lookups } = setUp({
    infrastructure: Array.from({ length: 300 }, (_, index) => ({ host: `c${index % 100}.proxy.example`, port: 8080 })),
    resolve: async (host) => {
      if (!isOwn(host)) return ["93.184.215.14"];
      await gate.promise;
      return [host.startsWith("c99.") ? "9.9.9.9" : "8.8.8.8"];
    },
  });
  const leaving = new AbortController();
  const left = vet("left.example", 8080, leaving.signal).then(
    () => "allowed",
    (error) => error,
  );
  const vetting = Array.from({ length: 20 }, (_, index) => outcomeOf(vet(`page${index}.example`, 8080, signal)));
  const own = outcomeOf(vet("9.9.9.9", 8080, signal));
  await eventually("all are being looked up", async () => lookups.filter(isOwn).length >= 100);
  leaving.abort("left");
  assert.equal(await left, "left");
  gate.resolve();
  assert.deepEqual(new Set(await Promise.all(vetting)), new Set(["allowed"]));
  assert.equal(await own, "own_infrastructure");
  assert.equal(lookups.filter(isOwn).length, 100);
});

test("a proxy whose name has no address refuses nothing in its place, and delays one lookup", async () => {
  let slow = Promise.withResolvers<string[]>();
  slow.resolve([]);
  const { vet, lookups, clock } = setUp({
    infrastructure: [
      { host: "bad.proxy.example", port: 8080, isProxy: true },
      { host: "good.proxy.example", port: 8080, isProxy: true },
    ],
    resolve: async (host) => {
      if (host.startsWith("bad.")) return await slow.promise;
      return host.startsWith("good.") ? ["9.9.9.9"] : ["8.8.8.8"];
    },
  });
  const lookedUp = (name: string) => lookups.filter((host) => host === name).length;
  assert.equal(await outcomeOf(vet("page.example", 8080, signal)), "allowed");
  assert.equal(await outcomeOf(vet("9.9.9.9", 8080, signal)), "own_infrastructure");
  assert.deepEqual([lookedUp("bad.proxy.example"), lookedUp("good.proxy.example")], [1, 1]);
  clock.ms += 20_000;
  slow = Promise.withResolvers<string[]>(); // its name server has stopped responding
  for (let page = 0; page < 3; page += 1) assert.equal(await outcomeOf(vet("page.example", 8080, signal)), "allowed");
  assert.deepEqual([lookedUp("bad.proxy.example"), lookedUp("good.proxy.example")], [2, 1]);
  slow.resolve(["9.9.9.8"]);
  await eventually("it is known", async () => (await outcomeOf(vet("9.9.9.8", 8080, signal))) === "own_infrastructure");
});

test("an answer that is no address refuses the name", async () => {
  const { vet } = setUp({ resolve: async () => [""] });
  assert.equal(await outcomeOf(vet("example.com", 443, signal)), "private_address");
});

test("a proxy is refused at its address as well, on the ports of the web too", async () => {
  const infrastructure = [80, 443, 8080].map((port) => ({ host: "proxy.example", port, isProxy: true }));
  const { vet } = setUp({ infrastructure, resolve: async () => ["9.9.9.9"] });
  for (const host of ["proxy.example", "alias.example", "9.9.9.9"])
    for (const port of [80, 443, 8080]) assert.equal(await outcomeOf(vet(host, port, signal)), "own_infrastructure", `${host}:${port}`);
  assert.equal(await outcomeOf(vet("9.9.9.8", 443, signal)), "allowed");
});

test("the addresses of an endpoint are looked up again after a minute, and remembered while its name has none", async () => {
  let found = ["10.0.0.3"];
  const { vet, lookups, clock } = setUp({
    allowed: everything,
    infrastructure: [{ host: "cache.internal", port: 6379 }],
    resolve: async () => found,
  });
  const outcomes = async () => [await outcomeOf(vet("10.0.0.3", 6379, signal)), await outcomeOf(vet("10.0.0.4", 6379, signal))];
  assert.deepEqual(await outcomes(), ["own_infrastructure", "allowed"]);
  found = ["10.0.0.4"];
  clock.ms += 59_000;
  assert.deepEqual([await outcomes(), lookups.length], [["own_infrastructure", "allowed"], 1]);
  clock.ms += 2_000;
  assert.deepEqual([await outcomes(), lookups.length], [["allowed", "own_infrastructure"], 2]);
  found = [];
  clock.ms += 61_000;
  assert.deepEqual([await outcomes(), lookups.length], [["allowed", "own_infrastructure"], 3]);
});

test("storage on a shared public address: its name is refused, other sites at that address are not", async () => {
  const { vet, lookups } = setUp({ infrastructure: [{ host: "storage.example", port: 443 }], resolve: async () => ["93.184.215.14"] });
  assert.equal(await outcomeOf(vet("other.example", 443, signal)), "allowed");
  assert.deepEqual(lookups, ["other.example"]);
  assert.equal(await outcomeOf(vet("storage.example", 443, signal)), "own_infrastructure");
});

test("public URL behind an internal reverse proxy: its name is refused, the proxy's other sites are not", async () => {
  const { vet } = setUp({
    allowed: everything,
    infrastructure: [{ host: "dashboard.internal", port: 443, isPublic: true }],
    resolve: async () => ["10.0.0.5"],
  });
  assert.equal(await outcomeOf(vet("wiki.internal", 443, signal)), "allowed");
  assert.equal(await outcomeOf(vet("dashboard.internal", 443, signal)), "own_infrastructure");
  assert.equal(await outcomeOf(vet("dashboard.internal.", 443, signal)), "own_infrastructure");
});

test("public URL at a public address: pages may reach it", async () => {
  const infrastructure = [
    { host: "api.example", port: 443, isPublic: true },
    { host: "api.example", port: 8443, isPublic: true },
    { host: "93.184.215.14", port: 8080, isPublic: true },
  ];
  const { vet } = setUp({ infrastructure, resolve: async () => ["93.184.215.14"] });
  for (const port of [443, 8443]) assert.equal(await outcomeOf(vet("api.example", port, signal)), "allowed", String(port));
  assert.equal(await outcomeOf(vet("93.184.215.14", 8080, signal)), "allowed");
});

test("public URL at an internal address with a dedicated port: refused by every name", async () => {
  const { vet } = setUp({
    allowed: everything,
    infrastructure: [{ host: "dashboard.internal", port: 3001, isPublic: true }],
    resolve: async () => ["10.0.0.5"],
  });
  for (const host of ["dashboard.internal", "alias.example", "10.0.0.5"])
    assert.equal(await outcomeOf(vet(host, 3001, signal)), "own_infrastructure", host);
});

test("public URL at localhost: refused by every name of this machine", async () => {
  const { vet } = setUp({ allowed: everything, infrastructure: [{ host: "localhost", port: 80, isPublic: true }] });
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) assert.equal(await outcomeOf(vet(host, 80, signal)), "own_infrastructure", host);
});

test("an unblocked listener is reachable again", async () => {
  const { vet, block } = setUp({ allowed: everything });
  const unblock = block({ host: "127.0.0.1", port: 40_000 });
  assert.equal(await outcomeOf(vet("localhost", 40_000, signal)), "own_infrastructure");
  unblock();
  assert.equal(await outcomeOf(vet("localhost", 40_000, signal)), "allowed");
});
