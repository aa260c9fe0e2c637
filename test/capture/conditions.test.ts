/** Waiting for conditions on the page, and pages without JavaScript. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let capture: Captures["capture"];

before(async () => {
  ({ capture } = await startCaptures(scope));
});

/** Turns from red to green once `then` has run after one second. */
const later = (then: string, body = "") =>
  colouredPage("#f00", `${body}<script>setTimeout(() => { document.documentElement.style.background = "#0f0"; ${then} }, 1000)</script>`);
const spinner = "<p class=spinner>Loading</p>";

for (const clock of [{}, ...onlyLong([{ clock: "frozen" }])] as Record<string, string>[]) {
  const how = clock.clock ? ", with clock" : "";
  test(`wait_for_hidden: the capture shows the page once the element is gone or hidden${how}`, async () => {
    for (const then of ["document.querySelector('.spinner').hidden = true", ...onlyLong(["document.querySelector('.spinner').remove()"])]) {
      const { status, bytes, json } = await capture(later(then, spinner), { wait_until: "load", wait_for_hidden: ".spinner", ...clock });
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal(pixelAt(bytes, 100, 80), "#00ff00");
    }
  });

  test(`wait_for_function: the capture shows the page once an expression, a function or its promise is truthy${how}`, async () => {
    for (const source of ["async () => (await Promise.resolve(window.ready))?.yes", ...onlyLong(["window.ready", "() => ready.yes"])]) {
      const { status, bytes, json } = await capture(later("window.ready = { yes: 1 }"), {
        wait_until: "load",
        wait_for_function: source,
        ...clock,
      });
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal(pixelAt(bytes, 100, 80), "#00ff00");
    }
  });
}

/** Turns green when `target` dispatches the event `drawn`, after `ms` milliseconds or, if undefined, before the document has loaded. */
const drawing = (target: string, ms?: number) => {
  const draw = `document.documentElement.style.background = "#0f0"; ${target}.dispatchEvent(new Event("drawn"))`;
  const script = ms === undefined ? draw : `setTimeout(() => { ${draw} }, ${ms})`;
  return colouredPage("#f00", `<script>addEventListener("drawn", (event) => event.stopImmediatePropagation(), true); ${script}</script>`);
};

for (const [when, ms] of Object.entries({ "before the load": undefined, "just after the load": 30, "a second after the load": 1000 }))
  test(`wait_for_event: an event of the document or the window ends the wait, ${when}`, async () => {
    for (const target of ["document", ...onlyLong(["window"])]) {
      const { status, bytes, json } = await capture(drawing(target, ms), { wait_until: "load", wait_for_event: "drawn", timeout: "20" });
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal(pixelAt(bytes, 100, 80), "#00ff00");
    }
  });

test("wait_for_event: an event that doesn't come ends in an error or, with on_timeout=partial, in a warning", async () => {
  const options = { wait_until: "load", wait_for_event: "drawn", wait_for_event_timeout: "0.5" };
  const { status, json } = await capture(drawing("document.body", 0), options);
  assert.deepEqual([status, json.error], [400, 'The target was not ready in time. Timed out waiting for the event "drawn".']);
  const partial = await capture(drawing("document.body", 0), { ...options, on_timeout: "partial" });
  assert.deepEqual([partial.status, pixelAt(partial.bytes, 100, 80)], [200, "#00ff00"]);
  assert.match(String(partial.headers.get("x-warnings")), /the event "drawn" was not dispatched within wait_for_event_timeout=0\.5/);
});

