/** The root path, and the documents it links to. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import Fastify from "fastify";
import { parse } from "yaml";
import { root } from "../../../scripts/stack/folders.ts";
import { documentRoutes } from "../../../src/http/openapi/documents.ts";
import { describeService } from "../../../src/http/openapi/openapi.ts";
import { firstBodies } from "../../../src/http/openapi/reference.ts";
import { createOperationRoutes } from "../../../src/http/server/operation-routes.ts";
import { createTakeSchema } from "../../../src/screenshots/take/take-options.ts";
import { runInTurns } from "../../../src/shared/turns.ts";
import { longOnly } from "../../support/long-only.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { exchange } from "../../support/raw.ts";
import { fileScope } from "../../support/scope.ts";
import { startWithVisitors } from "../../support/visitor.ts";
import { limits } from "../limits.ts";

const longTest = longOnly(test);
const run = promisify(execFile);
const [descriptionMaxMs, loadingMaxMs] = [60, 180];
const service = await startWithVisitors(fileScope());

longTest("the description is built over several turns of the event loop, and is the same as JSON and as YAML", async () => {
  const schema = createTakeSchema(limits);
  const { ms, result } = await longestTurnAtBest(async () => {
    const app = Fastify();
    const openApi = () => runInTurns(describeService(schema, "1"));
    documentRoutes(app, createOperationRoutes(app, service.services.signIn), { openApi, version: "1" });
    return [await app.inject("/openapi.json"), await app.inject("/openapi.yaml")] as const;
  }, descriptionMaxMs);
  assert.ok(ms < descriptionMaxMs, `a turn of the event loop took ${ms} ms`);
  const [json, yaml] = result;
  assert.deepEqual(parse(yaml.payload), JSON.parse(json.payload));
});

longTest("the sign-in library is loaded over several turns of the event loop", async () => {
  const load = `
    import { longestTurnAtBest } from "./test/support/longest-turn.ts";
    import { loadAuth } from "./src/accounts/people/auth-calls.ts";
    console.log((await longestTurnAtBest(loadAuth, 0, 1)).ms)`;
  const options = { cwd: root, env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "tintype-compiled") } };
  const times: number[] = [];
  for (let attempt = 0; attempt < 4 && !(Math.min(...times) < loadingMaxMs); attempt += 1)
    times.push(Number((await run(process.execPath, ["--input-type=module", "--eval", load], options)).stdout));
  assert.ok(Math.min(...times) < loadingMaxMs, `turns of the event loop took ${times} ms`);
});

test("the root redirects browsers to the documentation, and lists paths as JSON", async () => {
  const page = await fetch(`${service.origin}/`, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
  assert.equal(page.status, 200);
  assert.equal(new URL(page.url).pathname.replace(/\/$/, ""), "/docs");
  assert.match(await page.text(), /Tintype API/);
  for (const accept of ["*/*", "application/json"]) {
    const answer = await fetch(`${service.origin}/`, { headers: { accept } });
    assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
    const { documents, openapi, take } = await answer.json();
    for (const path of [documents, openapi]) assert.equal((await fetch(`${service.origin}${path}`)).status, 200, path);
    assert.equal((await fetch(`${service.origin}${take}`)).status, 400);
  }
});

test("the API reference fills in nothing but what a first request needs", async () => {
  const read = async (path: string) => await (await fetch(`${service.origin}${path}`)).json();
  const [reference, description] = [await read("/docs/json"), await read("/openapi.json")];
  const parametersIn = ({ paths }: typeof reference): DescribedParameter[] => paths["/v1/screenshots/take"].get.parameters;
  const namesOf = (parameters: DescribedParameter[]) => parameters.map(({ name }) => name);
  const isFilledIn = ({ example, schema }: DescribedParameter) => example !== undefined || Object.hasOwn(schema, "default");
  const [shown, described] = [parametersIn(reference), parametersIn(description)];
  assert.deepEqual(namesOf(shown), ["url", "api_key", ...namesOf(described).slice(1)]);
  assert.deepEqual(namesOf(shown.filter(isFilledIn)), ["url"]);
  assert.deepEqual(described.filter(isFilledIn), described);
  assert.match(shown.find(({ name }) => name === "html")?.description ?? "", /Example: `<h1>Hello<\/h1>`\.$/);
  assert.match(shown.find(({ name }) => name === "width")?.description ?? "", /Default: `1280`\.$/);
});

