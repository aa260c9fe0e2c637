/** EGRESS_ALLOWED_HOSTS: what each kind of entry allows, and which entries are invalid. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";

test("an empty setting allows nothing", () => {
  for (const text of ["", " ", " , ,"]) assert.equal(parseAllowedHosts(text).matches("localhost", 80, "127.0.0.1"), false);
});

const allowed = parseAllowedHosts("Intranet.example, printer.lan:81 ,10.0.0.5,10.0.0.6:8080,192.168.0.0/16, fd00::/8,::1,[fd01::1]:9000");

const expectations: [host: string, port: number, ip: string, matches: boolean][] = [
  ["intranet.example", 80, "10.9.9.9", true],
  ["intranet.example.", 443, "10.9.9.9", true],
  ["sub.intranet.example", 80, "10.9.9.9", false],
  ["printer.lan", 81, "10.9.9.9", true],
  ["printer.lan", 80, "10.9.9.9", false],
  ["10.0.0.5", 80, "10.0.0.5", true],
  ["any.example", 80, "10.0.0.5", true],
  ["10.0.0.6", 8080, "10.0.0.6", true],
  ["10.0.0.6", 8081, "10.0.0.6", false],
  ["any.example", 80, "192.168.3.4", true],
  ["any.example", 80, "192.169.3.4", false],
  ["any.example", 80, "::ffff:192.168.3.4", false],
  ["[fd12::1]", 80, "fd12::1", true],
  ["[fd12::1]", 80, "fd12::1%eth0", false],
  ["[fe80::1]", 80, "fe80::1", false],
  ["[::1]", 80, "::1", true],
  ["127.0.0.1", 80, "127.0.0.1", false],
  ["[fd01::1]", 9000, "fd01::1", true],
];
for (const [host, port, ip, matches] of expectations) {
  test(`${host}:${port} at ${ip} is ${matches ? "" : "not "}allowed`, () => assert.equal(allowed.matches(host, port, ip), matches));
}

test("an IPv6 range doesn't allow any IPv4 address, not even ::/0", () => {
  for (const range of ["::/0", "::/3", "::ffff:0:0/96"]) assert.equal(parseAllowedHosts(range).matches("a.example", 80, "10.0.0.1"), false);
});

test("namesPort and matchesPort require an entry with that port", () => {
  assert.equal(allowed.namesPort(81), true);
  assert.equal(allowed.namesPort(80), false);
  assert.equal(allowed.matchesPort("printer.lan", 81, "10.9.9.9"), true);
  assert.equal(allowed.matchesPort("other.lan", 81, "192.168.3.4"), false);
});

const bad = [
  "*.example",
  "http://a.example",
  "a.example/path",
  "10.0.0.0/33",
  "fd00::/129",
  "10.0.0/8",
  "a.example:0",
  "a.example:65536",
  "a.example:web",
  "127.1",
  "0x7f.1",
  "[::1",
  "[a.example]:80",
  "fe80::1%eth0",
  "a b",
  "user@a.example",
  "bücher.example",
];
for (const entry of bad) {
  test(`invalid entry ${entry}: the error names the entry and the valid forms`, () => {
    assert.throws(
      () => parseAllowedHosts(`a.example,${entry},b.example`),
      (error: Error) => error.message.includes(JSON.stringify(entry)) && error.message.includes("CIDR"),
    );
  });
}