test("wait_for_event: events after document.open() are noticed; without JavaScript there are none", async () => {
  const reopened = `<script>onload = () => { document.open(); document.write("<h1>New"); document.close();
    setInterval(() => document.dispatchEvent(new Event("drawn")), 100) }</script>`;
  const { status, json } = await capture(reopened, { wait_for_event: "drawn", timeout: "10" });
  assert.equal(status, 200, JSON.stringify(json));
  const off = await capture("<p>Hello", { wait_for_event: "drawn", javascript: "false" });
  assert.match(String(off.json.error), /^wait_for_event can't be combined with javascript=false: no script could dispatch an event\.$/);
});

longTest("wait_for_event: with clock, the wait takes page time", async () => {
  const { status, bytes } = await capture(drawing("document", 1000), { wait_for_event: "drawn", clock: "frozen" });
  assert.deepEqual([status, pixelAt(bytes, 100, 80)], [200, "#00ff00"]);
});

test("wait_for_function: the capture shows the page once a function is truthy, with clock", async () => {
  const { status, bytes } = await capture(later("window.ready = { yes: 1 }"), { wait_for_function: "() => ready.yes", clock: "frozen" });
  assert.deepEqual([status, pixelAt(bytes, 100, 80)], [200, "#00ff00"]);
});

longTest("wait_for_hidden: without a match there is no wait; for an element that stays, the error names it", async () => {
  assert.equal((await capture(colouredPage("#0f0"), { wait_for_hidden: "#none" })).status, 200);
  const { status, json } = await capture(colouredPage("#0f0", spinner), { wait_for_hidden: ".spinner", timeout: "3" });
  assert.equal(status, 400);
  assert.match(String(json.error), /waiting for the elements that match wait_for_hidden=\.spinner to be hidden\.$/);
  assert.match(String((await capture(colouredPage("#0f0"), { wait_for_hidden: "p[" })).json.error), /which is not a CSS selector/);
});

for (const [what, source] of Object.entries({
  "regular expressions with many sets of strings": `/${"\\p{RGI_Emoji}".repeat(500)}/v`,
  "nested parameters": `${"(a=".repeat(1_800)}1`,
}))
  test(`wait_for_function: ${what} don't keep the process busy`, async () => {
    let at = 0;
    const { ms, result } = await longestTurnAtBest(() => {
      at += 1; // V8 remembers sources
      return capture("/", { wait_for_function: `${at},${source}`, dry_run: "true" });
    });
    assert.equal(result.status, 200, JSON.stringify(result.json));
    assert.ok(ms < 100, `${ms} ms`);
  });

test("wait_for_function: throwing millions of objects doesn't keep the process busy", async () => {
  const source = "(() => { throw globalThis.thrown ??= Array(2_000_000).fill({}) })()";
  const { ms, result } = await longestTurnAtBest(() => capture(colouredPage("#0f0"), { wait_for_function: source, timeout: "5" }));
  assert.match(String(result.json.error), /wait_for_function to be true, which threw: Array\(2000000\)\.$/);
  assert.ok(ms < 100, `${ms} ms`);
});

longTest("wait_for_function: invalid syntax is an immediate error; the timeout error names an expression that throws", async () => {
  const wrong = await capture(colouredPage("#0f0"), { wait_for_function: "if (" });
  assert.deepEqual([wrong.status, wrong.json.code], [400, "invalid_parameters"]);
  assert.match(String(wrong.json.error), /^wait_for_function is not a JavaScript expression: /);
  for (const escaping of ["0); await /'/; return [1]; //'\n; (1", "1); return [1]; (1", "0)\n] ; [(1"]) {
    const { status, json } = await capture(colouredPage("#0f0"), { wait_for_function: escaping });
    assert.deepEqual([status, json.code], [400, "invalid_parameters"], escaping);
  }
  // The browser parses what would take this process long.
  for (const wrong of ["/\\p{Unknown}/v", "1); /a/u; return [1]; (1", `${" ".repeat(1_000)}if (`]) {
    const { status, json } = await capture(colouredPage("#0f0"), { wait_for_function: wrong });
    assert.deepEqual([status, json.code], [400, "invalid_parameters"], wrong);
    assert.match(String(json.error), /^wait_for_function is not a JavaScript expression: /);
  }
  const strict: Page = (_, response) => {
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": "script-src 'none'" }).end(colouredPage("#0f0"));
  };
  for (const page of [colouredPage("#0f0"), strict])
    assert.equal((await capture(page, { wait_for_function: "() => /^\\p{L}$/v.test('é')" })).status, 200);
  const throwing = await capture(colouredPage("#0f0"), { wait_for_function: "nothing.here", timeout: "3" });
  assert.match(String(throwing.json.error), /wait_for_function to be true, which threw: ReferenceError: nothing is not defined\.$/);
  const ending = (name: string) =>
    capture(colouredPage("#0f0"), { wait_for_function: `() => { throw new DOMException("Enough", "${name}") }` });
  const [over, given] = [await ending("TimeoutError"), await ending("AbortError")];
  assert.deepEqual([over.json.code, over.json.error], ["target_timeout", "The target was not ready in time. Enough."]);
  assert.deepEqual([given.json.code, given.json.error], ["invalid_parameters", "wait_for_function ended the wait: Enough."]);
});

test("wait_for_function: continues in the next document after a navigation, and is not subject to the page's policy", async () => {
  const page = `<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">${later("window.ready = 1")}`;
  assert.equal((await capture(page, { wait_for_function: "window.ready", wait_until: "load" })).status, 200);
});

test("javascript=false: the page's scripts don't run and noscript content is shown, whatever else is requested", async () => {
  const page = colouredPage(
    "#f00",
    `<script>document.documentElement.style.background = "#00f"</script>
    <noscript><style>html { background: #0f0 }</style></noscript><h1 style="margin-top:200px">Heading</h1><img src="/never" loading=lazy style="margin-top:3000px">`,
  );
  for (const options of [
    {},
    ...onlyLong([{ full_page: "true" }, { selector: "h1" }, { block_ads: "true", hide_selectors: "img" }, { disable_animations: "false" }]),
  ] as Record<string, string>[]) {
    const { status, bytes, json, warnings } = await capture(page, { javascript: "false", ...options });
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(pixelAt(bytes, 0, 0), "#00ff00", `${JSON.stringify(options)} ${warnings}`);
  }
});
