/** Waiting: when it ends, and what must never block it. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { before, test } from "node:test";
import sharp from "sharp";
import type { Explanation } from "../../src/capture/explanation.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { differingShare, pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const html = { "content-type": "text/html" };
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  ({ site, capture } = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: "localhost" }));
  site.serve({
    "/never": () => {},
    "/file": (_, response) => response.writeHead(200, { "content-type": "application/zip", "content-disposition": "attachment" }).end("x"),
  });
});

longTest("timeout: the error says what the capture was waiting for", async () => {
  const { status, json } = await capture(colouredPage("#0f0"), { wait_for_selector: "#never", timeout: "3" });
  assert.equal(status, 400);
  assert.match(String(json.error), /The capture was waiting for an element that matches wait_for_selector=#never\.$/);
});

test("wait_for_selector: an empty element counts, because pages use such elements to signal that they are ready", async () => {
  const page = colouredPage(
    "#f00",
    `<script>setTimeout(() => {
    document.documentElement.style.background = "#0f0";
    document.body.insertAdjacentHTML("beforeend", "<div id=ready></div>");
  }, 400)</script>`,
  );
  const { status, bytes } = await capture(page, { wait_until: "load", wait_for_selector: "#ready" });
  assert.equal(status, 200);
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
});

test("wait_until_timeout: the warning names at most three URLs, without their queries", async () => {
  const images = Array.from({ length: 5 }, (_, index) => `<img src="/never?secret=${index}">`).join("");
  const { warnings } = await capture(colouredPage("#0f0", images), { wait_until_timeout: "0.5" });
  const never = `${site.origin}/never`;
  assert.ok(warnings?.endsWith(`; its load event was pending; still loading: ${never}, ${never}, ${never} and 2 more`), String(warnings));
});

test("the response reports how the wait ended", async () => {
  const quiet = await capture(colouredPage("#0f0"));
  assert.deepEqual([quiet.waitEnded, quiet.warnings], ["ready", null]);
  const loud = await capture(colouredPage("#0f0", "<script>fetch('/never')</script>"), { wait_until_timeout: "0.5" });
  assert.equal(loud.waitEnded, "timeout");
  assert.equal(
    loud.warnings,
    `the page was not ready after 0.5 s and was captured in its current state; still loading: ${site.origin}/never`,
  );
  assert.equal(pixelAt(loud.bytes, 100, 50), "#00ff00");
});

test("wait_until=auto: waits for fetches to the page's own site, even after a redirect to it", async () => {
  site.serve({
    "/slower": (_, response) => void setTimeout(() => response.end("x"), 2_000),
    "/landed": colouredPage(
      "#f00",
      `<script>fetch("/slower").then((r) => r.text()).then(() => { document.documentElement.style.background = "#0f0" })</script>`,
    ),
  });
  const landed = `${site.origin.replace("127.0.0.1", "localhost")}/landed`;
  const { bytes, waitEnded } = await capture((_, response) => response.writeHead(302, { location: landed }).end());
  assert.deepEqual([pixelAt(bytes, 100, 50), waitEnded], ["#00ff00", "ready"]);
});

test("wait_until=auto: waits for both of two concurrent fetches of one URL", async () => {
  let requests = 0;
  site.serve({
    "/twice": (_, response) => {
      requests += 1;
      setTimeout(() => response.writeHead(200, { "cache-control": "no-store" }).end("x"), requests === 1 ? 100 : 900);
    },
  });
  const page = colouredPage(
    "#f00",
    `<p>text</p><script>let count = 0; for (let n = 0; n < 2; n += 1) fetch("/twice", { cache: "no-store" }).then((r) => r.text()).then(() => {
      if (++count === 2) document.documentElement.style.background = "#0f0" })</script>`,
  );
  const { bytes, waitEnded } = await capture(page);
  assert.deepEqual([pixelAt(bytes, 100, 90), waitEnded], ["#00ff00", "ready"]);
});

for (const [what, head] of [
  ["a refresh after one second", '<meta http-equiv="refresh" content="1; url=/target">'],
  ["a script that navigates", `<p>You are being redirected…</p><script>setTimeout(() => location.replace("/target"), 1500)</script>`],
] as const)
  (what === "a refresh after one second" ? test : longTest)(`wait_until=auto: ${what} is followed`, async () => {
    site.serve({ "/target": (_, response) => void setTimeout(() => response.writeHead(200, html).end(colouredPage("#0f0")), 300) });
    const { bytes, waitEnded } = await capture(colouredPage("#f00", head));
    assert.deepEqual([pixelAt(bytes, 199, 99), waitEnded], ["#00ff00", "ready"]);
  });

test("wait_until=auto: a page that refreshes itself endlessly is captured", async () => {
  const { status, bytes } = await capture(colouredPage("#0f0", '<meta http-equiv="refresh" content="1">'));
  assert.deepEqual([status, pixelAt(bytes, 100, 50)], [200, "#00ff00"]);
});

test("full_page: a page that reloads when a media query changes is captured on the second attempt", async () => {
  const page = colouredPage(
    "#0f0",
    `<div style="height: 3000px"></div><script>matchMedia("(min-width: 150px)").addEventListener("change", () => location.reload())</script>`,
  );
  const { status, json } = await capture(page, { full_page: "true", explain: "true", response_type: "json" });
  const { steps } = json.explanation as Explanation;
  const attempts = steps.filter(({ text }) => text.includes("another attempt")).length;
  assert.ok(status === 200 && attempts <= 1, JSON.stringify(steps));
  // Chromium never responds to a request for an image of a document that is gone: the timeouts for it are 3 and 10 seconds.
  assert.ok((steps.at(-1)?.at ?? 0) < 10_000, JSON.stringify(steps));
});

test("wait_until=auto: a page without a load event is captured after wait_until_timeout", async () => {
  const { status, waitEnded, bytes } = await capture(colouredPage("#0f0", '<script src="/never" async></script>'), {
    wait_until_timeout: "0.5",
  });
  assert.deepEqual([status, waitEnded], [200, "timeout"]);
  assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
});

const blocking = {
  "alert, confirm and prompt": "alert(1); confirm(2); prompt(3)",
  "a beforeunload dialog": "onbeforeunload = () => 'stay'; location.hash = 'x'",
  print: "print()",
  "a popup": "open('/never')",
  "a download":
    "const a = document.createElement('a'); a.href = '/file'; a.download = 'x.zip'; document.body.append(a); a.click(); a.remove()",
  "a request for notifications": "Notification.requestPermission()",
  "a request for camera and microphone": "navigator.mediaDevices?.getUserMedia({ video: true, audio: true }).catch(() => {})",
  "a request for the location": "navigator.geolocation.getCurrentPosition(() => {}, () => {})",
  "a file chooser": "const i = document.createElement('input'); i.type = 'file'; document.body.append(i); i.click(); i.remove()",
};
for (const [what, script] of [
  [
    "none of these dialogs and requests",
    Object.values(blocking)
      .map((one) => `{ ${one} }`)
      .join(";"),
  ],
  ...onlyLong(Object.entries(blocking)),
]) {
  test(`${what} doesn't block the capture`, async () => {
    const page = colouredPage("#f00", `<script>onload = () => { ${script}; document.documentElement.style.background = "#0f0" }</script>`);
    const { status, bytes, waitEnded } = await capture(page);
    assert.deepEqual([status, waitEnded], [200, "ready"]);
    assert.equal(pixelAt(bytes, 100, 50), "#00ff00");
  });
}

const triangle = colouredPage(
  "#fff",
  `<canvas id="c" width="200" height="100"></canvas><script>
     const gl = c.getContext("webgl", { preserveDrawingBuffer: true });
     if (gl) {
       const shader = (type, source) => { const s = gl.createShader(type); gl.shaderSource(s, source); gl.compileShader(s); return s };
       const program = gl.createProgram();
       gl.attachShader(program, shader(gl.VERTEX_SHADER, "attribute vec2 p; void main() { gl_Position = vec4(p, 0, 1); }"));
       gl.attachShader(program, shader(gl.FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(0, 0, 1, 1); }"));
       gl.linkProgram(program); gl.useProgram(program);
       gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
       gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, 0, 1]), gl.STATIC_DRAW);
       gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
       gl.clearColor(1, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); gl.drawArrays(gl.TRIANGLES, 0, 3);
     }
   </script>`,
);

test("without WebGL, only pages that use it get a warning", async () => {
  const words = /the page uses WebGL, which is disabled/;
  assert.match((await capture(triangle)).warnings ?? "", words);
  const flat = colouredPage(
    "#fff",
    '<canvas id="c"></canvas><script>const x = c.getContext("2d"); x.fillStyle = "#0f0"; x.fillRect(0, 0, 200, 100)</script>',
  );
  assert.equal((await capture(flat)).warnings, null);
});

longTest("with WebGL, a triangle is rendered", async () => {
  const withWebgl = await startCaptures(scope, { CHROMIUM_WEBGL: "true" });
  const { bytes, warnings } = await withWebgl.capture(triangle);
  assert.deepEqual([pixelAt(bytes, 100, 80), pixelAt(bytes, 5, 5)], ["#0000ff", "#ff0000"]);
  assert.equal(warnings, null);
});

/** Names of the font files in this machine's usual folders. */
function fontFiles(): string[] {
  return ["/usr/share/fonts", "/usr/local/share/fonts"].flatMap((folder) => {
    try {
      return readdirSync(folder, { recursive: true }).map(String);
    } catch {
      return [];
    }
  });
}