test("the API reference's files are made once per theme, and hundreds of requests for one don't occupy the process", async () => {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.origin}${path}`, { headers, redirect: "manual" });
  const { ms } = await longestTurnAtBest(() =>
    Promise.all(Array.from({ length: 200 }, async () => await (await get("/docs/json", { "accept-encoding": "identity" })).body?.cancel())),
  );
  assert.ok(ms < 300, `${ms} ms`); // this process is also the client; serialized for each: 1.6 s
  const first = await get("/docs/static/swagger-ui.css");
  const etag = first.headers.get("etag") ?? "";
  assert.ok((await first.text()).length > 10_000);
  assert.equal((await get("/docs/static/swagger-ui.css", { "if-none-match": etag })).status, 304);
  assert.match(await (await get("/docs", { cookie: "a=b; theme=dark" })).text(), /<html lang="en" data-theme="dark">/);
  assert.match(await (await get("/docs")).text(), /<html lang="en">/);
  assert.equal((await get("/docs/nothing.js")).status, 404);
  // Each path that is found is kept, so a file must have only one.
  for (const path of [
    "/docs/static/swagger%2dui.css",
    "/docs/static/%73wagger-ui.css",
    "/docs//static/swagger-ui.css",
    "/docs/%73tatic/swagger-ui.css",
  ])
    assert.equal((await get(path)).status, 404, path);
  const inside = await exchange(service.origin, {
    pieces: ["GET /docs/static/./swagger-ui.css HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"],
  });
  assert.deepEqual(
    inside.map(({ status }) => status),
    [404],
  );
  const yaml = await get("/docs/yaml");
  assert.deepEqual([yaml.status, yaml.headers.get("location")], [302, "/openapi.yaml"]);
});

test("the API reference asks for a key in one way, and says which operations need a signed-in user instead", async () => {
  const { components, paths } = await (await fetch(`${service.origin}/docs/json`)).json();
  assert.deepEqual(Object.keys(components.securitySchemes), ["key"]);
  assert.deepEqual(paths["/v1/screenshots/take"].get.security, [{ key: [] }]);
  const { security, description } = paths["/v1/account/webhooks/test"].post;
  assert.deepEqual(security, []);
  assert.match(description, /^Sent once, .*\n\nFor users who are signed in to the dashboard in this browser\.$/s);
  assert.doesNotMatch(paths["/health"].get.description ?? "", /signed in/);
});

test("the first bodies of the API reference are valid", async () => {
  const description = await (await fetch(`${service.origin}/openapi.json`)).json();
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "api", components: description.components });
  const operations = Object.values(description.paths as Record<string, Record<string, DescribedOperation>>).flatMap((path) =>
    Object.values(path),
  );
  for (const [id, body] of Object.entries(firstBodies)) {
    const { schema } = operations.find(({ operationId }) => operationId === id)?.requestBody?.content["application/json"] ?? {};
    assert.ok(schema, id);
    const isValid = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')));
    assert.ok(isValid(body), `${id}: ${JSON.stringify(isValid.errors)}`);
  }
});

interface DescribedParameter {
  name: string;
  description: string;
  example?: unknown;
  schema: object;
}

interface DescribedOperation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: object }> };
}

test("the API reference uses the dashboard's colors", async () => {
  const tokens = async (path: string) => {
    const css = await readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
    return new Map([...css.matchAll(/^\s*--(?:color-)?([\w-]+): (light-dark\(.*\));$/gm)].map(([, name = "", value]) => [name, value]));
  };
  const dashboard = await tokens("web/src/index.css");
  const reference = await tokens("src/http/openapi/reference.css");
  assert.ok(reference.size >= 15, `${reference.size}`);
  for (const [name, value] of reference) assert.equal(value, dashboard.get(name), name);
});
