/** The cost of parsing a query is limited, especially for rejected requests. */

import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { createQuery } from "../../../src/http/input/request-target.ts";
import { createOptionsReader, parameterSchemas } from "../../../src/http/input/validation.ts";
import { readParameter } from "../../../src/http/input/values.ts";
import { AppError } from "../../../src/shared/errors.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { signedUp } from "../../support/visitor.ts";

const scope = fileScope();
const page = "url=http%3A%2F%2F127.0.0.1%3A9%2F&dry_run=1";
const long = `${page}&cache_key=x&styles=${"a".repeat(3_000)}`;
let service: TestService;

before(async () => {
  service = await startService(scope, { ROLE: "api", EGRESS_ALLOWED_HOSTS: "127.0.0.1:9", RATE_LIMIT_MAX_REQUESTS: "2" });
});

/** Counts how often a query is parsed into options from now on. */
function countReadings(t: TestContext): () => number {
  const schema = service.services.takeSchema;
  const { safeParse } = schema;
  let readings = 0;
  schema.safeParse = (...values) => {
    readings += 1;
    return safeParse(...values);
  };
  t.after(() => {
    schema.safeParse = safeParse;
  });
  return () => readings;
}

async function statusOf(query: string): Promise<number> {
  const response = await fetch(`${service.origin}/v1/screenshots/take?${query}`);
  await response.arrayBuffer();
  return response.status;
}

test("a long query is not parsed before the request is admitted", async (t) => {
  const { key } = await service.createAccount({ rateLimit: 2 });
  const readings = countReadings(t);
  const statuses = [];
  for (const turn of [1, 2, 3, 4, 5]) statuses.push(await statusOf(`api_key=${key}&${long}&cache_key=${turn}`));
  assert.deepEqual(statuses, [400, 400, 429, 429, 429]);
  assert.equal(readings(), 2, "the two that were admitted");
});

test("a long query to the playground is not parsed before the request is admitted", async (t) => {
  const person = await signedUp(service);
  const readings = countReadings(t);
  const statuses = [];
  for (const turn of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    statuses.push((await person.post(`/v1/account/playground?${long}&cache_key=${turn}`)).status);
  const admitted = statuses.filter((status) => status !== 429).length;
  assert.ok(admitted < statuses.length, String(statuses));
  assert.equal(readings(), admitted);
});

test("a long query with an unknown key, or without a key, is not parsed", async (t) => {
  const readings = countReadings(t);
  assert.equal(await statusOf(long), 400);
  assert.equal(await statusOf(`${long}&api_key=ss_unknown`), 403);
  assert.equal(readings(), 0);
});

test("a query has at most 200 parameters; the 201st is not parsed", async (t) => {
  const { key } = await service.createAccount();
  const readings = countReadings(t);
  const query = (parameters: number) => `api_key=${key}&${page}${"&hide_selectors=a".repeat(parameters - 3)}`;
  const refused = await fetch(`${service.origin}/v1/screenshots/take?${query(201)}`);
  const { code, message } = await refused.json();
  assert.deepEqual([refused.status, code], [400, "invalid_parameters"]);
  assert.match(message, /more than 200 parameters/);
  assert.equal(await statusOf("&".repeat(60_000)), 400);
  assert.equal(readings(), 0);
  const { body } = await (await signedUp(service)).get(`/v1/account/usage?${"days=1&".repeat(201)}`);
  assert.match(body.message, /more than 200 parameters/);
  assert.equal(await statusOf(query(90)), 200);
  const most = await (await fetch(`${service.origin}/v1/screenshots/take?${query(200)}`)).json();
  assert.doesNotMatch(most.message, /parameters/, "rejected only for the number of selectors");
});

test("only the first ten unknown parameters get a suggestion", () => {
  const read = createOptionsReader(service.services.takeSchema, ["api_key"]);
  const typos = Array.from({ length: 40 }, (_, index) => `qualit${String.fromCharCode((index < 20 ? 65 : 77) + index)}=1`).join("&");
  const query = (more: string) => createQuery(`${page}&${typos}${more}`).parameters;
  const { warnings } = read(query(""));
  assert.equal(warnings.length, 40);
  const suggestions = (texts: string[]) => texts.filter((text) => text.includes("did you mean")).length;
  assert.equal(suggestions(warnings), 10);
  assert.throws(
    () => read(query("&strict=1")),
    (error) => error instanceof AppError && suggestions(error.details?.map(({ message }) => message) ?? []) === 10,
  );
});

test("only as many items of an overlong list are parsed as it takes to reject it", () => {
  const { wait_until: list = {} } = parameterSchemas(service.services.takeSchema);
  for (const sent of ["load,".repeat(9_000), JSON.stringify(Array(9_000).fill("load"))])
    assert.equal((readParameter([sent], list) as unknown[]).length, (list.maxItems ?? 0) + 1);
});
