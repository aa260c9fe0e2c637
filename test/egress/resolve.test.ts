/** The resolver, against a DNS server that the test runs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createResolve, LookupTimeout } from "../../src/egress/resolve.ts";
import { noSuchName, refused, startNameServer, typeA, typeAaaa } from "../support/name-server.ts";

const { signal } = new AbortController();

test("both address families are queried, and IPv4 addresses come first", async (t) => {
  const { servers } = await startNameServer(t, (_name, type) =>
    type === typeA
      ? [
          [93, 184, 215, 14],
          [10, 0, 0, 7],
        ]
      : [[0x26, 6, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]],
  );
  const resolve = createResolve({ asSystem: () => false, timeoutMs: 5_000, servers });
  assert.deepEqual(await resolve("both.example", signal), ["93.184.215.14", "10.0.0.7", "2606:4700::1111"]);
});

test("if one family has no answer, the other's addresses are returned", async (t) => {
  const { servers } = await startNameServer(t, (_name, type) => (type === typeAaaa ? refused : [[93, 184, 215, 14]]));
  assert.deepEqual(await createResolve({ asSystem: () => false, timeoutMs: 5_000, servers })("four.example", signal), ["93.184.215.14"]);
  const silent = await startNameServer(t, (_name, type) => (type === typeAaaa ? undefined : [[93, 184, 215, 14]]));
  const impatient = createResolve({ asSystem: () => false, timeoutMs: 300, servers: silent.servers });
  assert.deepEqual(await impatient("four.example", signal), ["93.184.215.14"]);
});

test("a name that doesn't exist has no addresses", async (t) => {
  const { servers } = await startNameServer(t, () => noSuchName);
  assert.deepEqual(await createResolve({ asSystem: () => false, timeoutMs: 5_000, servers })("missing.example", signal), []);
});

test("a name server that doesn't respond times out", async (t) => {
  const { servers, asked } = await startNameServer(t, () => undefined);
  await assert.rejects(createResolve({ asSystem: () => false, timeoutMs: 200, servers })("slow.example", signal), LookupTimeout);
  assert.ok(asked.includes("slow.example"));
});

test("an aborted lookup ends with the signal's reason", async (t) => {
  const leaving = new AbortController();
  const { servers } = await startNameServer(t, () => {
    leaving.abort(new Error("gone"));
    return undefined;
  });
  await assert.rejects(createResolve({ asSystem: () => false, timeoutMs: 60_000, servers })("slow.example", leaving.signal), /gone/);
});

test("names selected by asSystem are resolved by the system, others are not", async (t) => {
  const { servers, asked } = await startNameServer(t, () => noSuchName);
  const resolve = createResolve({ asSystem: (host) => host === "localhost", timeoutMs: 5_000, servers });
  assert.ok((await resolve("localhost", signal)).some((ip) => ip === "127.0.0.1" || ip === "::1"));
  assert.deepEqual(asked, []);
  assert.deepEqual(await resolve("other.localhost", signal), []);
});
