/** Verdicts on some of the sample pages, and the effects of a verdict. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";
import { testVerdicts } from "./verdict-samples.ts";

const scope = fileScope();
let captures: Captures;
before(async () => {
  captures = await startCaptures(scope);
});

testVerdicts(() => captures, 13);

const challenge = `<title>Just a moment...</title><h1>example.com</h1><p>Verify you are human by completing the action below.</p>`;

test("fail_on_verdict: listed verdicts cause errors that cost no quota, others are captured", async () => {
  const { status, json } = await captures.capture(challenge, { fail_on_verdict: "bot_wall,login_wall" });
  assert.deepEqual([status, json.code], [400, "unwanted_page"]);
  assert.match(json.error ?? "", /bot_wall/);
  const other = await captures.capture(challenge, { fail_on_verdict: "login_wall" });
  assert.deepEqual([other.status, other.headers.get("x-verdict")], [200, "bot_wall"]);
  assert.match(other.headers.get("x-verdict-reason") ?? "", /Cloudflare/);
});

test("only screenshots of the page itself are cached", async () => {
  for (const [markup, second] of [
    [challenge, "MISS"],
    ["<h1>Opening hours</h1><p>Monday to Friday from nine to five, and by appointment.</p>", "HIT"],
  ] as const) {
    const path = `/cached-${second}`;
    captures.site.serve({ [path]: markup });
    const parameters = { is_cached: "true", response_type: "empty" };
    await captures.capture(path, parameters);
    assert.equal((await captures.capture(path, parameters)).headers.get("x-cache"), second);
  }
});

test("verdict: the reasons for an error page name its status, whether or not the status is an error", async () => {
  for (const [status, first] of [
    [404, "The target returned status 404 Not Found."],
    [200, "The page reports that it was not found."],
  ] as const) {
    const { json } = await captures.capture(
      (_, response) =>
        response.writeHead(status, { "content-type": "text/html" }).end("<title>Page not found</title><h1>Page not found</h1>"),
      { response_type: "json" },
    );
    const { kind, reasons } = json.verdict as { kind: string; reasons: string[] };
    assert.deepEqual([kind, reasons[0]], ["error_page", first]);
    assert.equal(reasons.includes("The target returned status 200 OK, which is not an error."), status === 200);
  }
});

test("a page with too little evidence of a wall is ok with a warning, and doesn't fail the request", async () => {
  const form = '<form><input type="email"><input type="password"><button>Log in</button></form>';
  const page = `<title>LoginForm</title><main><h1>LoginForm</h1><p>Shows a form with two fields, one of which hides its text.</p>
    <div>Log in to your account${form}Forgot your password?</div><h2>Properties</h2><p>onSubmit is called with both values.</p></main>`;
  const { status, headers, json } = await captures.capture(page, { response_type: "json", fail_on_verdict: "login_wall" });
  const verdict = json.verdict as { kind: string; confidence: number; reasons: string[] };
  assert.deepEqual([status, verdict.kind, verdict.reasons, headers.get("x-verdict-reason")], [200, "ok", [], null]);
  assert.ok(verdict.confidence > 0.25 && verdict.confidence < 0.6, String(verdict.confidence));
  assert.match(json.warnings?.join() ?? "", /^the verdict might be login_wall \(confidence 0\.\d+\): /);
});
