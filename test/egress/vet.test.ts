/** The one decision point: forms of URLs, names with their answers, ports, own infrastructure. */

import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { parseAllowedHosts } from "../../src/egress/allowed-hosts.ts";
import type { Place } from "../../src/egress/own-infrastructure.ts";
import { LookupTimeout } from "../../src/egress/resolve.ts";
import { createVet, EgressRefused } from "../../src/egress/vet.ts";
import { answers, insideNames, literals, names, type Outcome, uncanonicalHosts } from "./forms.ts";

const { signal } = new AbortController();

function setUp({ allowed = "", infrastructure = [] as Place[], resolve = async (host: string) => answers[host] ?? [] } = {}) {
  const asked: string[] = [];
  const vet = createVet({
    allowedHosts: parseAllowedHosts(allowed),
    infrastructure,
    resolve: async (host) => {
      asked.push(host);
      return resolve(host);
    },
  });
  return { ...vet, asked };
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

async function judge({ vetUrl }: ReturnType<typeof setUp>, form: string): Promise<string> {
  return URL.canParse(form) ? outcomeOf(vetUrl(new URL(form), signal)) : "unparsable";
}

const show = (form: string, outcome: Outcome) => `${JSON.stringify(form)} is ${outcome}`;

for (const [form, outcome] of [...literals, ...insideNames]) {
  test(`${show(form, outcome)}, and no name server is asked`, async () => {
    const vet = setUp();
    assert.equal(await judge(vet, form), outcome);
    assert.deepEqual(vet.asked, []);
  });
}

for (const [form, outcome] of names) {
  test(`${show(form, outcome)}, after one lookup`, async () => {
    const vet = setUp();
    assert.equal(await judge(vet, form), outcome);
    assert.deepEqual(vet.asked, [new URL(form).hostname]);
  });
}

for (const host of uncanonicalHosts) {
  test(`the host ${JSON.stringify(host)} is refused unread`, async () => {
    const { vet, asked } = setUp({ allowed: "0.0.0.0/0,::/0" });
    assert.equal(await outcomeOf(vet(host, 80, signal)), "invalid_host");
    assert.deepEqual(asked, []);
  });
}

for (const port of [0, -1, 1.5, 65_536, Number.NaN]) {
  test(`${port} is no port`, async () =>
    assert.equal(await outcomeOf(setUp({ allowed: "a.example:81" }).vet("public.example", port, signal)), "port"));
}

test("what was vetted is what is dialled: every answer of the one lookup, in its order", async () => {
  const { vet } = setUp();
  assert.deepEqual(await vet("public.example", 443, signal), { addresses: ["93.184.215.14", "2606:4700::1111"] });
  assert.deepEqual(await vet("[2606:4700::1111]", 443, signal), { addresses: ["2606:4700::1111"] });
});

test("a name that changes its mind is judged anew at every lookup", async () => {
  const replies = [["93.184.215.14"], ["127.0.0.1"]];
  const { vet } = setUp({ resolve: async () => replies.shift() ?? [] });
  assert.deepEqual(await vet("rebind.example", 80, signal), { addresses: ["93.184.215.14"] });
  assert.equal(await outcomeOf(vet("rebind.example", 80, signal)), "private_address");
});

test("a lookup without an answer in time is told from a name that does not exist", async () => {
  const { vet } = setUp({ resolve: async () => Promise.reject(new LookupTimeout("late")) });
  assert.equal(await outcomeOf(vet("slow.example", 80, signal)), "dns_timeout");
});

test("an aborted request is not vetted", async () => {
  const { vet, asked } = setUp();
  await assert.rejects(vet("public.example", 80, AbortSignal.abort(new Error("gone"))), /gone/);
  assert.deepEqual(asked, []);
});

test("an allowed address, range or name is reached although it is private", async () => {
  assert.equal(await outcomeOf(setUp({ allowed: "10.0.0.0/8" }).vet("private.example", 80, signal)), "allowed");
  assert.equal(await outcomeOf(setUp({ allowed: "private.example" }).vet("private.example", 80, signal)), "allowed");
  assert.equal(await outcomeOf(setUp({ allowed: "private.example:8080" }).vet("private.example", 80, signal)), "private_address");
  assert.equal(await outcomeOf(setUp({ allowed: "10.0.0.8" }).vet("private.example", 80, signal)), "private_address");
  assert.equal(await outcomeOf(setUp({ allowed: "10.0.0.0/8" }).vet("mixed6.example", 80, signal)), "private_address");
});

test("a name inside is looked up where an operator allows its name, or an address that it may have", async () => {
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

test("a refusal that follows from a name's address is answered like a name that does not exist, one of an address is not", async () => {
  const { vet } = setUp({ infrastructure: [{ host: "public.example", port: 9000 }] });
  const isAsUnresolved = (host: string, port: number) =>
    vet(host, port, signal).then(
      () => assert.fail(host),
      ({ asUnresolved }) => asUnresolved,
    );
  for (const host of ["private.example", "mixed.example", "missing.example", "db", "public.example"])
    assert.equal(await isAsUnresolved(host, 9000), true, host);
  for (const host of ["10.0.0.1", "[::1]", "localhost", "a.localhost"]) assert.equal(await isAsUnresolved(host, 9000), false, host);
  assert.equal(await isAsUnresolved("public.example", 22), false, "a closed port is closed for every name");
});

test("an IPv4 range does not open the disguises of its addresses", async () => {
  for (const host of ["[::ffff:a00:1]", "[::a00:1]", "[64:ff9b::a00:1]", "[2002:a00:1::]"]) {
    assert.equal(await outcomeOf(setUp({ allowed: "10.0.0.0/8" }).vet(host, 80, signal)), "private_address");
  }
});

test("localhost is dialled at the loopback addresses that are allowed", async () => {
  assert.deepEqual(await setUp({ allowed: "127.0.0.1:8080" }).vet("localhost", 8080, signal), { addresses: ["127.0.0.1"] });
  assert.deepEqual(await setUp({ allowed: "localhost" }).vet("localhost", 8080, signal), { addresses: ["127.0.0.1", "::1"] });
  assert.equal(await outcomeOf(setUp({ allowed: "localhost" }).vet("a.localhost", 8080, signal)), "private_address");
});

test("a low port is open only to the host that names it", async () => {
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

test("the own infrastructure is refused by name and by address although everything is allowed", async () => {
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

test("a listener of this machine is refused at every address of the machine", async () => {
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

test("a part whose name has no answer is taken to be any private address on its port", async () => {
  const { vet } = setUp({ allowed: everything, infrastructure: [{ host: "gone.internal", port: 6379 }] });
  assert.equal(await outcomeOf(vet("10.0.0.3", 6379, signal)), "own_infrastructure");
  assert.equal(await outcomeOf(vet("10.0.0.3", 6380, signal)), "allowed");
});

test("a public storage takes down no other site at its shared address, but its own name stays closed", async () => {
  const { vet, asked } = setUp({ infrastructure: [{ host: "storage.example", port: 443 }], resolve: async () => ["93.184.215.14"] });
  assert.equal(await outcomeOf(vet("other.example", 443, signal)), "allowed");
  assert.deepEqual(asked, ["other.example"]);
  assert.equal(await outcomeOf(vet("storage.example", 443, signal)), "own_infrastructure");
});

test("where people reach the service through a proxy inside, the name is refused and the proxy's other sites are not", async () => {
  const { vet } = setUp({
    allowed: everything,
    infrastructure: [{ host: "dashboard.internal", port: 443, isPublic: true }],
    resolve: async () => ["10.0.0.5"],
  });
  assert.equal(await outcomeOf(vet("wiki.internal", 443, signal)), "allowed");
  assert.equal(await outcomeOf(vet("dashboard.internal", 443, signal)), "own_infrastructure");
  assert.equal(await outcomeOf(vet("dashboard.internal.", 443, signal)), "own_infrastructure");
});

test("where people reach the service at a public address, pages may, as everybody", async () => {
  const infrastructure = [
    { host: "api.example", port: 443, isPublic: true },
    { host: "api.example", port: 8443, isPublic: true },
    { host: "93.184.215.14", port: 8080, isPublic: true },
  ];
  const { vet } = setUp({ infrastructure, resolve: async () => ["93.184.215.14"] });
  for (const port of [443, 8443]) assert.equal(await outcomeOf(vet("api.example", port, signal)), "allowed", String(port));
  assert.equal(await outcomeOf(vet("93.184.215.14", 8080, signal)), "allowed");
});

test("where people reach the service at an address inside, it is refused by every name on a port of its own", async () => {
  const { vet } = setUp({
    allowed: everything,
    infrastructure: [{ host: "dashboard.internal", port: 3001, isPublic: true }],
    resolve: async () => ["10.0.0.5"],
  });
  for (const host of ["dashboard.internal", "alias.example", "10.0.0.5"])
    assert.equal(await outcomeOf(vet(host, 3001, signal)), "own_infrastructure", host);
});

test("where people reach the service at localhost, it is refused by every name of this machine", async () => {
  const { vet } = setUp({ allowed: everything, infrastructure: [{ host: "localhost", port: 80, isPublic: true }] });
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) assert.equal(await outcomeOf(vet(host, 80, signal)), "own_infrastructure", host);
});

test("a listener that was let in again may be reached", async () => {
  const { vet, keepOut } = setUp({ allowed: everything });
  const letIn = keepOut({ host: "127.0.0.1", port: 40_000 });
  assert.equal(await outcomeOf(vet("localhost", 40_000, signal)), "own_infrastructure");
  letIn();
  assert.equal(await outcomeOf(vet("localhost", 40_000, signal)), "allowed");
});
