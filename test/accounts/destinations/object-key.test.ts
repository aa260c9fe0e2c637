/** Templates of copies' keys, and what text from outside becomes in them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTemplate, objectKeyOf, problemOfTemplate } from "../../../src/accounts/destinations/object-key.ts";
import { assertLinear } from "../../support/linear.ts";

const id = "019ab9c2-8f4e-7d7b-9a43-0d6c1f6f2a11"; // 2025-11-25T06:45:26Z
const keyOf = (template: string, { url = "https://example.com/", label }: { url?: string; label?: string | undefined } = {}) =>
  objectKeyOf(template, { id, url: new URL(url), label, extension: "png" });

test("a key has the host, the day in UTC, a name of its own and the extension", () => {
  assert.equal(keyOf(defaultTemplate), `example.com/2025-11-25/${id}.png`);
  assert.equal(keyOf(defaultTemplate, { label: "desktop" }), `example.com/2025-11-25/desktop-${id}.png`);
  assert.equal(keyOf("a/{label}_{time}.{ext}", { label: "front page" }), "a/front-page_064526.png");
  assert.equal(keyOf("a/{label}.{ext}", { label: "front.png" }), "a/front.png");
  assert.equal(keyOf("{label}"), "screenshot");
});

test("text from outside adds neither folders nor dots, control or other special characters", () => {
  const labels = [
    "../../etc/passwd",
    "..",
    ".",
    "/",
    "a/../b",
    "a\0b\r\nc",
    "‮exe.gnp",
    "a//b",
    "%2e%2e%2f",
    "日本",
    " ",
    "-.-",
    "a".repeat(255),
  ];
  for (const label of labels) {
    const key = keyOf("x/{label}/{name}", { label });
    assert.match(key, /^x\/\w[\w.-]{0,99}\/\w[\w.-]{0,136}$/, JSON.stringify(label));
    assert.ok(key.split("/").length === 3 && !key.includes(".."), key);
  }
  for (const url of [
    "http://[2001:db8::1]:8080/",
    "https://xn--bcher-kva.example/",
    `https://${"a".repeat(60)}.${"b".repeat(60)}.example/`,
    "http://1.2.3.4/",
  ])
    assert.match(keyOf("{host}/x", { url }), /^[\w][\w.-]{0,99}\/x$/, url);
  assert.equal(keyOf("{host}", { url: "https://xn--bcher-kva.example/" }), "xn--bcher-kva.example");
});

test("templates are checked: fields, characters, segments, and the length of the longest key", () => {
  assert.equal(problemOfTemplate(defaultTemplate), undefined);
  assert.equal(problemOfTemplate("a b".replace(" ", "/")), undefined);
  for (const [template, problem] of [
    ["", /segment/],
    ["/a", /begin or end/],
    ["a/", /begin or end/],
    ["a//b", /\/\//],
    ["../a", /segment/],
    ["a/./b", /segment/],
    ["a/../{host}", /segment/],
    ["{nothing}", /field that doesn't exist/],
    ["{}", /field that doesn't exist/],
    ["{constructor}", /field that doesn't exist/],
    ["{host", /only letters/],
    ["a b", /only letters/],
    ["a\nb", /only letters/],
    ["a%2fb", /only letters/],
    ["é", /only letters/],
    ["a".repeat(257), /at most 256/],
    ["{name}".repeat(8), /longer than the maximum of 1024/],
  ] as const)
    assert.match(problemOfTemplate(template) ?? "no problem", problem, template);
  const long = "{name}".repeat(7);
  assert.equal(problemOfTemplate(long), undefined);
  assert.ok(keyOf(long, { label: "a".repeat(255) }).length <= 1_024);
});

test("names and templates are read in linear time", () => {
  for (const part of ["-", ".", "a-", "-.", "a.-", "{"]) assertLinear((label) => keyOf("{label}", { label }), part);
  for (const part of ["{", "{a", "}{", "a/"]) assertLinear(problemOfTemplate, part);
});
