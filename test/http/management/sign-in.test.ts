/** Signing up, in and out over HTTP, and what a session is worth. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";
import { createVisitor, goodPassword, signedUp } from "../../support/visitor.ts";

const service = await startService(fileScope());

test("who signs up is signed in, and the answer says who they are", async () => {
  const visitor = createVisitor(service);
  const made = await visitor.post("/v1/auth/sign-up", { name: " Ada ", email: "ADA@example.com", password: goodPassword });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  console.log(made.body, made.headers.getSetCookie());
  const account = await visitor.get("/v1/account");
  console.log(account.status, JSON.stringify(account.body, null, 1));
  for (const path of [
    "/v1/account/sessions",
    "/v1/account/plans",
    "/v1/account/keys",
    "/v1/account/usage?days=2",
    "/v1/account/screenshots",
    "/v1/auth/methods",
  ]) {
    const { status, body } = await visitor.get(path);
    console.log(path, status, JSON.stringify(body));
  }
  const bad = await visitor.post("/v1/account/keys", {
    name: "",
    allowed_domains: ["*.com", "ok.com", "a/b"],
    extra: 1,
    expires_at: "morgen",
  });
  console.log(bad.status, JSON.stringify(bad.body, null, 1));
  const key = await visitor.post("/v1/account/keys", { name: "site", allowed_domains: ["Example.com", "example.com"] });
  console.log(key.status, JSON.stringify(key.body, null, 1));
  const rot = await visitor.post(`/v1/account/keys/${key.body.key.id}/rotate`, { version: 1 });
  console.log(rot.status, JSON.stringify(rot.body, null, 1));
  const out = await visitor.post("/v1/auth/sign-out");
  console.log(out.status, out.headers.getSetCookie(), visitor.cookies);
  assert.equal((await visitor.get("/v1/account")).status, 401);
  console.log((await signedUp(service)).email);
  console.log(
    service
      .logged()
      .split("\n")
      .filter((l) => /"level":[456]0|sign-in/.test(l))
      .join("\n")
      .slice(0, 3000),
  );
});
