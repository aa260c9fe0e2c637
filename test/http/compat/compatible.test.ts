/** Documented requests of other products are translated correctly; docs/compatible.md lists every parameter of each product. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { before, test } from "node:test";
import type { Adapter } from "../../../src/http/compat/adapter.ts";
import { adapters, type Product } from "../../../src/http/compat/adapters.ts";
import { onlyLong } from "../../support/long-only.ts";
import { startProxy, type TestProxy } from "../../support/proxies.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createSite, type Site } from "../../support/site.ts";
import { documented as browserless } from "./browserless.ts";
import { compatiblePage, type Documented, namesOf, namesOfAdapter, page } from "./documented.ts";
import { documented as gotenberg } from "./gotenberg.ts";
import { documented as microlink } from "./microlink.ts";
import { documented as mshots } from "./mshots.ts";
import { documented as screenshotone } from "./screenshotone.ts";
import { suites } from "./suites.ts";
import { documented as thumio } from "./thumio.ts";

const scope = fileScope();
let site: Site;
let service: TestService;
let ownProxy: TestProxy;
let key: string;
let boundKey: string;

const requests: Record<Product, Documented[]> = { screenshotone, browserless, microlink, gotenberg, thumio, mshots };
const driven = new Map<Product, Set<string>>();

before(async () => {
  site = await createSite(scope, {
    "/": "<!doctype html><title>Page</title><body><h1>Opening hours</h1>",
    "/script.js": (_, response) => response.setHeader("content-type", "text/javascript").end("window.loaded = true"),
    "/todo.json": (_, response) => response.setHeader("content-type", "application/json").end('{"title":"delectus"}'),
    "/style.css": (_, response) => response.setHeader("content-type", "text/css").end("h1 { color: red }"),
  });
  const proxy = await startProxy(scope, "http");
  ownProxy = await startProxy(scope, "http", { user: "ada", password: "s3cret" });
  service = await startService(scope, {
    EGRESS_ALLOWED_HOSTS: `${site.host},127.0.0.1:${ownProxy.port}`,
    PROXIES: `us=${proxy.url}`,
    PROXY_BY_REQUEST: "true",
  });
  ({ key } = await service.createAccount());
  ({ key: boundKey } = await service.createAccount({ domains: ["example.com"] }));
});

/** Sends the request the way the product's clients do. */
async function send(adapter: Adapter, { address, path = adapter.routes[0]?.path ?? "", method, sends }: Documented): Promise<Response> {
  const atSite = JSON.parse(JSON.stringify(sends).replaceAll("SITE", site.origin).replaceAll("PROXY", ownProxy.url));
  if (adapter.isForPages) {
    const { url, ...words } = atSite;
    const inPath = address ?? `/get/auth/KEY/${Object.keys(words).join("/")}/${url}`;
    const whole = inPath
      .replace("KEY", boundKey)
      .replace("ENCODED", encodeURIComponent(`${site.origin}/`))
      .replace("SITE", site.origin)
      .replace("HOST", site.host);
    return fetch(`${service.origin}${whole}`, { headers: { referer: "https://example.com/" } });
  }
  const isPost = (method ?? adapter.routes.find((route) => route.path === path)?.method) === "POST";
  const query = new URLSearchParams([[adapter.keyName, key]]);
  if (adapter.body) {
    const [headers, fields] = [true, false].map((own) => Object.entries(atSite).filter(([name]) => own === /^[A-Z]/.test(name)));
    const body = formOf(Object.fromEntries(fields ?? []));
    return fetch(`${service.origin}${path}?${query}`, { method: "POST", headers: headers as [string, string][], body });
  }
  if (isPost)
    return fetch(`${service.origin}${path}?${query}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(atSite),
    });
  for (const [name, value] of Object.entries(atSite)) for (const item of [value].flat()) query.append(name, String(item));
  return fetch(`${service.origin}${path}?${query}`);
}

/** `files` are sent as files, by name; all else as fields. */
function formOf({ files = {}, ...fields }: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  for (const [name, text] of Object.entries(files as object)) form.append("files", new File([text], name, { type: "text/html" }));
  return form;
}

for (const [name, load] of Object.entries(adapters) as [Product, () => Promise<Adapter>][])
  test(`${name}: each documented request succeeds, and its options have the documented effect`, async () => {
    const adapter = await load();
    const [first, ...others] = requests[name];
    assert.ok(first);
    for (const request of [first, ...onlyLong(others)]) {
      const answer = await send(adapter, request);
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.equal(answer.status, 200, `${JSON.stringify(request.sends)}: ${bytes.subarray(0, 500)}`);
      const { rows } = await service.pool.query("select options from screenshots where id = $1", [answer.headers.get("x-screenshot-id")]);
      const options = rows[0]?.options as Record<string, unknown>;
      const means = JSON.parse(JSON.stringify(request.means).replaceAll("SITE", site.origin));
      const meant = Object.fromEntries(Object.keys(request.means).map((option) => [option, options[option]]));
      assert.deepEqual(JSON.parse(JSON.stringify(meant)), means, JSON.stringify(request.sends));
    }
    const names = new Set(requests[name].flatMap((request) => [...namesOf(adapter, request)]));
    driven.set(name, names);
    const missing = [...namesOfAdapter(adapter)].filter(
      ([one, { refuses }]) => refuses !== "always" && !names.has(one) && one !== "signature",
    );
    assert.deepEqual(
      missing.map(([one]) => one),
      [],
      "every supported name is used in a request",
    );
  });

test("compat: each rejected parameter causes a 400 that states the reason and the product's name for it", async () => {
  for (const load of Object.values(adapters)) {
    const adapter = await load();
    for (const [pattern, { refuses, note = "" }] of namesOfAdapter(adapter)) {
      if (!refuses) continue;
      const name = pattern.replace("*", "any");
      const route = adapter.routes.find(({ table = {} }) => table[pattern]?.refuses) ?? adapter.routes[0];
      const answer = await send(adapter, { path: route?.path ?? "", sends: { url: "SITE/", [name]: "other" }, means: {} });
      const text = await answer.text();
      assert.equal(answer.status, 400, `${adapter.title} ${name}: ${text}`);
      assert.ok(text.includes(JSON.stringify(`${name} is not supported here: ${note}`).slice(1, -1)), text);
    }
  }
});

test("compat: every parameter used by the products' own test suites is supported", async () => {
  for (const [product, { names }] of Object.entries(suites)) {
    const served = namesOfAdapter(await adapters[product as Product]());
    for (const name of names)
      assert.notEqual(served.get(name)?.refuses ?? (served.has(name) ? "" : "always"), "always", `${product} ${name}`);
  }
});

test("docs/compatible.md lists every parameter of each product, as tested above", async () => {
  const text = await compatiblePage(driven);
  if (process.env.UPDATE_COMPATIBLE) writeFileSync(page, text);
  assert.equal(readFileSync(page, "utf8"), text, "run this file with UPDATE_COMPATIBLE=true");
});
