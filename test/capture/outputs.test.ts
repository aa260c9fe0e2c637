/** Several outputs from one load of the page. */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { throwHung } from "../../src/browser/chromium-errors.ts";
import { AppError } from "../../src/shared/errors.ts";
import { testsAtOnce } from "../support/at-once.ts";
import { within } from "../support/eventually.ts";
import { pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { captureOf, startOutputs } from "./several-outputs.ts";

const test = testsAtOnce(2);
const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope);
const other = await createSite(scope);
const { take, assertEqual, timeLimit, through } = await startOutputs(scope, `${site.host},${other.host}`);

const five = [
  { width: 1280, height: 720 },
  { width: 1280, height: 720, prefers_color_scheme: "dark" },
  { width: 390, height: 720 },
  { width: 1280, height: 720, full_page: true },
  { width: 1280, height: 720, image_width: 320 },
];

const tricky = `<!doctype html><style>
  body { margin: 0; background: #fff; color: #000; font: 16px sans-serif }
  @media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }
  @media (max-width: 500px) { nav { display: none } h1 { background: gold } }
  nav { position: fixed; inset: 0 0 auto; height: 40px; background: teal; transition: background .2s }
  .hero { height: 80vh; background: linear-gradient(red, blue) fixed }
  .reveal { opacity: 0; transition: opacity .3s; height: 300px; background: orange }
  .reveal.in { opacity: 1 }
  .scroller { height: 200px; overflow: auto; background: #ccc }
  .spin { width: 40px; height: 40px; background: green; animation: turn 1s infinite linear }
  @keyframes turn { to { rotate: 360deg } }
</style><nav>Menu</nav><h1>Title</h1><div class=hero></div><div class=spin></div><p class=reveal>one<p class=reveal>two<p class=reveal>three
<div class=scroller><div style="height:900px">inside</div><b id=deep>deep</b></div><div style="height:1500px"></div><footer>end</footer>
<script>
  const seen = new IntersectionObserver((all) => { for (const one of all) one.target.classList.toggle("in", one.isIntersecting) });
  for (const one of document.querySelectorAll(".reveal")) seen.observe(one);
  addEventListener("scroll", () => document.querySelector("nav").classList.toggle("small", scrollY > 10));
  let timer; addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(() => { document.querySelector("h1").textContent = innerWidth }, 150) });
  document.querySelector("h1").textContent = innerWidth;
</script>`;

test("captures: outputs from one load are identical to individual captures", async () => {
  let requests = 0;
  site.serve({
    "/tricky": (_request, response) => {
      requests += 1;
      response.setHeader("content-type", "text/html").end(tricky);
    },
  });
  const outputs = [
    { width: 1280, height: 720 },
    { width: 390, full_page: true },
    ...onlyLong<Record<string, unknown>>([
      { width: 1280, height: 720, prefers_color_scheme: "dark" },
      { selector: "#deep" },
      { omit_background: true },
      ...five.slice(2),
      { clip_x: 10, clip_y: 700, clip_width: 200, clip_height: 200 },
      { media_type: "print" },
      { device_scale_factor: 2 },
    ]),
  ];
  const { outcomes, loads } = await assertEqual({ url: `${site.origin}/tricky` }, outputs);
  assert.equal(loads, 1);
  assert.equal(requests, 1 + outputs.length, "one load, plus one for each individual capture");
  assert.ok(outcomes.every((outcome) => "capture" in outcome && !outcome.loadedAgain));
});

const greeting = `<!doctype html><style>body{margin:0;font:20px monospace}</style><pre id=out></pre><script>
  const visits = Number(localStorage.visits ?? 0) + Number(sessionStorage.visits ?? 0);
  localStorage.visits = sessionStorage.visits = 1;
  document.getElementById("out").textContent = [visits, document.cookie, navigator.language, new Date(0).toLocaleTimeString(),
    Intl.DateTimeFormat().resolvedOptions().timeZone, /Mobile/.test(navigator.userAgent), "ontouchstart" in window].join("\\n");
  document.cookie = "seen=1";
</script>`;

