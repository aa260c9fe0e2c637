/** The management API while PostgreSQL is down or unresponsive, after it recovers, and at shutdown. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { openGate } from "../../support/gate.ts";
import { startReplica, startService } from "../../support/service.ts";
import { createVisitor, goodPassword, signedUp } from "../../support/visitor.ts";

for (const fault of ["gone", "mute"] as const) {
  test(`PostgreSQL ${fault}: every request gets a 503, no session ends, and everything works afterwards`, async (t) => {
    const gate = await openGate(t, process.env.TEST_DATABASE_URL ?? "");
    const service = await startService(t, ({ DATABASE_URL = "" }) => ({
      ROLE: "api",
      TRUST_PROXY: "127.0.0.1",
      DATABASE_URL: gate.through(DATABASE_URL),
    }));
    const person = await signedUp(service);
    const asked = () => [
      person.get("/v1/account"),
      person.get("/v1/account/keys"),
      person.post("/v1/account/keys", { name: "made" }),
      person.post("/v1/auth/sign-out"),
      createVisitor(service).post("/v1/auth/sign-in", { email: person.email, password: goodPassword }),
    ];
    if (fault === "gone") await gate.refuse();
    else gate.swallow();
    for (const { status, body, headers } of await Promise.all(asked())) {
      assert.deepEqual([status, body.code], [503, "unavailable"]);
      assert.ok(headers.get("retry-after"));
      assert.deepEqual(headers.getSetCookie(), []);
    }
    await gate.mend();
    assert.equal((await person.get("/v1/account")).status, 200);
  });
}

test("a shutdown loses no usage counts, and a session is valid on every replica", async (t) => {
  const first = await startService(t, { ROLE: "api", TRUST_PROXY: "127.0.0.1" });
  const second = await startReplica(t, first);
  const person = await signedUp(first);
  first.services.usage.record({ userId: person.userId, id: null }, "captured", 5);
  await first.stop();
  const elsewhere = createVisitor(second);
  for (const [name, value] of person.cookies) elsewhere.cookies.set(name, value);
  assert.deepEqual((await elsewhere.get("/v1/account/usage?days=1")).body.totals, {
    captured: 1,
    cached: 0,
    failed: 0,
    rejected: 0,
    bytes: 5,
  });
});
