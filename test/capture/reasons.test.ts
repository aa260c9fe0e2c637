/** Reasons to fail a capture: texts, console errors and failed requests. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { before, test } from "node:test";
import type { Tab } from "../../src/browser/tab.ts";
import { readPattern } from "../../src/capture/blocking/patterns.ts";
import { linearPattern } from "../../src/capture/in-page/linear-pattern.ts";
import { followFailedRequests } from "../../src/capture/reasons.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { onlyLong } from "../support/long-only.ts";
import { slownessOfMachine } from "../support/longest-turn.ts";
import { fileScope } from "../support/scope.ts";

const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope);
});

const shop = `<!doctype html><h1>Oak  chair</h1><p>Out of <b>stock</b> since Monday</p><p hidden>Sold 99</p>
  <iframe srcdoc="<p>Delivered in 3 days"></iframe><x-price></x-price><script>
    document.querySelector("x-price").attachShadow({ mode: "open" }).innerHTML = "<p>Price: 120 €</p>";
  </script>`;

for (const [parameters, found] of [
  [{ fail_on_text: "Out of stock" }, 'it contains "Oak chair Out of stock since Monday'],
  [{ fail_on_text: "/^price: \\d+/i" }, "Price: 120"],
  [{ fail_without_text: ["Oak chair", "Add to basket"] }, `it doesn't contain "Add to basket" (fail_without_text)`],
  [{ fail_without_text: "/sold \\d+/i" }, 'it doesn\'t contain "/sold \\\\d+/i"'],
  [{ fail_on_text: "/out of/i", mask_selectors: "p" }, 'it contains "/out of/i"'],
  ...onlyLong([
    [{ fail_on_text: "/out of (order|stock)/i" }, "Out of stock since Monday"],
    [{ fail_on_text: ["nothing", "in 3 days"] }, "Delivered in 3 days"],
    [{ fail_on_text: "Oak", format: "text" }, "Oak chair"],
  ] as const),
] as const)
  test(`${JSON.stringify(parameters)} fails the capture`, async () => {
    const { status, json } = await captures.capture(shop, parameters as Record<string, string | string[]>);
    assert.deepEqual([status, json.code], [400, "unwanted_page"]);
    assert.ok(json.error?.includes(found), json.error ?? "");
    assert.ok((json.error?.length ?? 0) < 400);
  });

test("a page to which none of the reasons applies is captured", async () => {
  const { status } = await captures.capture(shop, {
    fail_on_text: "/sold out|out of stock$/i",
    fail_without_text: ["Oak chair", "/120 €/"],
    fail_on_console_error: "true",
    fail_on_failed_request: "*",
  });
  assert.equal(status, 200);
});

test("fail_on_console_error: the error quotes the first console error or exception; warnings don't count", async () => {
  const page = (script: string) => `<!doctype html><p>page<script>${script}</script>`;
  const parameters = { fail_on_console_error: "true" };
  const thrown = await captures.capture(page('console.warn("w"); throw new Error("broken chart")'), parameters);
  assert.match(thrown.json.error ?? "", /its console contains the error "Error: broken chart" \(fail_on_console_error\)/);
  const logged = await captures.capture(page(`console.error("e".repeat(9999))`), parameters);
  assert.match(logged.json.error ?? "", /"e{200}"/);
  assert.equal((await captures.capture(page('console.warn("w")'), parameters)).status, 200);
});

test("fail_on_failed_request: both pattern and status must match", async () => {
  captures.site.serve({
    "/api/prices": (_, response) => response.writeHead(503).end(),
    "/api/gone": (_, response) => response.destroy(),
  });
  const page = '<!doctype html><p>page<script>fetch("/api/prices?key=secret"); fetch("/api/gone").catch(() => {})</script>';
  const fails = async (fail_on_failed_request: string | string[]) =>
    (await captures.capture(page, { fail_on_failed_request })).json.error ?? "";
  const quoted = `${captures.site.origin}/api/prices failed with status 503 (fail_on_failed_request)`;
  for (const one of ["*/api/* 500-599", ...onlyLong(["*/api/p*", "*/api/prices* 503,failed"])])
    assert.ok((await fails(one)).includes(quoted), one);
  assert.match(await fails(["/other/*", "*/api/gone"]), /\/api\/gone failed: net::ERR_/);
  for (const one of ["*/api/* 400-499", ...onlyLong(["*/images/*", "*/api/gone 500-599"])]) assert.equal(await fails(one), "", one);
});

