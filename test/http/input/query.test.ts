/** Query parsing: every notation that SDKs and people use. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createQuery } from "../../../src/http/input/request-target.ts";
import { createOptionsReader } from "../../../src/http/input/validation.ts";
import { createTakeSchema } from "../../../src/screenshots/take/take-options.ts";
import { AppError } from "../../../src/shared/errors.ts";
import { limits } from "../limits.ts";

const parametersOf = (text: string) => createQuery(text).parameters;
const read = createOptionsReader(createTakeSchema(limits), ["api_key"]);
const options = (query: string) => read(parametersOf(`url=https://example.com/&${query}`)).options;

function problems(query: string): string[] {
  try {
    read(parametersOf(`url=https://example.com/&${query}`));
    return [];
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.details?.map(({ message }) => message) ?? [];
  }
}

test("booleans: true, 1, yes, on and their opposites, in any case; empty is absent", () => {
  for (const text of ["true", "TRUE", "1", "yes", "Yes", "on"]) assert.equal(options(`full_page=${text}`).full_page, true, text);
  for (const text of ["false", "False", "0", "no", "off", ""]) assert.equal(options(`full_page=${text}`).full_page, false, text);
  assert.deepEqual(problems("full_page=maybe"), ['full_page must be true or false, not "maybe"']);
  assert.deepEqual(problems("full_page"), []);
  for (const text of ["constructor", "__proto__", "valueOf"])
    assert.deepEqual(problems(`full_page=${text}`), [`full_page must be true or false, not "${text}"`]);
});

test("numbers: decimals and exponents, no other text", () => {
  assert.equal(options("width=800").width, 800);
  assert.equal(options("width=%20800%20").width, 800);
  assert.equal(options("delay=1.5").delay, 1.5);
  assert.equal(options("delay=.5").delay, 0.5);
  assert.equal(options("width=8e2").width, 800);
  for (const text of ["NaN", "Infinity", "-Infinity", "0x10", "12px", "1,5", "8e999", "--1", "true"]) {
    assert.deepEqual(problems(`width=${text}`), [`width must be an integer from 1 to 3840, not ${JSON.stringify(text)}`], text);
  }
  assert.deepEqual(problems("width=10.5"), ["width must be an integer from 1 to 3840, not 10.5"]);
});

test("lists: repeated, with brackets, separated by commas, as JSON", () => {
  for (const query of [
    "wait_until=load&wait_until=networkidle0",
    "wait_until[]=load&wait_until[]=networkidle0",
    "wait_until=load,networkidle0",
    "wait_until=load,%20networkidle0,",
    'wait_until=["load","networkidle0"]',
    "wait_until%5B%5D=load&wait_until=networkidle0",
  ]) {
    assert.deepEqual(options(query).wait_until, ["load", "networkidle0"], query);
  }
  assert.deepEqual(options("wait_until=load").wait_until, ["load"]);
  assert.deepEqual(options("wait_until=").wait_until, ["auto"]);
  assert.equal(problems("wait_until=never").length, 1);
  assert.equal(problems("wait_until=[1,2]").length, 1);
  assert.deepEqual(options("wait_until[0]=load&wait_until[1]=networkidle0").wait_until, ["load", "networkidle0"]);
  assert.deepEqual(options("wait_until=[]").wait_until, ["auto"]);
});

test("line lists: newlines, repeated, JSON array and JSON object", () => {
  const lines = ["X-A: one, with comma", "X-B: two"];
  for (const query of [
    `headers=${encodeURIComponent(lines.join("\n"))}`,
    `headers=${encodeURIComponent(lines.join("\r\n"))}`,
    lines.map((line) => `headers=${encodeURIComponent(line)}`).join("&"),
    `headers=${encodeURIComponent(JSON.stringify(lines))}`,
    `headers=${encodeURIComponent(JSON.stringify({ "X-A": "one, with comma", "X-B": "two" }))}`,
    `headers[X-A]=${encodeURIComponent("one, with comma")}&headers%5BX-B%5D=two`,
  ]) {
    assert.deepEqual(options(query).headers, lines, query);
  }
});

test("enum values ignore case and separators; a near miss gets a suggestion", () => {
  for (const text of ["PNG", "Png", " png"]) assert.equal(options(`format=${text}`).format, "png", text);
  assert.deepEqual(options("wait_until=networkIdle0,DOMContentLoaded").wait_until, ["networkidle0", "domcontentloaded"]);
  const [problem, ...others] = problems("format=pmg");
  assert.match(problem ?? "", /^format must be one of jpeg, png, webp, avif, .*, not "pmg" \(did you mean png\?\)$/);
  assert.deepEqual(others, []);
  assert.match(problems("wait_until=load,netwrokidle0")[0] ?? "", /, not "netwrokidle0" \(did you mean networkidle0\?\)$/);
  assert.doesNotMatch(problems("format=tiff-something")[0] ?? "", /did you mean/);
});

test("suggestions: at most one typo away, with the same digits", () => {
  const suggested = (name: string) => /\(did you mean (\w+)\?\)/.exec(problems(`strict=1&${name}=1`)[0] ?? "")?.[1];
  const names = { widht: "width", fullPage: "full_page", "FULL-PAGE": "full_page", vieport_device: "viewport_device", heigth: "height" };
  for (const [name, meant] of Object.entries(names)) assert.equal(suggested(name), meant);
  for (const name of ["clipp_x_y", "zoom", "frobnicate", "wide"]) assert.equal(suggested(name), undefined, name);
  assert.doesNotMatch(problems("viewport_device=iPhone%2099")[0] ?? "", /did you mean/);
  assert.match(problems("viewport_device=iphone%2015%20prp")[0] ?? "", /\(did you mean iPhone 15 Pro\?\)$/);
});

test("other products' parameter names get our name, or the reason why they aren't supported", () => {
  const said = (name: string) => problems(`strict=1&${name}=1`)[0]?.replace(`${name} is not a parameter`, "").trim();
  const meant = (options: string, products: string, name: string) =>
    assert.equal(said(name), `(did you mean ${options}, which ${products} ${products.includes(" and ") ? "call" : "calls"} ${name}?)`);
  meant("width", "ScreenshotOne and thum.io", "viewport_width");
  meant("prefers_color_scheme", "ScreenshotOne", "dark_mode");
  meant("pdf_background", "browserless, Microlink and Gotenberg", "printBackground");
  meant("pdf_width", "Gotenberg", "paperWidth");
  meant("viewport_device", "Microlink", "device");
  meant("device_scale_factor", "Urlbox", "retina");
  assert.match(said("viewport") ?? "", /did you mean width, height, device_scale_factor, .*browserless and Microlink call viewport/);
  assert.match(said("scale") ?? "", /did you mean device_scale_factor or pdf_scale, which Playwright, .* call scale\?/);
  assert.equal(said("webhook_url"), "(used by ScreenshotOne, but not supported here: use webhook_url with POST /v1/captures)");
  const ignored = read(parametersOf("url=https://example.com/&viewport_height=3")).warnings;
  assert.deepEqual(ignored, [
    "unknown parameter viewport_height was ignored (did you mean height, which ScreenshotOne calls viewport_height?)",
  ]);
});

test("an error lists every problem, including unknown names and NULs", () => {
  assert.deepEqual(
    problems("width=0&format=bmp&widht=3&selector=%00&pdf_width=10in").map((text) => text.split(" ", 1)[0]),
    ["width", "format", "pdf_height", "selector", "widht"],
  );
});

test("validation: numbers above the service's maximum are reduced, with a warning", () => {
  const { warnings } = read(parametersOf("url=https://example.com/&timeout=60"));
  assert.deepEqual(warnings, [`timeout was reduced from 60 to ${limits.timeoutMaxSeconds} seconds, the maximum of this service`]);
  assert.deepEqual(read(parametersOf("url=https://example.com/&timeout=1")).warnings, []);
});

test("parameters that probably belong to an unencoded url get a warning that says so", () => {
  const { warnings } = read(parametersOf("url=https://example.com/?a=1&b=2&widht=3"));
  assert.deepEqual(warnings, [
    "unknown parameter b was ignored; if it belongs to url, percent-encode url",
    "unknown parameter widht was ignored (did you mean width?)",
  ]);
});

test("a repeated value counts once; two different ones are an error", () => {
  assert.equal(options("width=100&width=100").width, 100);
  assert.deepEqual(problems("width=100&width=200"), ["width was given 2 different values; only one is allowed"]);
});

test("combinations that SDKs send with every default cause neither errors nor warnings", () => {
  const query =
    "api_key=k&format=png&quality=80&is_cached=false&cache_ttl=3600&full_page=false&omit_background=false&delay=0&timeout=30&wait_until=auto&headers=&cookies=&user_agent=&selector=&response_type=image";
  const { warnings } = read(parametersOf(`url=https://example.com/&${query}`));
  assert.deepEqual(warnings, []);
});

test("queries are decoded as the URL standard decodes forms, part by part", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(...Array.from("?&&==%+#;[]0aAfF")), fc.string({ unit: "binary", maxLength: 1 })),
  });
  fc.assert(
    fc.property(text, (query) => {
      const pairs = createQuery(query).pairs.filter((pair) => pair.text !== "" && !/\[|%5b/i.test(pair.text));
      const plain = pairs.map((pair) => pair.text).join("&");
      assert.deepEqual(
        pairs.map(({ name, value }) => [name, value()]),
        [...new URLSearchParams(`&${plain}`)],
      );
    }),
    { numRuns: 2_000 },
  );
});

test("names such as __proto__ have no special meaning", () => {
  const { options: read1, warnings } = read(parametersOf("url=https://example.com/&__proto__=1&constructor=2&toString=3"));
  assert.equal(read1.url, "https://example.com/");
  assert.equal(warnings.length, 3);
});

test("url: IDNs and spaces are normalized; fragments and queries are kept", () => {
  const url = (text: string) => read(parametersOf(`url=${encodeURIComponent(text)}`)).options.url;
  assert.equal(url("https://bücher.example/ä b?c=d#e"), "https://xn--bcher-kva.example/%C3%A4%20b?c=d#e");
  assert.equal(url("HTTP://EXAMPLE.com:80"), "http://example.com/");
});

test("an error quotes the first invalid item of a list, and states the length limit for an item that is too long", () => {
  assert.match(problems("wait_until=never")[0] ?? "", /, not "never"$/);
  assert.deepEqual(problems("fail_on_status=404,teapot,500,x"), [
    'fail_on_status must be statuses and ranges, such as 404,500-599, not "teapot"',
  ]);
  const clicks = Array.from({ length: 21 }, (_, index) => `click=${index}`).join("&");
  assert.deepEqual(problems(clicks), ["click must have at most 20 items, but has 21"]);
  assert.deepEqual(problems(`selector=${"a".repeat(1025)}`), ["selector must have at most 1024 characters, but has 1025"]);
});

test("the error for an invalid number states its unit", () => {
  assert.deepEqual(problems("delay=2000"), ["delay must be a number of seconds from 0 to 30, not 2000"]);
  assert.deepEqual(problems("timeout=30000"), ["timeout must be a number of seconds from 1 to 90, not 30000"]);
  assert.deepEqual(problems("full_page_scroll_duration=0.5"), [
    "full_page_scroll_duration must be a whole number of milliseconds from 0 to 30000, not 0.5",
  ]);
  assert.deepEqual(problems("cache_ttl=1"), ["cache_ttl must be a whole number of seconds from 60 to 31622400, not 1"]);
});

test("an error message ends with a single period, even after a suggestion; loopback addresses are suggested with http", () => {
  const message = (query: string) => {
    try {
      read(parametersOf(query));
      return undefined;
    } catch (error) {
      return (error as AppError).message;
    }
  };
  assert.equal(message("url=example.com"), "url is not absolute (did you mean https://example.com?).");
  for (const local of ["localhost:5173", "app.localhost/a", "127.0.0.1:80", "[::1]:5173"])
    assert.equal(message(`url=${local}`), `url is not absolute (did you mean http://${local}?).`);
  assert.equal(message("url=localhost.example.com:80"), "url is not absolute (did you mean https://localhost.example.com:80?).");
  assert.equal(message("url=https://example.com/&strict=1&widht=3"), "widht is not a parameter (did you mean width?).");
});

test("secret values are never repeated in an error", () => {
  assert.deepEqual(problems("headers=hush-hush"), ["headers contains a line that is not `Name: Value`"]);
  assert.equal(JSON.stringify(problems("cookies=hush-hush")).includes("hush"), false);
});

test("a NUL in an option is rejected by option name; in url it is percent-encoded like any other character", () => {
  for (const name of ["cache_key", "selector", "attachment_name", "hide_selectors", "styles"])
    assert.match(problems(`${name}=a%00b`).join(), new RegExp(`${name} contains a NUL character`), name);
  assert.equal(read(parametersOf("url=https%3A%2F%2Fexample.com%2F%00%3Fa%3D%00b")).options.url, "https://example.com/%00?a=%00b");
});