test("captures: options visible to the server or the page's first scripts cause another load, as fresh as the first", async () => {
  site.serve({ "/greeting": greeting });
  const outputs = [
    {},
    { locale: "de-DE" },
    ...onlyLong([{ time_zone: "Asia/Tokyo", width: 380 }]),
    { cookies: ["own=2; Path=/"] },
    { viewport_device: "iPhone 15" },
    { locale: "de-DE", image_width: 100 },
    ...onlyLong([{ scripts: "document.body.append(innerWidth)" }]),
    { clock: "2026-01-31T12:00:00Z" },
    ...onlyLong([
      { is_mobile: true, prefers_color_scheme: "dark" },
      { scripts: "document.body.append(innerWidth)", width: 390 },
      { clock: "2026-01-31T12:00:00Z", full_page: true },
      { clock: "2026-01-31T12:00:00Z", full_page: true, quality: 50, image_width: 50 },
    ]),
    {},
  ];
  const url = `${site.origin}/greeting`;
  const { outcomes, loads } = await take({ url }, outputs);
  assert.equal(loads, outputs.length > 9 ? 10 : 5);
  assert.deepEqual(
    outcomes.map((outcome) => "capture" in outcome && outcome.loadedAgain),
    outputs.map((output) => Object.keys(output).length > 0),
  );
  const comparable = outputs.filter((output) => !("cookies" in output));
  const compared = [...comparable.slice(0, 3), ...onlyLong(comparable.slice(3))];
  const { loads: again } = await assertEqual({ url }, compared, 0);
  assert.equal(again, compared.length > 3 ? 9 : 3);
});

longTest("captures: loads share neither cached responses nor storage", async () => {
  const stores = (then: string) => `<script>const old = localStorage.seen ?? "nothing"; localStorage.seen = "something"; ${then}</script>`;
  site.serve({
    "/private": ({ headers: { cookie, authorization, "accept-language": language } }, response) =>
      response
        .writeHead(200, { "content-type": "text/html", "cache-control": "max-age=600" })
        .end(`<p>${[cookie, authorization, language].join(" ")}</p>`),
    "/leaving": stores(`location = "${other.origin}/here?" + old`),
    "/framing": `<iframe src="${other.origin}/frame"></iframe><script>addEventListener("message", ({ data }) => {
      document.querySelector("iframe").remove(); document.body.append(data) })</script>`,
  });
  other.serve({
    "/here": "<script>document.write(location.search)</script>",
    "/frame": stores('parent.postMessage(old, "*")'),
  });
  const texts = async (path: string, outputs: object[]) => {
    const { outcomes, loads } = await take({ url: `${site.origin}${path}`, format: "text" }, outputs as never);
    assert.equal(loads, outputs.length);
    return outcomes.map((outcome) => captureOf(outcome).bytes.toString().trim());
  };
  assert.deepEqual(await texts("/private", [{ cookies: ["a=1"], authorization: "Basic YTpi" }, {}, { locale: "de-DE" }]), [
    "a=1 Basic YTpi en-US,en;q=0.9",
    "en-US,en;q=0.9",
    "de-DE,de;q=0.9",
  ]);
  assert.deepEqual(await texts("/leaving", [{}, { locale: "de-DE" }]), ["?nothing", "?nothing"]);
  assert.deepEqual(await texts("/framing", [{}, { locale: "de-DE" }]), ["nothing", "nothing"]);
});

longTest("captures: a page that grew while it was scrolled is reloaded for outputs that would be longer", async () => {
  site.serve({
    "/endless": `<!doctype html><body style="margin:0"><script>
      const add = () => { const row = document.createElement("div"); row.style.cssText = "height:500px;background:hsl(" + document.body.children.length * 40 + " 80% 50%)"; document.body.append(row) };
      for (let n = 0; n < 4; n++) add();
      addEventListener("scroll", () => { if (scrollY + innerHeight > document.body.scrollHeight - 300) for (let n = 0; n < 4; n++) add() });
    </script>`,
  });
  const { outcomes, loads } = await take({ url: `${site.origin}/endless` }, [{ full_page: true }, { width: 300, full_page: true }, {}]);
  assert.equal(loads, 2);
  assert.deepEqual(
    outcomes.map((outcome) => "capture" in outcome && outcome.loadedAgain),
    [false, true, false],
  );
  assert.equal(captureOf(outcomes[2]).height, 300);
});

