/** The table of response headers is complete, and is the source for CORS and OpenAPI. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { answerHeaders, exposedHeaders, headersOn } from "../../src/http/openapi/answer-headers.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";

const scope = fileScope();
let service: TestService;
let asked: Record<string, string>;

before(async () => {
  const site = await createSite(scope, { "/": colouredPage("#ff0000") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  const { key } = await service.createAccount();
  asked = { api_key: key, url: `${site.origin}/`, width: "20", height: "10", is_cached: "true" };
});

/** Names of a response's headers, in lower case. */
async function namesOf(response: Response): Promise<string[]> {
  await response.arrayBuffer();
  return [...response.headers.keys()];
}

test("every response header is in the table", async () => {
  const get = (path: string, init?: RequestInit) => fetch(`${service.origin}${path}`, { redirect: "manual", ...init });
  const { url } = await (await service.take({ ...asked, response_type: "json" })).json();
  const preflight = { origin: "https://example.com", "access-control-request-method": "GET", "access-control-request-headers": "x-a" };
  const answers = [
    await service.take(asked),
    await service.take({ ...asked, is_cached: "false", unknown: "1" }),
    await service.take({ ...asked, url: "nonsense" }),
    await service.take({ ...asked, api_key: "nonsense" }),
    await fetch(url),
    await get("/v1/screenshots/take", { method: "OPTIONS", headers: preflight }),
    await get("/v1/screenshots/take", { method: "POST" }),
    await get("/v1/account"),
    await get("/v1/auth/sign-out", { method: "POST" }),
    ...(await Promise.all(
      ["/", "/nowhere", "/health", "/openapi.json", "/openapi.yaml", "/docs", "/docs/static/index.html"].map((path) => get(path)),
    )),
  ];
  const known = new Set(Object.keys(answerHeaders).map((name) => name.toLowerCase()));
  for (const answer of answers) {
    const unknown = (await namesOf(answer)).filter((name) => !known.has(name));
    assert.deepEqual(unknown, [], `${answer.status} ${answer.url.split("?", 1)[0]}`);
  }
});

test("cross-origin scripts may read every header about a screenshot, including Age", async () => {
  const answer = await service.take(asked, { origin: "https://example.com" });
  const exposed = answer.headers.get("access-control-expose-headers")?.split(", ");
  assert.deepEqual(exposed, exposedHeaders);
  const safelisted = ["cache-control", "content-length", "content-type", "last-modified"]; // Fetch, CORS-safelisted response headers
  const readable = new Set([...(exposed ?? []).map((name) => name.toLowerCase()), ...safelisted]);
  const names = await namesOf(answer);
  assert.ok(names.includes("age"));
  const telling = new Set(headersOn("any", "capture", "screenshot", "image", "retry").map((name) => name.toLowerCase()));
  assert.deepEqual(
    names.filter((name) => telling.has(name) && !readable.has(name)),
    [],
  );
});
