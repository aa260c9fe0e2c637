/** The resolver, against a name server of the test's own. */

import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { createResolve, LookupTimeout } from "../../src/egress/resolve.ts";

const { signal } = new AbortController();
const typeA = 1;
const typeAaaa = 28;

/** Rcode, or the raw addresses of the type that was asked for; `undefined` stays silent. */
type Reply = number | number[][] | undefined;

/** A name server on loopback (RFC 1035); its address as resolvers take it. */
async function startNameServer(t: TestContext, reply: (name: string, type: number) => Reply) {
  const asked: string[] = [];
  const server = createSocket("udp4");
  server.on("message", (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const labels: string[] = [];
    for (let at = 12; query[at] !== 0; at += 1 + (query[at] ?? 0)) labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
    const type = query.readUInt16BE(end - 4);
    const name = labels.join(".").toLowerCase();
    asked.push(name);
    const answer = reply(name, type);
    if (answer === undefined) return;
    const records =
      typeof answer === "number"
        ? []
        : answer.map((bytes) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]));
    const header = Buffer.from([0, 0, 0x81, 0x80 + (typeof answer === "number" ? answer : 0), 0, 1, 0, records.length, 0, 0, 0, 0]);
    query.copy(header, 0, 0, 2);
    server.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => void server.close());
  return { servers: [`127.0.0.1:${server.address().port}`], asked };
}

const refused = 5;
const noSuchName = 3;

test("both families are asked, IPv4 comes first", async (t) => {
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

test("a family without an answer leaves the other's standing", async (t) => {
  const { servers } = await startNameServer(t, (_name, type) => (type === typeAaaa ? refused : [[93, 184, 215, 14]]));
  assert.deepEqual(await createResolve({ asSystem: () => false, timeoutMs: 5_000, servers })("four.example", signal), ["93.184.215.14"]);
  const silent = await startNameServer(t, (_name, type) => (type === typeAaaa ? undefined : [[93, 184, 215, 14]]));
  const impatient = createResolve({ asSystem: () => false, timeoutMs: 300, servers: silent.servers });
  assert.deepEqual(await impatient("four.example", signal), ["93.184.215.14"]);
});

test("a name that does not exist has no address", async (t) => {
  const { servers } = await startNameServer(t, () => noSuchName);
  assert.deepEqual(await createResolve({ asSystem: () => false, timeoutMs: 5_000, servers })("missing.example", signal), []);
});

test("a silent name server is given up in time", async (t) => {
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

test("names that an operator wrote down are found where the system finds them, others are not", async (t) => {
  const { servers, asked } = await startNameServer(t, () => noSuchName);
  const resolve = createResolve({ asSystem: (host) => host === "localhost", timeoutMs: 5_000, servers });
  assert.ok((await resolve("localhost", signal)).some((ip) => ip === "127.0.0.1" || ip === "::1"));
  assert.deepEqual(asked, []);
  assert.deepEqual(await resolve("other.localhost", signal), []);
});
