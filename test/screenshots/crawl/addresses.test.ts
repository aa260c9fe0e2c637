/** Which addresses are the same page of a crawled site, which belong to other sites, and which are traps. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cleaned, identityOf, isFile, isIncluded, isTrap, onSite, varietyOf } from "../../../src/screenshots/crawl/addresses.ts";
import { assertLinear } from "../../support/linear.ts";

const url = (path: string) => new URL(path, "https://example.com");
const cleanedPath = (path: string) => cleaned(url(path)).href.replace("https://example.com", "");
const isSame = (one: string, other: string) => identityOf(cleaned(url(one))).equals(identityOf(cleaned(url(other))));
const areSimilar = (one: string, other: string) => {
  const [variety, second] = [varietyOf(url(one)), varietyOf(url(other))];
  return variety !== undefined && second !== undefined && variety.equals(second);
};

test("a site has one host, with and without www, over http and https", () => {
  const on = (address: string, origin = "https://example.com") => onSite(new URL(address), origin)?.href;
  assert.equal(on("https://example.com/a?b"), "https://example.com/a?b");
  assert.equal(on("http://www.example.com/a?b"), "https://example.com/a?b");
  assert.equal(on("https://example.com//other.example/a"), "https://example.com//other.example/a");
  assert.equal(on("http://www.example.com//other.example/a"), undefined, "the path isn't read as a host");
  for (const other of ["https://docs.example.com/", "https://example.com:8443/", "https://example.org/", "ftp://example.com/"])
    assert.equal(on(other), undefined, other);
  assert.equal(on("http://127.0.0.1:81/", "http://127.0.0.1:80"), undefined);
});

test("sessions and the origin of visitors are removed from addresses, and nothing else", () => {
  assert.equal(cleanedPath("/a?utm_source=x&b=%20c+d&fbclid=y#e"), "/a?b=%20c+d");
  assert.equal(cleanedPath("/a;jsessionid=0123/b?PHPSESSID=4&x"), "/a/b?x");
  assert.equal(cleanedPath("/(S(abcdefghijklmnopqrstuvwx))/a?sid=0123456789abcdef"), "/a");
  assert.equal(cleanedPath("/a?sid=42&s=hat&token=x"), "/a?sid=42&s=hat&token=x", "short values are not sessions");
  assert.equal(cleanedPath("/a?"), "/a");
});

test("the order of parameters and the spelling of encoding don't make another page", () => {
  assert.ok(isSame("/a?x=1&y=2#z", "/a?y=2&x=1"));
  assert.ok(isSame("/%c3%a9", "/é"));
  for (const [one, other] of [
    ["/a", "/a/"],
    ["/a?x=1", "/a?x=2"],
    ["/a", "/A"],
  ] as const)
    assert.ok(!isSame(one, other), `${one} and ${other}`);
});

test("addresses that repeat themselves, or are too long or too deep, are traps", () => {
  for (const path of [
    "/docs/api/docs/api/docs/api/",
    "/a/a/a",
    "/1/2/3/4/5/6/7/8/9/10/11/12/13",
    `/${"x".repeat(1_000)}`,
    "/a?b=1&b=2&b=3",
    "/a?b&c&d&e&f&g&h&i&j",
  ])
    assert.ok(isTrap(url(path)), path);
  for (const path of ["/", "/docs/docs/a", "/2011/11/11/", "/a?b=1&b=2&c=3", `/${"x".repeat(900)}`]) assert.ok(!isTrap(url(path)), path);
});

test("a calendar's pages are similar, as are the filters of a list; articles and products are not", () => {
  assert.ok(areSimilar("/calendar/2026/11/26", "/calendar/2031/01/02"));
  assert.ok(areSimilar("/events?month=11&year=2026", "/events?month=12&year=2026"));
  assert.ok(areSimilar("/calendar/2026-11-26", "/calendar/2026-11-27"));
  assert.ok(areSimilar("/shop?color=red&size=2", "/shop?size=3&sort=price"));
  for (const [one, other] of [
    ["/2026/11/a-post", "/2026/11/another-post"],
    ["/2026/11/post-1", "/2026/12/post-2"],
    ["/2026/11/12345", "/2026/11/12346"],
    ["/product/1", "/product/2"],
    ["/product?id=1", "/product?id=2"],
    ["/shop?color=red&size=2", "/hats?color=red&size=2"],
  ] as const)
    assert.ok(!areSimilar(one, other), `${one} and ${other}`);
});

test("patterns match path and query, with * as any text", () => {
  assert.ok(isIncluded(url("/docs/a?b"), [], []));
  assert.ok(isIncluded(url("/docs/a?b"), ["/docs/*"], ["/docs/b*"]));
  assert.ok(!isIncluded(url("/blog/docs/"), ["/docs/*"], []));
  assert.ok(!isIncluded(url("/docs/print?x=1"), ["/docs/*"], ["*print?*"]));
  assert.ok(isFile(url("/a/b.PDF")) && isFile(url("/feed.xml?x")) && !isFile(url("/a.html")) && !isFile(url("/v1.2")));
});

test("any address takes linear time", () => {
  const work = (text: string) => {
    const address = cleaned(url(text));
    identityOf(address);
    varietyOf(address);
    isTrap(address);
    isFile(address);
    isIncluded(address, ["/*a*a*a*a*b"], [`/*${"a".repeat(100)}b*`]);
  };
  for (const repeated of ["a", "/", "/a", "?", "&", "a=1&", "%c3", ";jsessionid=", "(S(", "2026/", "utm_", "1"])
    for (const before of ["/x", "/x?"]) assertLinear(work, repeated, { before });
});