longTest("captures: a page that navigates on resize is reloaded for outputs with another window size", async () => {
  site.serve({
    "/leaves": `<p id="here"></p><script>here.textContent = "here " + innerWidth; onresize = () => { location = "/left" }</script>`,
    "/left": "<p>elsewhere",
  });
  const outputs = [{}, { width: 300 }, { width: 350, styles: "p { color: red }" }, { width: 380, styles: "p { color: red }" }];
  const request = { url: `${site.origin}/leaves`, format: "text" };
  const { outcomes, loads } = await take(request, outputs);
  assert.deepEqual(
    outcomes.map((outcome) => captureOf(outcome).bytes.toString().trim()),
    ["here 400", "here 300", "here 350", "here 380"],
  );
  assert.equal(loads, 4);

  const limit = { ...timeLimit(), mayNavigate: ({ href }: URL) => href.startsWith(site.origin) };
  site.serve({ "/leaves": `<p>here<script>onresize = () => { location = "http://192.0.2.1/" }</script>` });
  const bound = await take(request, outputs, limit);
  assert.ok(bound.outcomes.every((outcome) => captureOf(outcome).bytes.toString().trim() === "here"));
});

test("captures: if a responsive page's first image is slow, its scripts keep running and the load is reused for other outputs", async () => {
  site.serve({ "/slow-image": "<p>here" });
  let images = 0;
  const slow = through((tab) => ({
    ...tab,
    captureScreenshot: async (params, timeoutMs = 0) => {
      images += 1;
      if (images > 1) return await tab.captureScreenshot(params, timeoutMs);
      await tab.pause(timeoutMs);
      return throwHung("Page.captureScreenshot", timeoutMs);
    },
  }));
  const { outcomes, loads } = await slow.take({ url: `${site.origin}/slow-image` }, [{}, { width: 300 }]);
  for (const outcome of outcomes) captureOf(outcome);
  assert.equal(loads, 1);
  assert.ok(images >= 3);
});

test("captures: the page's scripts run for the output after a masked one, even if the masked one failed", async () => {
  site.serve({
    "/responsive": `<p style="height: 8000px">here<script>const show = () => { document.body.style.background = innerWidth === 300 ? "#0f0" : "#f00" }; show(); onresize = show</script>`,
  });
  for (const slice_height of [100, ...onlyLong([8_000])]) {
    const masked = { full_page: true, mask_selectors: ["p"], slice_height };
    const { outcomes } = await take({ url: `${site.origin}/responsive` }, [masked, { width: 300 }]);
    assert.equal("failure" in (outcomes[0] ?? {}), slice_height === 100, "it has too many slices");
    assert.equal(pixelAt(captureOf(outcomes[1]).bytes, 5, 5), "#00ff00");
  }
});

test("captures: all outputs of a request together have at most 256 MB", async () => {
  const padded = through((tab) => ({
    ...tab,
    captureScreenshot: async (...given) => {
      const large = Buffer.alloc(130 * 1024 * 1024);
      (await tab.captureScreenshot(...given)).copy(large);
      return large;
    },
  }));
  site.serve({ "/small": "<p>here" });
  const { outcomes } = await padded.take({ url: `${site.origin}/small` }, [{}, { width: 300 }]);
  assert.equal(captureOf(outcomes[0]).bytes.length, 130 * 1024 * 1024);
  assert.ok(outcomes[1] && "failure" in outcomes[1]);
  assert.match(String(outcomes[1].failure), /at most 256 MB in total/);
});

