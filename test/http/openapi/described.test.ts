/** The check that runs on JSON responses in every test service finds deviations from the OpenAPI description. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createOpenApi } from "../../../src/http/openapi/openapi.ts";
import { createTakeSchema } from "../../../src/screenshots/take/take-options.ts";
import { checkAnswers } from "../../support/answers.ts";
import { limits } from "../limits.ts";

const openApi = createOpenApi(createTakeSchema(limits), "1.0.0");
const health = { status: "alive", timestamp: "2026-05-20T12:00:00.000Z" };
const failure = { error: "words", requestId: "req_1", code: "not_found", message: "words", retryable: false };

/** The check's error for such a response from `path`. */
async function judged(path: string, status: number, body: object, method = "GET"): Promise<string | undefined> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
  });
  const answers = checkAnswers(server, () => openApi);
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method })).arrayBuffer();
    answers.assertDescribed();
    return undefined;
  } catch (error) {
    return (error as Error).message.split("\n")[1];
  } finally {
    server.close();
  }
}

test("responses that match the description pass: those of operations, common failures, and errors outside any operation", async () => {
  assert.equal(await judged("/health/live", 200, health), undefined);
  assert.equal(await judged("/health/live", 500, { ...failure, code: "internal_error" }), undefined);
  assert.equal(await judged("/v1/screenshots/a.png?expires=1", 404, failure), undefined);
  assert.equal(await judged("/nowhere", 404, failure), undefined);
  assert.equal(await judged("/health/live", 405, { ...failure, code: "method_not_allowed" }, "POST"), undefined);
});

test("stored JSON documents match the description of their format", async () => {
  const elements = { width: 1280, height: 720, elements: [], tree: [] };
  for (const path of ["/v1/screenshots/a.json", `/v1/account/screenshots/${crypto.randomUUID()}/image`]) {
    assert.equal(await judged(path, 200, elements), undefined);
    assert.match((await judged(path, 200, { ...elements, width: "wide" })) ?? "", /\/width must be integer/);
  }
});

test("missing, mistyped and undescribed members are detected, as are unlisted statuses and codes", async () => {
  assert.match((await judged("/health/live", 200, { status: "alive" })) ?? "", /^getLiveness 200: .*'timestamp'/);
  assert.match((await judged("/health/live", 200, { ...health, timestamp: "today" })) ?? "", /\/timestamp must match format "date-time"/);
  assert.match((await judged("/health/live", 200, { ...health, more: 1 })) ?? "", /"additionalProperty":"more"/);
  assert.match((await judged("/health/live", 201, health)) ?? "", /^getLiveness 201: /);
  assert.match((await judged("/health/live", 404, failure)) ?? "", /the code not_found is not listed/);
  assert.match((await judged("/openapi.yaml", 200, health)) ?? "", /^getOpenApiYaml 200: no JSON is described for this status/);
  assert.match((await judged("/nowhere", 200, health)) ?? "", /^GET \/nowhere 200: /);
});
