/** `explain`: what happened during a capture. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Explanation } from "../../src/capture/explanation.ts";
import { type Captured, type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";

const scope = fileScope();
let site: Captures["site"];
let service: Captures["service"];
let capture: Captures["capture"];

before(async () => {
  ({ site, service, capture } = await startCaptures(scope));
  site.serve({
    "/never": () => {},
    "/moved": (_request, response) => response.writeHead(302, { location: "/page" }).end(),
    "/page": "<!doctype html><title>page</title><p>text",
    "/image.png": (_request, response) => response.writeHead(404).end(),
    "/data": (_request, response) => response.end("{}"),
    "/signed": (_request, response) => response.writeHead(302, { location: "/page?token=r-4711&lang=de" }).end(),
  });
});

const asJson = { explain: "true", response_type: "json" };
const explanationOf = ({ json }: Captured) => json.explanation as Explanation;
const textsOf = ({ steps }: Explanation) => steps.map(({ text }) => text);
const requestTo = ({ requests }: Explanation, path: string) => requests.find(({ url }) => new URL(url).pathname === path);

test("explain: the JSON contains steps, requests with their outcome, and the page's errors", async () => {
  const page = `<!doctype html><p>text<img src="/image.png"><script src="/image.png?script"></script><script>
    console.error("no", "price", {a: 1}); console.log("quiet"); console.warn("old"); fetch("/data"); setTimeout(() => missing(), 1);
  </script>`;
  const explanation = explanationOf(await capture(page, asJson));
  assert.deepEqual(textsOf(explanation), ["the target responded", "the page was ready", "the screenshot was taken"]);
  const image = requestTo(explanation, "/image.png");
  assert.deepEqual([image?.type, image?.status, image?.outcome], ["image", 404, "done"]);
  const script = explanation.requests.find(({ url }) => url.endsWith("?script"));
  assert.deepEqual([script?.status, script?.outcome], [404, "done"]);
  const data = requestTo(explanation, "/data");
  assert.deepEqual([data?.type, data?.status, data?.outcome], ["fetch", 200, "done"]);
  assert.ok(data && data.duration !== null && data.at + data.duration <= (explanation.steps.at(-1)?.at ?? 0));
  const logged = explanation.console.map(({ level, text }) => `${level}: ${text}`);
  assert.deepEqual(logged.slice(0, 2), ["error: no price Object", "warning: old"]);
  assert.match(logged[2] ?? "", /^error: ReferenceError: missing is not defined/);
  assert.equal(logged.length, 3);
  assert.match(explanation.console[0]?.source ?? "", /\/page-\d+:\d+$/);
});

test("explain: the page's errors are listed even with clock", async () => {
  const page = `<!doctype html><p>text<script>console.error("no price"); setTimeout(() => missing(), 100);</script>`;
  const { console } = explanationOf(await capture(page, { ...asJson, clock: "fast" }));
  assert.equal(console.length, 2);
  assert.equal(console[0]?.text, "no price");
  assert.match(console[1]?.text ?? "", /^ReferenceError: missing is not defined/);
});

test("explain: lists the page's redirects, each with the request that it leads to", async () => {
  const explanation = explanationOf(await capture("/moved", asJson));
  assert.deepEqual(explanation.redirects, [{ from: `${site.origin}/moved`, to: `${site.origin}/page`, status: 302 }]);
  assert.equal(requestTo(explanation, "/moved")?.status, 302);
  assert.equal(requestTo(explanation, "/page")?.status, 200);
});

test("explain: credentials are removed from URLs and messages as from format=har", async () => {
  const page = `<!doctype html><p>text<img src="/image.png?sig=i-4711&w=1"><img src="/image.jpg?key=b-4711"><script>
    console.error("no access with token=c-4711"); fetch("/data?access_token=f-4711&" + "x".repeat(400));
  </script>`;
  const options = { ...asJson, block_requests: "*.jpg*" };
  for (const { json } of [await capture(page, options), await capture("/signed?password=p-4711", options)]) {
    const text = JSON.stringify(json.explanation);
    assert.match(text, /=removed/);
    assert.doesNotMatch(text, /4711/);
  }
  const { rows } = await service.database.query<{ explanation: Explanation }>(
    "select explanation from screenshots where explanation is not null order by id desc limit 1",
  );
  assert.deepEqual(rows[0]?.explanation.redirects, [
    { from: `${site.origin}/signed?password=removed`, to: `${site.origin}/page?token=removed&lang=de`, status: 302 },
  ]);
});

test("explain: a blocked request names the option that blocked it", async () => {
  const page = `<!doctype html><p>text<img src="/image.png"><script src="/x.js"></script>`;
  const explanation = explanationOf(await capture(page, { ...asJson, block_requests: "*.png", block_resources: "script" }));
  const image = requestTo(explanation, "/image.png");
  assert.deepEqual([image?.outcome, image?.reason], ["blocked", "block_requests=*.png"]);
  assert.equal(requestTo(explanation, "/x.js")?.reason, "block_resources=script");
});

test("explain: refused connections don't reveal which internal names exist", async () => {
  const page = `<!doctype html><p>text<img src="http://10.0.0.1/a"><img src="http://localhost:8123/a"><img src="http://nothing.invalid/a">`;
  const explanation = explanationOf(await capture(page, asJson));
  const reasons = Object.fromEntries(explanation.refused.map(({ host, reason }) => [host, reason]));
  const unresolved = "the name does not resolve to a public address";
  assert.deepEqual(reasons, { "10.0.0.1": "the address is blocked", localhost: "the address is blocked", "nothing.invalid": unresolved });
  for (const { outcome, reason } of explanation.requests.slice(1))
    assert.deepEqual([outcome, /proxy|socks/i.test(reason ?? "")], ["failed", false]);
});

test("explain: an error includes what happened until then and which requests were pending, also in the history", async () => {
  const failed = await capture(`<!doctype html><p>text<script src="/never"></script>`, { explain: "true", timeout: "3" });
  assert.equal(failed.json.code, "target_timeout");
  const explanation = explanationOf(failed);
  assert.deepEqual(textsOf(explanation), ["the target responded"]);
  const pending = requestTo(explanation, "/never");
  assert.deepEqual([pending?.outcome, pending?.duration], ["pending", null]);
  const { rows } = await service.database.query<{ explanation: Explanation }>(
    "select explanation from screenshots where status = 'failed' order by id desc limit 1",
  );
  assert.deepEqual(rows[0]?.explanation, explanation);
});

test("explain: the explanation is bounded, even for thousands of requests and messages", async () => {
  const page = `<!doctype html><p>text<script>
    for (let index = 0; index < 3000; index += 1) { console.error("x".repeat(2000)); if (index < 1500) new Image().src = "/image.png?" + index; }
  </script>`;
  const response = await capture(page, asJson);
  const explanation = explanationOf(response);
  assert.ok(explanation.requests_total > 1_000, `${explanation.requests_total}`);
  assert.equal(explanation.requests.length, 200);
  assert.equal(explanation.console.length, 50);
  assert.ok(response.bytes.length < 128 * 1024, `${response.bytes.length} bytes`);
});

test("explain: without it there is no explanation, neither in the JSON nor in the history", async () => {
  const { json } = await capture("<!doctype html><p>text", { response_type: "json" });
  assert.equal(json.explanation, undefined);
  const { rows } = await service.database.query<{ explanation: unknown }>("select explanation from screenshots where id = $1", [json.id]);
  assert.equal(rows[0]?.explanation, null);
});