test("captures: a failed output doesn't affect others; a failure before the page is ready fails all outputs of its load", async () => {
  site.serve({
    "/plain": (request, response) => {
      response.statusCode = request.headers["accept-language"]?.startsWith("de") ? 404 : 200;
      response.setHeader("content-type", "text/html").end("<!doctype html><h1>Plain</h1>");
    },
  });
  const url = `${site.origin}/plain`;
  const { outcomes } = await take({ url }, [
    {},
    { selector: "#missing" },
    { selector: "h1" },
    { locale: "de-DE", fail_on_status: ["404"] },
    { full_page: true },
    ...onlyLong([{ click: ["#missing"] }]),
  ]);
  const codes = outcomes.map((outcome) => ("failure" in outcome ? (outcome.failure as { code: string }).code : "captured"));
  const expected = ["captured", "selector_not_found", "captured", "host_returned_error", "captured", ...onlyLong(["selector_not_found"])];
  assert.deepEqual(codes, expected);
});

test("captures: outputs captured before the deadline are kept", async () => {
  const stuck = Promise.withResolvers<ServerResponse>();
  site.serve({
    "/stuck": (request, response) => {
      if (request.headers["accept-language"]?.startsWith("de")) stuck.resolve(response);
      else response.setHeader("content-type", "text/html").end("<!doctype html><h1>Here</h1>");
    },
  });
  const ended = new AbortController();
  const taking = take({ url: `${site.origin}/stuck` }, [{}, { full_page: true }, { locale: "de-DE" }], timeLimit(60_000, ended.signal));
  await within("the second load", stuck.promise);
  ended.abort(new AppError("target_timeout"));
  const { outcomes, loads } = await taking;
  assert.equal(loads, 2);
  assert.deepEqual(
    outcomes.map((outcome) => ("failure" in outcome ? (outcome.failure as AppError).code : "captured")),
    ["captured", "captured", "target_timeout"],
  );
});

longTest("captures: if a page's process is gone for one output, the others are still captured", async () => {
  site.serve({ "/gone": "<!doctype html><h1>Here</h1>" });
  const crashing = through((tab) => ({
    ...tab,
    captureScreenshot: async (...given) => {
      if ((await tab.evaluate(() => innerWidth)) === 150) tab.send("Page.crash").catch(() => {});
      return await tab.captureScreenshot(...given);
    },
  }));
  const { outcomes } = await crashing.take({ url: `${site.origin}/gone` }, [{}, { width: 150 }, { width: 390, full_page: true }]);
  const [first, crashed, last] = outcomes;
  assert.ok(captureOf(first) && captureOf(last));
  assert.ok(crashed && "failure" in crashed);
  assert.equal((crashed.failure as AppError).code, "page_crashed");
});

longTest("captures: if a page uses up memory for one output, the others are still captured", async () => {
  site.serve({
    "/crash": `<!doctype html><h1>Here</h1><script>
      const crash = () => { if (innerWidth < 200) for (const all = []; ; ) all.push(new Array(1e6).fill(all.length)) };
      addEventListener("resize", crash);
      crash();
    </script>`,
  });
  const { outcomes } = await take({ url: `${site.origin}/crash` }, [{}, { width: 150 }, { width: 390, full_page: true }]);
  const [first, crashed, last] = outcomes;
  assert.ok(captureOf(first) && captureOf(last));
  assert.ok(crashed && "failure" in crashed);
  assert.match((crashed.failure as AppError).code, /page_crashed|page_too_heavy|target_timeout/);
});

longTest("outputs that are still needed after the capture, for a comparison, count as held until then", async () => {
  site.serve({ "/long-text": "<!doctype html><p id=text hidden></p><script>text.textContent = 'x'.repeat(20_000_000)</script>" });
  const shared = { url: `${site.origin}/long-text`, format: "html" };
  const compared = Promise.withResolvers<void>();
  const outputs = Array.from({ length: 13 }, (_, at) => ({ width: 400 + at }));
  const { outcomes } = await take(shared, outputs, timeLimit(), compared.promise);
  assert.deepEqual(
    outcomes.map((outcome) => ("capture" in outcome ? true : String(outcome.failure))),
    Array(13).fill(true),
  );
  const next = async () => (await take(shared, [{}])).outcomes[0];
  assert.equal(((await next()) as { failure?: AppError }).failure?.code, "queue_full");
  compared.resolve();
  assert.ok(captureOf(await next()).bytes.length > 20_000_000);
});
