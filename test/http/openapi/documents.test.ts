/** The root, and the documents that it leads to. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { parse } from "yaml";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { fileScope } from "../../support/scope.ts";
import { createVisitor, goodPassword, startWithVisitors } from "../../support/visitor.ts";

const service = await startWithVisitors(fileScope());

test("descriptions, tools and the sign-in library are loaded on first use, in turns of the event loop", async () => {
  const read = async (path: string) => await (await fetch(`${service.origin}${path}`)).text();
  const credentials = { email: "nobody@example.com", password: goodPassword };
  const first = async (work: () => Promise<unknown>) => {
    const { ms } = await longestTurnAtBest(work, 0, 1);
    assert.ok(ms < 150, `${work} takes ${ms} ms`);
  };
  await first(() => createVisitor(service).post("/v1/auth/sign-in", credentials));
  const { key } = await service.createAccount();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await first(() => fetch(`${service.origin}/mcp`, { method: "POST", headers, body }));
  await first(() => read("/openapi.json"));
  await first(() => read("/openapi.yaml"));
  assert.deepEqual(parse(await read("/openapi.yaml")), JSON.parse(await read("/openapi.json")));
});

test("the root redirects browsers to the documents, and lists their paths and the API's as JSON", async () => {
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

test("the API reference has the dashboard's colours", async () => {
  const tokens = async (path: string) => {
    const css = await readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
    return new Map([...css.matchAll(/^\s*--(?:color-)?([\w-]+): (light-dark\(.*\));$/gm)].map(([, name = "", value]) => [name, value]));
  };
  const dashboard = await tokens("web/src/index.css");
  const reference = await tokens("src/http/openapi/reference.css");
  assert.ok(reference.size >= 15, `${reference.size}`);
  for (const [name, value] of reference) assert.equal(value, dashboard.get(name), name);
});
