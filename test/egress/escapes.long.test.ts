/** Every known way for a page to reach the network, tried in a real Chromium without the egress filter and then behind it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ways } from "./escapes/ways.ts";
import { tryEscapes } from "./escapes.ts";

test("at least sixty ways to reach a loopback secret work without the egress filter, and none behind it", {
  timeout: 600_000,
}, async (t) => {
  const { without, behind, refused, table } = await tryEscapes(t, ways);
  console.log(table);
  assert.ok(without.length >= 60, `only ${without.length} ways reach the secret without the filter`);
  assert.deepEqual(behind, []);
  assert.ok(refused >= 60, `only ${refused} ways were refused by the proxy, so the others may have failed for another reason`);
});

for (const protocol of ["http", "socks5"] as const) {
  test(`no way reaches a loopback secret through a ${protocol} proxy in the same network, or around it`, {
    timeout: 600_000,
  }, async (t) => {
    const { behind, asked, refused, table } = await tryEscapes(t, ways, protocol);
    assert.deepEqual(behind, [], table);
    assert.ok(refused >= 60 && asked.length >= 60, table);
  });
}
