/** `wait_until=auto` waits until a page stops changing by itself, and until content replaces its placeholders. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { readPixels } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";

const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope);
});

const style = "<!doctype html><style>* { margin: 0 } .done { width: 200px; height: 100px; background: #0a0 }</style>";
const done = '<div class="done"></div>';
const layer = (content: string) => `<div id="layer" style="position: fixed; inset: 0; background: #fff">${content}</div>`;
const shimmer = `<style>@keyframes shimmer { from { background-position: 200% 0 } to { background-position: -200% 0 } }
  .skeleton { height: 80px; background: linear-gradient(90deg, #eee, #ddd, #eee) 0 0 / 200% 100%; animation: shimmer 1s linear infinite }</style>`;

/** Each shows `#00aa00` in the middle of the window once it is as it will be. */
const pages: Record<string, string> = {
  "a chart that grows on a canvas": `<canvas width="200" height="100" id="chart"></canvas><script>
    const context = chart.getContext("2d"); const start = performance.now();
    const draw = () => { const share = Math.min(1, (performance.now() - start) / 900); context.clearRect(0, 0, 200, 100);
      context.fillStyle = "#00aa00"; context.fillRect(0, 0, 200 * share * share, 100); if (share < 1) requestAnimationFrame(draw) };
    requestAnimationFrame(draw)</script>`.replace("(0, 0, 200 * share * share, 100)", "(0, 100 - 100 * share * share, 200, 100)"),
  "a text that is typed": `<h1><b id="text" style="font: 10px monospace"></b></h1><script>
    const type = () => { text.textContent += "x"; if (text.textContent.length < 12) setTimeout(type, 80); else document.body.innerHTML = '${done}' };
    setTimeout(type, 60)</script>`,
  "a number that an interval counts": `<b id="number">0</b><script>
    const timer = setInterval(() => { number.textContent = Number(number.textContent) + 1;
      if (number.textContent === "60") { clearInterval(timer); document.body.innerHTML = '${done}' } }, 10)</script>`,
  "an element that a script's animation moves into place": `<div style="overflow: hidden; height: 100px"><div class="done" id="moved"></div></div><script>
    moved.animate([{ transform: "translateY(100px)" }, { transform: "none" }], 700).onfinish = () => {}</script>`,
  "a layer with a spinner that is removed after the load event": `${layer("<i></i>")}${done}<script>
    addEventListener("load", () => setTimeout(() => layer.remove(), 1200))</script>`,
  "a still layer": `${layer("Logo")}${done}<script>addEventListener("load", () => setTimeout(() => layer.remove(), 800))</script>`,
  "a skeleton whose content is fetched later": `${shimmer}<main><div class="skeleton"></div></main><script>
    setTimeout(async () => { await fetch("/slow"); document.querySelector("main").innerHTML = '${done}' }, 700)</script>`,
  "a page that is invisible until its scripts are done": `<main style="opacity: 0"><p>text</p></main><script>
    setTimeout(() => { document.querySelector("main").style.opacity = 1; document.querySelector("main").innerHTML = '${done}' }, 600)</script>`,
};

for (const [name, page] of Object.entries(pages)) {
  for (const full_page of ["false", "true"]) {
    test(`auto: ${name} is captured as it ends, full_page=${full_page}`, async () => {
      captures.site.serve({ "/slow": (_, response) => void setTimeout(() => response.end("x"), 300) });
      const { bytes, waitEnded } = await captures.capture(`${style}${page}`, { full_page });
      assert.deepEqual([readPixels(bytes)(100, 50), waitEnded], ["#00aa00", "ready"]);
    });
  }
}

test("auto: a canvas that is drawn without end is captured, and the wait ends as ready", async () => {
  const page = `${style}<canvas width="200" height="100" id="noise"></canvas><script>const context = noise.getContext("2d"); let hue = 0;
    const draw = () => { context.fillStyle = "hsl(" + (hue += 5) + " 80% 50%)"; context.fillRect(0, 0, 200, 100); requestAnimationFrame(draw) }; draw()</script>`;
  const { status, waitEnded, warnings } = await captures.capture(page);
  assert.deepEqual([status, waitEnded, warnings], [200, "ready", null]);
});
