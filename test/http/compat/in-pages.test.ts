/** thum.io and mShots: images requested by URL alone, on pages of the domains to which a key is restricted. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { describeImage } from "../../support/image.ts";
import { fileScope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";

const scope = fileScope();
let site: Site;
let service: TestService;
let bound: string;
let open: string;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#00ff00") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  ({ key: open } = await service.createAccount());
  ({ key: bound } = await service.createAccount({ domains: ["example.com"] }));
});

const get = (path: string, referer = "https://example.com/page") => fetch(`${service.origin}${path}`, { headers: { referer } });
const encoded = () => encodeURIComponent(`${site.origin}/`);

test("in-page interfaces: the image has the size given in its URL", async () => {
  for (const [path, type, width, height] of [
    [`/get/auth/${bound}/width/300/crop/600/${site.origin}/`, "png", 300, 150],
    [`/mshots/v1/${encoded()}?w=300&h=200&api_key=${bound}`, "jpg", 300, 200],
  ] as const) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    assert.deepEqual(describeImage(new Uint8Array(await answer.arrayBuffer())), { type, width, height });
    assert.match(answer.headers.get("cache-control") ?? "", /^private/);
  }
});

test("in-page interfaces: only domain-restricted keys are accepted, and only on their domains", async () => {
  for (const path of [(key: string) => `/get/auth/${key}/${site.origin}/`, (key: string) => `/mshots/v1/${encoded()}?api_key=${key}`]) {
    const unbound = await get(path(open));
    assert.deepEqual([unbound.status, unbound.headers.get("x-error-code")], [403, "domain_not_allowed"]);
    assert.match(await unbound.text(), /use a key that is restricted to specific domains/);
    assert.equal((await get(path(bound), "https://other.example/")).headers.get("x-error-code"), "domain_not_allowed");
    assert.equal((await get(path("ss_wrong"))).headers.get("x-error-code"), "invalid_api_key");
  }
  assert.equal((await get(`/get/width/300/${site.origin}/`)).status, 400);
  assert.ok(!service.logged().includes(bound));
});

test("in-page interfaces: capture errors are images, and an invalid modifier is named in the error", async () => {
  const missing = await get(`/get/auth/${bound}/width/300/http://127.0.0.1:1/`);
  assert.deepEqual([missing.status, missing.headers.get("content-type")], [400, "image/png"]);
  assert.equal(missing.headers.get("x-error-code"), "target_blocked");
  const wrong = await get(`/get/auth/${bound}/widht/${site.origin}/`);
  assert.deepEqual([wrong.status, await wrong.text()], [400, "widht is not a supported thum.io parameter (did you mean width?)."]);
  assert.match(
    await (await get(`/get/auth/${bound}/__proto__/${site.origin}/`)).text(),
    /^__proto__ is not a supported thum\.io parameter/,
  );
});

test("thum.io: a path with too many parts is refused before its modifiers are read, and before its key is", async () => {
  const modifiers = Array.from({ length: 15_000 }, (_, index) => index.toString(36)).join("/");
  for (const path of [
    `/get/${modifiers}/${site.origin}/`,
    `/get/${modifiers}`,
    `/get/auth/ss_wrong/${"/".repeat(60_000)}${site.origin}/`,
  ]) {
    const answer = await get(path);
    assert.deepEqual([answer.status, await answer.text()], [400, "The path has more than 100 parts before the URL."]);
  }
  const few = "png/".repeat(48);
  assert.equal((await get(`/get/auth/${bound}/${few}${site.origin}/${"a/".repeat(1_000)}`)).status, 200, "the URL's own parts don't count");
});
