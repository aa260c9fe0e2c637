/** Inputs of the management API that are hostile rather than mistyped. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { createVisitor, type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const scope = fileScope();
let service: TestService;
let person: Person;

before(async () => {
  service = await startWithVisitors(scope);
  person = await signedUp(service);
});

test("a request without a session is refused before its input is checked", async () => {
  const stranger = createVisitor(service);
  for (const [method, path, body] of [
    ["POST", "/v1/account/keys", { wrong: true }],
    ["PATCH", "/v1/account", { name: 7 }],
    ["GET", "/v1/account/screenshots?limit=many", undefined],
    ["GET", "/v1/admin/users?nonsense=1", undefined],
  ] as const) {
    const answer = await stranger.ask(method, path, body);
    assert.deepEqual([answer.status, answer.body.code], [401, "not_signed_in"], path);
  }
});

test("an error names at most 20 problems, however many there are", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 1]));
  for (const [path, body] of [
    ["/v1/account/keys", { name: "a", ...unknown }],
    ["/v1/auth/sign-in", unknown],
  ] as const) {
    const answer = await person.post(path, body);
    assert.deepEqual([answer.status, answer.body.code], [400, "invalid_parameters"], path);
    assert.equal(answer.body.details.length, 20, path);
  }
});