test("fail_on_failed_request: of thousands of requests, the first that matches is found, and none throws", async () => {
  const follow = async (line: string, underWay: number) => {
    const events = new EventEmitter();
    const tab = Object.assign(events, { send: async () => ({}) }) as unknown as Tab;
    const failed = await followFailedRequests({ tab }, [line]);
    const begin = (requestId: string, url: string) => events.emit("Network.requestWillBeSent", { requestId, request: { url } });
    const fail = (requestId: string) => events.emit("Network.loadingFailed", { requestId, errorText: "net::ERR_FAILED" });
    for (let at = 0; at < underWay; at += 1) begin(`waiting ${at}`, "http://other.test/");
    for (let at = 0; at < 6_000; at += 1) {
      begin(`${at}`, "http://other.test/");
      fail(`${at}`);
    }
    begin("last", "http://example.com/a?b");
    fail("last");
    return failed.first;
  };
  assert.equal(await follow("example.com", 4_999), "http://example.com/a failed: net::ERR_FAILED");
  assert.equal(await follow("example.com", 5_000), undefined);
  assert.equal(await follow("* failed", 5_000), "a request failed: net::ERR_FAILED");
  assert.equal(readPattern("example.com").matches("not a URL"), false);
});

test("patterns that can't be searched in linear time are rejected with the reason", async () => {
  for (const [name, value, reason] of [
    ["fail_on_text", "/(?=a)b/", "which has an unsupported look-around"],
    ["fail_on_text", "/(a)\\1/", "which has an unsupported backreference"],
    ["fail_on_text", "/(/", "which has an unclosed group"],
    ["fail_without_text", "/a{1000}/", "which is too large"],
    ["fail_on_failed_request", "*/api/* many", "expected a pattern, optionally followed by failures"],
  ] as const) {
    const { status, json } = await captures.capture(shop, { [name]: value });
    assert.deepEqual([status, json.code], [400, "invalid_parameters"], value);
    assert.ok(json.error?.includes(reason), json.error ?? "");
  }
});

for (const [pattern, text, match] of [
  ["a+b", "xxaab", [2, 5]],
  ["(a*)*b", "aaaaab", [0, 6]],
  ["^foo$", "bar\nfoo\nx", [4, 7]],
  ["\\bcat\\b", "concat cat", [7, 10]],
  ["[a-c]{2,3}x", "zzabcx", [2, 6]],
  ["[\\]\\d]+z", "a]1z", [1, 4]],
  ["\\p{Lu}\\p{Ll}", "abCd", [2, 4]],
  ["(?<year>\\d{4})|x", "in 2024", [3, 7]],
  ["a.c|q", "a\nc abc", [4, 7]],
  ["abcd|c", "abcd", [2, 3]],
  ["b{2,}", "b", undefined],
  ["[^\\p{L}\\W\\d]", "a 1_", [3, 4]],
  ["[\\\\p{Unknown}]{2}", "a\\p", [1, 3]],
] as const)
  test(`linearPattern: ${pattern} in ${JSON.stringify(text)}`, () => assert.deepEqual(linearPattern(pattern, false)(text), match));

test("linearPattern: classes of thousands of ranges, which are costly to join, are checked without joining them", () => {
  const before = process.threadCpuUsage();
  for (let line = 0; line < 300; line += 1) linearPattern(`[${"\\p{L}".repeat(30)}${String.fromCodePoint(0x4e00 + line)}]`, false);
  const { user, system } = process.threadCpuUsage(before);
  const ms = (user + system) / 1000 / slownessOfMachine();
  assert.ok(ms < 200, `${ms} ms`); // joined: 1.5 s
});

for (const [pattern, problem] of [
  ["(a)\\1", "has an unsupported backreference"],
  ["(?<a>x)\\k<a>", "has an unsupported backreference"],
  ["[\\1]", "has an invalid escape or class"],
  ["\\p{Unknown}", "has an invalid escape or class"],
  ["[z-a]", "has an invalid escape or class"],
  ["[a", "has an unterminated character class"],
  ["(a", "has an unclosed group"],
  ["a)", "has an unmatched )"],
  ["+a", "has a quantifier with nothing to repeat"],
  ["(?<year", "has a group name without a closing >"],
  ["(?<>x)", "has an invalid group name"],
  ["(?<a)(b>x)", "has an invalid group name"],
  ["[\\p{Unknown}]", "has an invalid escape or class"],
  ["[\\p{L}-z]", "has an invalid escape or class"],
] as const)
  test(`linearPattern: ${pattern} ${problem}`, () =>
    assert.throws(() => linearPattern(pattern, false), { name: "SyntaxError", message: problem }));
