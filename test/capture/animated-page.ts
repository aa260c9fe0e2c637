/** A page on which everything moves, and a check that its captures are identical. */

import assert from "node:assert/strict";
import type { Captures } from "../support/captures.ts";
import { inParallel } from "../support/in-parallel.ts";
import { colouredPage, type Site } from "../support/site.ts";
import { blinkingGif, redThenBlueWebm } from "./moving-images.ts";

export const video = '<video src="/video.webm" autoplay loop muted width="40" height="40"></video>';

const box = (style: string, more = "") => `<div style="height:20px;${style}" ${more}></div>`;

const markup = (more: string) => `<style>
     @keyframes turn { to { transform: rotate(1turn) } } @keyframes fade { from { opacity: 0 } to { opacity: 1 } }
     .turn { animation: turn .7s linear infinite; width: 20px } .fade { animation: fade 1.3s .2s both }
     .slide { transition: margin-left 1s; margin-left: 0 } .slide.on { margin-left: 100px }
   </style>
   ${box("background:#0a0", 'class="turn"')} ${box("background:#00a", 'class="fade"')} ${box("background:#a00;width:30px", 'class="slide" id="s"')}
   <input autofocus value="text"> <img src="/blinking.gif" width="40" height="20"> ${more}
   <iframe src="/inner" width="60" height="40"></iframe> <x-shadow></x-shadow>
   <script>
     customElements.define("x-shadow", class extends HTMLElement { connectedCallback() {
       this.attachShadow({ mode: "open" }).innerHTML = '<style>@keyframes p{50%{opacity:.2}}i{display:block;height:20px;background:#a0a;animation:p .5s infinite}</style><i></i>' } });
     onload = () => { s.className += " on"; s.animate([{ width: "30px" }, { width: "90px" }], { duration: 900, fill: "forwards" });
       setInterval(() => fetch("/poll?" + Math.random()), 50); new EventSource("/events") };
   </script>`;

/** Animations of all kinds, an animated image, a frame, a shadow root and endless requests. @param more markup to add. */
export function animatedPage(more: string): string {
  return colouredPage("#fff", markup(more));
}

/** What an animated page requests. */
export function serveAnimated(site: Site): void {
  site.serve({
    "/poll": (_, response) => void setTimeout(() => response.end("x"), Math.random() * 40),
    "/events": (_, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n"),
    "/blinking.gif": (_, response) => response.writeHead(200, { "content-type": "image/gif" }).end(blinkingGif),
    "/video.webm": (_, response) => response.writeHead(200, { "content-type": "video/webm" }).end(redThenBlueWebm),
    "/inner": "<style>@keyframes x{to{background:#00f}}body{background:#f00;animation:x .9s linear infinite alternate}</style>",
  });
}

export async function assertIdentical(
  capture: Captures["capture"],
  page: string,
  { count, atOnce }: { count: number; atOnce: number },
): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, () => capture(colouredPage("#fff", "<p>warm"))));
  const images = new Map<string, number>();
  await inParallel(count, atOnce, async () => {
    const { status, bytes } = await capture(page, { width: "320", height: "240" });
    assert.equal(status, 200);
    const seen = Buffer.from(bytes).toString("base64");
    images.set(seen, (images.get(seen) ?? 0) + 1);
  });
  assert.equal([...images.values()].join(), String(count));
}
