/** The address policy: which addresses are public. */

import assert from "node:assert/strict";
import { isIP } from "node:net";
import { test } from "node:test";
import { canonicalAddress, judgeAddress } from "../../src/egress/address-policy.ts";
import { literals } from "./forms.ts";

for (const [form, outcome] of literals) {
  if ((outcome !== "allowed" && outcome !== "private_address") || !URL.canParse(form)) continue;
  const ip = new URL(form).hostname.replace(/^\[|\]$/g, "");
  if (!isIP(ip)) continue;
  test(`${ip}, written as ${JSON.stringify(form)}, is ${outcome === "allowed" ? "public" : "not public"}`, () => {
    assert.equal(judgeAddress(ip).allowed, outcome === "allowed");
  });
}

test("the reason names the address block and its RFC", () => {
  assert.deepEqual(judgeAddress("10.1.2.3"), { allowed: false, reason: "private (RFC 1918)" });
  assert.deepEqual(judgeAddress("2001::1"), { allowed: false, reason: "Teredo (RFC 4380)" });
  assert.deepEqual(judgeAddress("2001:1ff::1"), { allowed: false, reason: "IETF protocol assignments (RFC 2928)" });
  assert.deepEqual(judgeAddress("4000::1"), { allowed: false, reason: "outside global unicast, 2000::/3 (RFC 4291)" });
});

for (const text of [
  "",
  "localhost",
  "127.1",
  "0x7f000001",
  "[2606:4700::1111]",
  "2606:4700::1111%eth0",
  "93.184.215.14/32",
  "93.184.215.14 ",
  "093.184.215.14",
]) {
  test(`${JSON.stringify(text)} is not accepted as a public address`, () => assert.equal(judgeAddress(text).allowed, false));
}

test("canonicalAddress: all notations of an IPv6 address give the same result", () => {
  const spellings = ["2606:4700:0:0:0:0:0:1111", "2606:4700::1111", "2606:4700::0.0.17.17", "2606:4700:0000::1111"];
  assert.deepEqual(new Set(spellings.map(canonicalAddress)), new Set(["2606:4700::1111"]));
});
