/** Hostile input to the management API. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { FastifyRequest } from "fastify";
import { setRole } from "../../../src/accounts/people/users.ts";
import { managementOperations } from "../../../src/http/account/management.ts";
import { visitorOf } from "../../../src/http/account/request-session.ts";
import { jsonSchemaOf } from "../../../src/http/openapi/operation.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { type Answered, createVisitor, type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const scope = fileScope();
let service: TestService;
let person: Person;
let admin: Person;

before(async () => {
  service = await startWithVisitors(scope);
  person = await signedUp(service);
  admin = await signedUp(service);
  await setRole(service.database, admin.email, "admin");
});

test("a request without a session is refused before its input is validated", async () => {
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

test("an error lists no more than 20 problems", async () => {
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

for (const { id, method, path, query, body } of managementOperations) {
  const [queryMembers, bodyMembers] = [query, body].map((schema) => jsonSchemaOf(schema, "input").properties ?? {});

  for (const name of Object.keys(queryMembers ?? {}))
    test(`${id}: a NUL in the parameter ${name} causes a 400 that names the parameter`, async () => {
      assertNames(await admin.ask(method, `${path.replace(":id", crypto.randomUUID())}?${name}=a%00b`), name);
    });

  for (const [name, schema] of Object.entries(bodyMembers ?? {}))
    test(`${id}: a NUL in the body member ${name} causes a 400 that names the member`, async () => {
      const isList = (schema as { type?: string }).type === "array";
      const value = isList ? ["a\0b"] : "a\0b";
      assertNames(await admin.ask(method, path.replace(":id", crypto.randomUUID()), { [name]: value }), isList ? `${name}[0]` : name);
    });
}

function assertNames({ status, body }: Answered, parameter: string): void {
  assert.deepEqual([status, body.code], [400, "invalid_parameters"], JSON.stringify(body));
  assert.ok(
    body.details.some((detail: { parameter: string }) => detail.parameter === parameter),
    JSON.stringify(body.details),
  );
}

test("a value that is invalid only because it contains a NUL gets an error about the NUL", async () => {
  for (const [method, path, body] of [
    ["PATCH", "/v1/account", { name: "a\0b" }],
    ["POST", "/v1/account/keys", { name: "a\0b" }],
    ["GET", "/v1/account/screenshots?url=a%00b", undefined],
  ] as const) {
    const answer = await person.ask(method, path, body);
    assert.equal(answer.status, 400, path);
    assert.match(answer.body.message, /^(name|url) contains a NUL character/);
  }
});

test("a deeply nested body causes a 400", async () => {
  const answer = await person.ask("PATCH", "/v1/account", `{"name":${"[".repeat(30_000)}${"]".repeat(30_000)}}`);
  assert.equal(answer.status, 400);
});

test("a session cookie that contains a NUL is rejected", async () => {
  const names = [...person.cookies.keys()];
  const cookie = names.map((name) => `${name}=a%00b.c%00d`).join("; ");
  assert.equal((await createVisitor(service).ask("GET", "/v1/account", undefined, { cookie })).status, 401);
});

test("of thousands of cookies, only our own reach the sign-in library", async () => {
  const own = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const others = Array.from({ length: 8_000 }, (_, at) => `${at % 10}=1`).join("; ");
  const cookie = `${others}; ${own}; tintype=1; x.tintype.session=1`;
  assert.equal((await createVisitor(service).ask("GET", "/v1/account", undefined, { cookie })).status, 200);
  assert.equal(visitorOf({ headers: { cookie }, ip: "192.0.2.1" } as FastifyRequest).cookie?.trim(), own);
});

test("headers of 60 KB of semicolons or own names are searched in a fraction of a millisecond", async () => {
  const headers = [`tintype.session_token=a.b${";".repeat(60_000)}`, "a=tintype.;".repeat(5_500), `a=1;${" ".repeat(60_000)}tintype.a=b`];
  const { ms } = await longestTurnAtBest(async () => {
    for (let count = 0; count < 100; count += 1)
      for (const cookie of headers) visitorOf({ headers: { cookie }, ip: "192.0.2.1" } as FastifyRequest);
  }, 120);
  assert.ok(ms < 120, `300 headers took ${ms} ms`);
});

test("own cookies are found with and without a blank, and only by names that begin like ours", () => {
  const cookieOf = (cookie: string) => visitorOf({ headers: { cookie }, ip: "192.0.2.1" } as FastifyRequest).cookie;
  assert.equal(
    cookieOf("tintype.a=1;__Secure-tintype.b=2; \t tintype.c=3;x=tintype.d; xtintype.e=5; x__Secure-tintype.f=6"),
    "tintype.a=1; __Secure-tintype.b=2; tintype.c=3",
  );
  assert.equal(cookieOf("tintype; __Secure-x=1; a=b"), "");
});