for (const { script, letters, files } of [
  { script: "Chinese, Japanese and Korean", letters: ["中", "語", "한"], files: /cjk|wqy|source-?han/i },
  { script: "emoji", letters: ["😀", "🚀"], files: /emoji/i },
]) {
  const isInstalled = fontFiles().some((name) => files.test(name));
  test(`${script}: rendered with real glyphs, not the replacement box`, {
    skip: isInstalled ? false : `no font for ${script} is installed`,
  }, async () => {
    const shown = (letter: string) => capture(colouredPage("#fff", `<p style="margin:10px;font-size:60px">${letter}`));
    const missing = (await shown("\u{10fffe}")).bytes;
    for (const letter of letters) assert.ok(differingShare((await shown(letter)).bytes, missing) > 0.01, letter);
  });
}

test("a page with 40 MB of images in its own markup is captured, as those of saved pages and notebooks are", async () => {
  const noise = () =>
    sharp(randomBytes(3e6), { raw: { width: 1000, height: 1000, channels: 3 } })
      .png()
      .toBuffer();
  const files = await Promise.all(Array.from({ length: 10 }, noise));
  const images = files.map((file) => `<img width="100" height="100" src="data:image/png;base64,${file.toString("base64")}">`).join("");
  const page = colouredPage("#0a0", images);
  const { status, bytes } = await capture(page, { width: "400", height: "600" });
  assert.equal(status, 200);
  assert.equal(pixelAt(bytes, 200, 599), "#00aa00");
});
