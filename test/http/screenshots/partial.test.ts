/** `on_timeout=partial`: the page as it is when `timeout` expires, instead of an error. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../../support/captures.ts";
import { describeImage, pixelAt } from "../../support/image.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { colouredPage } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let service: Captures["service"];
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  ({ service, site, capture } = await startCaptures(scope));
  site.serve({ "/never": () => {} });
});

/** A page that shows its color and never finishes loading. */
const unfinished = (colour: string) => colouredPage(colour, "<p>Opening hours</p><img src='/never'>");
/** A quarter of the timeout is left for the partial capture, which a busy machine needs. */
const shortly = { timeout: "5", on_timeout: "partial" };

test("on_timeout=partial: a page that is not ready in time is captured as it is, with verdict partial and a warning", async () => {
  const partial = await capture(unfinished("#00ff00"), shortly);
  assert.deepEqual([partial.status, partial.headers.get("x-verdict"), partial.headers.get("x-cache")], [200, "partial", "MISS"]);
  const what =
    "he timeout of 5 s was reached while the capture was waiting for the page to be ready: the screenshot shows the page at that moment";
  assert.equal(partial.headers.get("x-verdict-reason"), `T${what}.`);
  assert.equal(partial.warnings, `t${what}`);
  assert.equal(partial.waitEnded, "timeout");
  assert.equal(pixelAt(partial.bytes, 100, 90), "#00ff00");
  const failed = await capture(unfinished("#00ff00"), { timeout: "2" });
  assert.deepEqual([failed.status, failed.json.code], [400, "target_timeout"]);
});

longTest("on_timeout=partial: the reason names the option that the capture was waiting for", async () => {
  const { status, headers } = await capture(colouredPage("#00ff00", "<p>text"), { ...shortly, wait_for_selector: "#never" });
  assert.equal(status, 200);
  assert.match(headers.get("x-verdict-reason") ?? "", /waiting for an element that matches wait_for_selector=#never: /);
});

longTest("on_timeout=partial: the reason may quote any characters; headers replace those that they can't have", async () => {
  const asked = { ...shortly, wait_for_selector: "#да\u2028" };
  const { status, headers } = await capture(colouredPage("#00ff00", "<p>text"), asked);
  assert.deepEqual([status, headers.get("x-verdict")], [200, "partial"]);
  assert.match(headers.get("x-verdict-reason") ?? "", /wait_for_selector=#\?\?\?: /);
});

longTest("on_timeout=partial: content behind a script that never arrives is shown", async () => {
  const page = `<!doctype html><title>blocked</title><script src="/never"></script><style>html{background:#00ff00}</style><p>text`;
  const { status, headers, bytes } = await capture(page, shortly);
  assert.deepEqual([status, headers.get("x-verdict")], [200, "partial"]);
  assert.equal(pixelAt(bytes, 100, 90), "#00ff00");
});

longTest("on_timeout=partial: frame options that were not reached are replaced by the viewport, and the warning says so", async () => {
  const page = colouredPage("#00ff00", "<p>text</p><img src='/never'><div style='height:3000px'>");
  const { headers, bytes, warnings } = await capture(page, { ...shortly, full_page: "true" });
  assert.equal(headers.get("x-verdict"), "partial");
  assert.match(warnings ?? "", /the screenshot shows the viewport at that moment$/);
  assert.deepEqual(describeImage(bytes), { type: "png", width: 200, height: 100 });
});

longTest("on_timeout=partial: without a response from the target, the error is returned at no cost", async () => {
  const account = await service.createAccount({ plan: "pro", quota: 5 });
  const { status, json } = await capture("/never", { ...shortly, api_key: account.key });
  assert.deepEqual([status, json.code], [400, "target_timeout"]);
  const { rows } = await service.pool.query("select used from usage_periods where user_id = $1", [account.userId]);
  assert.deepEqual(rows, [{ used: 0 }]);
});

test("on_timeout=partial: a capture that ends in time is complete", async () => {
  const { status, headers, warnings } = await capture(colouredPage("#00ff00", "<p>Opening hours: nine to five, Monday to Friday"), shortly);
  assert.deepEqual([status, headers.get("x-verdict"), warnings], [200, "ok", null]);
});

longTest("on_timeout=partial: a partial screenshot costs one, is marked in the history, and is never cached", async () => {
  const account = await service.createAccount({ plan: "pro", quota: 5 });
  const asked = { ...shortly, api_key: account.key, is_cached: "true" };
  site.serve({ "/grows": unfinished("#ff0000") });
  const partial = await capture("/grows", { ...asked, response_type: "json" }); // responds once the screenshot is stored
  assert.equal((partial.json.verdict as { kind: string }).kind, "partial");
  const again = await capture("/grows", asked);
  assert.deepEqual([again.headers.get("x-cache"), again.headers.get("cache-control")], ["MISS", "no-store"]);
  site.serve({ "/grows": colouredPage("#00ff00", "<p>Opening hours: nine to five, Monday to Friday") });
  const complete = await capture("/grows", asked);
  assert.deepEqual([complete.headers.get("x-cache"), complete.headers.get("x-verdict")], ["MISS", "ok"]);
  const { rows } = await service.pool.query(
    "select used, array_agg(verdict order by id) as verdicts from screenshots join usage_periods using (user_id) where user_id = $1 group by used",
    [account.userId],
  );
  assert.equal(rows[0].used, 3);
  assert.deepEqual(rows[0].verdicts.slice(0, 1), ["partial"]);
});

longTest("on_timeout=partial: fail_on_status and fail_on_verdict apply to partial screenshots", async () => {
  const failing = { status: 503, page: "<title>Just a moment...</title><p>Checking your browser</p><img src='/never'>" };
  const serve = () =>
    site.serve({
      "/failing": (_, response) => response.writeHead(failing.status, { "content-type": "text/html" }).end(failing.page),
    });
  serve();
  const status = await capture("/failing", { ...shortly, fail_on_status: "500-599" });
  assert.deepEqual([status.status, status.json.code], [400, "host_returned_error"]);
  const verdict = await capture("/failing", { ...shortly, fail_on_verdict: "bot_wall,error_page" });
  assert.deepEqual([verdict.status, verdict.json.code], [400, "unwanted_page"]);
});

longTest("on_timeout=partial: requests with and without it don't share a capture", async () => {
  site.serve({ "/both": unfinished("#00ff00") });
  const [partial, failed] = await Promise.all([capture("/both", shortly), capture("/both", { timeout: "2" })]);
  assert.deepEqual([partial.status, failed.status], [200, 400]);
});
