/** User agent, headers and credentials, and that they don't leak. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { createSite, type Site } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let captures: Captures;
/** Another origin, which must not receive anything that is meant for the first. */
let other: Site;

before(async () => {
  other = await createSite(scope);
  captures = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: other.host });
});

const secrets = { headers: "X-Secret: one\nAccept-Language: de", authorization: "Bearer two" };

/** The headers of the last request for `path`. */
function sent(site: Site, path: string): Record<string, unknown> {
  const request = site.requests.findLast((candidate) => candidate.path === path);
  assert.ok(request, `${path} was not requested`);
  return request.headers;
}

test("headers and authorization: sent with every request to the target's origin, and never to another", async () => {
  const { site, capture } = captures;
  const elsewhere = ["frame", "style.css", "script.js", "image.png", "fetched", "font.woff2"].map((name) => `${other.origin}/${name}`);
  const [frame, style, script, image, fetched, font] = elsewhere as [string, string, string, string, string, string];
  site.serve({ "/own-frame": `<img src="${other.origin}/from-own-frame">`, "/own.js": "", "/own.css": "" });
  other.serve({ "/frame": `<img src="${site.origin}/asked-by-other"><img src="/inner">` });
  const { status } = await capture(
    `<link rel=stylesheet href="${style}"><link rel=stylesheet href="/own.css"><script src="${script}"></script><script src="/own.js"></script>
     <style>@font-face{font-family:x;src:url("${font}")}body{font-family:x}</style><img src="${image}"><iframe src="/own-frame"></iframe>
     <iframe src="${frame}"></iframe>text<script>fetch("${fetched}", { mode: "no-cors", credentials: "include" })</script>`,
    { ...secrets, wait_until: "networkidle0" },
  );
  assert.equal(status, 200);
  for (const path of ["/own-frame", "/own.js", "/own.css", `/page-1`]) {
    assert.equal(sent(site, path)["x-secret"], "one", path);
    assert.equal(sent(site, path).authorization, "Bearer two", path);
    assert.equal(sent(site, path)["accept-language"], "de", path);
  }
  for (const path of ["/frame", "/style.css", "/script.js", "/image.png", "/fetched", "/font.woff2", "/from-own-frame", "/inner"])
    sent(other, path);
  assertNothingLeaked();
});

longTest("headers and authorization: not sent after a redirect to another origin, immediate or later", async () => {
  const { site, capture } = captures;
  const to = (location: string) => (_: unknown, response: import("node:http").ServerResponse) =>
    void response.writeHead(302, { location }).end();
  site.serve({
    "/away": to(`${other.origin}/landed`),
    "/two-steps": to("/away"),
    "/by-script": `<script>location = "${other.origin}/landed-by-script"</script>`,
    "/by-meta": `<meta http-equiv=refresh content="0;url=${other.origin}/landed-by-meta">`,
    "/there-and-back": to(`${other.origin}/back`),
    "/home": "home",
    "/moved-image": to(`${other.origin}/moved-image`),
    "/with-moved-image": '<img src="/moved-image">',
  });
  other.serve({ "/landed": "landed", "/landed-by-script": "landed", "/landed-by-meta": "landed", "/back": to(`${site.origin}/home`) });
  for (const path of ["/away", "/two-steps", "/by-script", "/by-meta", "/there-and-back", "/with-moved-image"]) {
    const { status, json } = await capture(path, { ...secrets, wait_until: "networkidle0" });
    assert.equal(status, 200, `${path}: ${json.error}`);
    assert.equal(sent(site, path)["x-secret"], "one", path);
  }
  for (const path of ["/landed", "/landed-by-script", "/landed-by-meta", "/back", "/moved-image"]) sent(other, path);
  assert.equal(sent(site, "/home").authorization, "Bearer two");
  assertNothingLeaked();
});

/** No request to the other origin contains anything of ours. */
function assertNothingLeaked(): void {
  assert.ok(other.requests.length > 0);
  for (const { path, headers } of other.requests) {
    assert.equal(headers["x-secret"], undefined, path);
    assert.equal(headers.authorization, undefined, path);
    assert.notEqual(headers["accept-language"], "de", path);
  }
}

