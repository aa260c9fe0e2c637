/** Common mistakes, and the errors they cause. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import type { TestService } from "../support/service.ts";
import { type Person, signedUp, startWithVisitors } from "../support/visitor.ts";

const scope = fileScope();
let service: TestService;
let key: string;
let person: Person;

before(async () => {
  service = await startWithVisitors(scope);
  ({ key } = await service.createAccount());
  person = await signedUp(service);
});

async function messageOf(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json()).error];
}

test("an almost valid url is rejected with a suggestion", async () => {
  for (const [url, meant] of [
    ["www.example.com/a", "https://www.example.com/a"],
    ["//example.com/", "https://example.com/"],
    ["localhost:3000/a?b", "http://localhost:3000/a?b"],
    ["http//example.com", "http://example.com"],
  ] as const)
    assert.deepEqual(await messageOf(await service.take({ api_key: key, url })), [400, `url is not absolute (did you mean ${meant}?).`]);
  const scheme = await messageOf(await service.take({ api_key: key, url: "ftp://example.com/" }));
  assert.deepEqual(scheme, [400, "url has the scheme ftp; only http and https are supported."]);
});

test("headers and cookies that have objects as values are rejected, not sent as [object Object]", async () => {
  const taken = async (more: Record<string, string>) =>
    await messageOf(await service.take({ api_key: key, url: "https://example.com/", ...more }));
  assert.deepEqual(await taken({ headers: '{"X-A":{"b":1}}' }), [400, "headers contains a line that is not `Name: Value`."]);
  assert.deepEqual(await taken({ cookies: '{"a":["b"]}' }), [400, "cookies contains a line that is not `name=value; attributes`."]);
});

test("the error for an unknown path links to the documentation; the one for an undecodable path states the reason", async () => {
  const asked = async (path: string) => await messageOf(await fetch(`${service.origin}${path}`));
  const nothing = "Not found; the API is documented at /docs.";
  for (const path of ["/v1/screenshot/take?url=a", "/v1/take", "/docs/nothing"]) assert.deepEqual(await asked(path), [404, nothing]);
  const undecodable = "The path of the request target is not percent-encoded UTF-8.";
  for (const path of ["/%zz", "/v1/screenshots/%zz"]) assert.deepEqual(await asked(path), [400, undecodable]);
});

test("a GET request's body is not silently ignored", async () => {
  const sent = async (query: string) => {
    const path = `${service.origin}/v1/screenshots/take?api_key=${key}${query}`;
    const { request } = await import("node:http");
    const headers = { "content-type": "application/json", "content-length": 2 };
    const answer = await new Promise<import("node:http").IncomingMessage>((resolve, reject) =>
      request(path, { method: "GET", headers }, resolve).on("error", reject).end("{}"),
    );
    return JSON.parse(Buffer.concat(await answer.toArray()).toString());
  };
  const ignored = "the body was ignored: options of GET requests belong in the query; to send a body, use POST";
  assert.match((await sent("")).error, new RegExp(`^url is missing: .*; ${ignored}\\.$`));
  assert.deepEqual((await sent("&html=a&dry_run=1")).warnings, [ignored]);
});

test("an empty api_key counts as missing", async () => {
  const words = "api_key is missing: send the key in the query parameter api_key, or in a header, Authorization: Bearer or X-API-Key.";
  assert.deepEqual(await messageOf(await service.take({ api_key: "", url: "https://example.com/" })), [400, words]);
});

test("the error for an unreadable body says what is accepted", async () => {
  const sent = async (body: string, type = "application/json") => {
    const { status, body: answer } = await person.ask("PATCH", "/v1/account", body, { "content-type": type });
    return [status, answer.error];
  };
  assert.deepEqual(await sent("{bad json"), [400, "The body is not valid JSON."]);
  assert.deepEqual(await sent("name=x", "application/x-www-form-urlencoded"), [
    415,
    "The body must be JSON, with Content-Type: application/json.",
  ]);
  assert.deepEqual(await sent(JSON.stringify({ name: "x".repeat(70_000) })), [413, "The body is larger than 65536 bytes."]);
});

test("an error quotes a short invalid value, but states only the length of a long one", async () => {
  const told = async (method: string, path: string, body?: object) => (await person.ask(method, path, body)).body.error;
  assert.equal(await told("PATCH", "/v1/account", { name: "x".repeat(200) }), "name must have at most 100 characters, but has 200.");
  const hosts = "a list of at most 50 hosts, such as example.com or *.example.com";
  assert.equal(
    await told("POST", "/v1/account/keys", { name: "a", allowed_domains: "example.com" }),
    `allowed_domains must be ${hosts}, not "example.com".`,
  );
  const many = { name: "a", allowed_domains: Array(60).fill("a.example") };
  assert.equal(await told("POST", "/v1/account/keys", many), "allowed_domains must have at most 50 items, but has 60.");
  assert.equal(await told("GET", "/v1/account/screenshots?key_id=y"), 'key_id must be playground or an id (UUID), not "y".');
});
