/** Requests wait for the database only behind those of the same account. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { createHttpServer } from "../../../src/http/server/http-server.ts";
import { setAccount } from "../../../src/http/server/owners.ts";
import { addressOwner, ownerOfWork } from "../../../src/shared/work-owner.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { createSite } from "../../support/site.ts";
import { createVisitor, signedUp, startWithVisitors } from "../../support/visitor.ts";

for (const by of ["key", "session"])
  test(`200 reads at once by one ${by} that the database keeps waiting don't fail another account's requests`, async (t) => {
    const site = await createSite(t, { "/": "<p>Hello</p>" });
    const service = await startWithVisitors(t, { ROLE: "all", TRUST_PROXY: "", EGRESS_ALLOWED_HOSTS: site.host });
    const [one, other] = [await service.createAccount(), await service.createAccount()];
    const [person, neighbor] = [await signedUp(service, "Ada"), await signedUp(service, "Bea")];
    const take = async (path: string) => (await service.take({ url: `${site.origin}/?${path}`, api_key: other.key })).status;
    const others = [
      async () => (await service.send("GET", "/v1/watches", other.key)).status,
      async () => (await neighbor.get("/v1/account")).status,
      async () => (await createVisitor(service).get("/health")).status,
    ];
    await Promise.all([take("first"), ...others.map((ask) => ask())]);

    // A lock simulates long reads: of a table that the others' requests don't read.
    const [locked, unlocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isLocked = true;
    const locking = service.database.transaction(
      async ({ query }) => {
        await query("lock table destinations in access exclusive mode");
        locked.resolve();
        await unlocked.promise;
      },
      { timeoutMs: 60_000 },
    );
    await locked.promise;
    const read = async () =>
      (by === "key" ? await service.send("GET", "/v1/destinations", one.key) : await person.get("/v1/account/destinations")).status;
    const repeated = async () => {
      const statuses: number[] = [];
      while (isLocked) statuses.push(await read());
      return statuses;
    };
    const ends = Promise.all(Array.from({ length: 200 }, repeated));
    await pause(500);
    const answered: number[] = [];
    for (const ask of [() => take("second"), ...others, () => take("third")]) answered.push(await ask());
    isLocked = false;
    unlocked.resolve();
    await locking;
    assert.deepEqual(answered, [200, 200, 200, 200, 200]);
    assert.deepEqual(new Set((await ends).flat().filter((status) => status !== 200 && status !== 503)), new Set());
    assert.equal(await read(), 200);
  });

test("a request's work is its account's as soon as that is known, on a kept-alive connection too", async (t) => {
  const log = pino({ level: "silent" });
  const app = createHttpServer({ config: { TRUST_PROXY: "" }, metrics: createMetrics(), closing: new AbortController().signal }, log);
  t.after(() => app.close());
  app.route({
    method: ["GET", "POST"],
    url: "/as/:account",
    handler: async (request) => {
      const { account } = request.params as { account: string };
      const at = [ownerOfWork()];
      const begun = pause(30).then(() => ownerOfWork());
      await pause(1);
      await (async () => {
        await pause(1);
        if (account !== "nobody") setAccount(request, account);
      })();
      at.push(ownerOfWork());
      await pause(50);
      return [...at, ownerOfWork(), await begun];
    },
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const ask = async (accounts: string[]) => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    for (const [index, account] of accounts.entries()) {
      const body = index % 2 === 0 ? "" : "{}";
      const length = body ? `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` : "";
      const close = index === accounts.length - 1 ? "Connection: close\r\n" : "";
      socket.write(`${body ? "POST" : "GET"} /as/${account} HTTP/1.1\r\nHost: a\r\n${length}${close}\r\n`);
      if (body) await pause(5); // the body arrives later, on its own
      socket.write(body);
    }
    await once(socket, "close");
    return [...text.matchAll(/\[.*\]/g)].map(([found]) => JSON.parse(found));
  };
  const address = addressOwner("127.0.0.1");
  const answersFor = (accounts: string[]) =>
    accounts.map((account) => [address, ...Array<string>(3).fill(account === "nobody" ? address : account)]);
  const [first, second] = [
    ["one", "one", "nobody", "nobody", "two", "nobody"],
    ["three", "nobody", "nobody", "four"],
  ];
  assert.deepEqual(await Promise.all([ask(first), ask(second)]), [answersFor(first), answersFor(second)]);
  assert.equal(ownerOfWork(), "");
});