test("authorization: grants access, and takes precedence over one in headers", async () => {
  const { site, capture } = captures;
  site.serve({
    "/guarded": (request, response) => {
      const open = request.headers.authorization === "Basic dTpw";
      response.writeHead(open ? 200 : 401, { "content-type": "text/html", "www-authenticate": 'Basic realm="x"' }).end("<title>in</title>");
    },
  });
  const status = async (parameters: Record<string, string>) => (await capture("/guarded", parameters)).headers.get("x-target-status");
  assert.equal(await status({}), "401");
  assert.equal(await status({ authorization: "Basic dTpw" }), "200");
  assert.equal(await status({ authorization: "Basic dTpw", headers: "AUTHORIZATION: Basic wrong" }), "200");
});

test("authorization: never appears in a log, record or error, and makes the response private", async () => {
  const { service, capture } = captures;
  const { status, headers } = await capture("<p>private", { authorization: "Bearer hush-hush" });
  assert.equal(status, 200);
  assert.match(headers.get("cache-control") ?? "", /^private/);
  const refused = await capture("<p>private", { authorization: "Bearer hush-hush\u00e9" });
  assert.equal(refused.json.error, "authorization contains characters other than printable ASCII.");
  const { json } = await capture("<p>private", { authorization: "Bearer hush-hush", dry_run: "true" });
  assert.equal((json.options as Record<string, unknown>).authorization, "given");
  assert.doesNotMatch(service.logged(), /hush-hush/);
  const { rows } = await service.pool.query("select options->>'authorization' as kept from screenshots where options ? 'authorization'");
  assert.ok(rows.length > 0);
  for (const { kept } of rows) assert.equal(kept, "given");
});

const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

test("user_agent: client hints and navigator match it; for browsers without client hints, none are sent", async () => {
  const { site, capture, ask } = captures;
  site.serve({ "/seen": "seen" });
  await capture("/seen", { user_agent: windows });
  const asChromium = sent(site, "/seen");
  assert.equal(asChromium["user-agent"], windows);
  assert.match(String(asChromium["sec-ch-ua"]), /"Chromium";v="131"/);
  assert.deepEqual([asChromium["sec-ch-ua-platform"], asChromium["sec-ch-ua-mobile"]], ['"Windows"', "?0"]);
  await capture("/seen", { user_agent: firefox });
  const asFirefox = sent(site, "/seen");
  assert.equal(asFirefox["user-agent"], firefox);
  assert.deepEqual(
    Object.keys(asFirefox).filter((name) => name.startsWith("sec-ch-ua")),
    [],
  );
  const values =
    "[navigator.userAgent, navigator.platform, (navigator.userAgentData?.brands ?? []).map(({ brand, version }) => brand + version)[0]]";
  assert.deepEqual(await ask(values, { user_agent: windows }), [windows, "Win32", "Chromium131"]);
});

test("user_agent: Chromium's own by default, without any mention of Headless", async () => {
  const { site, capture } = captures;
  site.serve({ "/usual": "usual" });
  await capture("/usual");
  const usual = sent(site, "/usual");
  assert.match(String(usual["user-agent"]), /Chrome\/\d+/);
  assert.match(String(usual["sec-ch-ua"]), /"Chromium"/);
  assert.doesNotMatch(JSON.stringify(usual), /Headless/i);
});

test("cookies: JSON and line notation are equivalent", async () => {
  const { site, capture } = captures;
  site.serve({ "/cookies": "cookies" });
  const more = ["a=1; b=2", '["a=1; Path=/","b=2"]', ["a=1", "b=2"]];
  for (const cookies of ["a=1; Path=/\nb=2", '{"a":"1","b":2}', ...onlyLong(more)]) {
    const { status, json } = await capture("/cookies", { cookies });
    assert.equal(status, 200, String(json.error));
    assert.equal(sent(site, "/cookies").cookie, "a=1; b=2", String(cookies));
  }
});
