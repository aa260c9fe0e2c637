/** Text, numbers and images that scripts animate to their final state. */

import type { FidelityCase } from "../case.ts";
import { page, sections, times } from "./parts.ts";

const below = `<main>${sections(3)}</main>`;

export const animationCases: FidelityCase[] = [
  {
    name: "animate-css",
    held: true,
    about: "entrances of animate.css with its utility classes for delay",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/animate.css/animate.min.css">`,
        `<main>${times(6, (index) => `<h1 class="animate__animated animate__${["bounceIn", "fadeInUp", "zoomInDown"][index % 3]} animate__delay-${(index % 3) + 1}s">An animated element</h1>`)}</main>${below}`,
      ),
  },
  { name: "countup", about: "the library's demo, whose second number counts when it is seen", at: "/npm/countup.js/index.html" },
  {
    name: "countup-statistics",
    held: true,
    about: "numbers that count up when they are seen, as on a landing page",
    html: () =>
      page(
        `<style>.statistic { font-size: 64px } </style>`,
        `${below}<main>${times(4, (index) => `<p class="statistic" id="n${index}">0</p>`)}</main>${below}<script type="module">import { CountUp } from "/npm/countup.js/dist/countUp.min.js";
        [1000, 5234, 12000, 99].forEach((value, index) => new CountUp("n" + index, value, { autoAnimate: true }));</script>`,
      ),
  },
  {
    name: "odometer",
    held: true,
    about: "the library's test page, whose number rolls a second after load",
    at: "/npm/odometer/test/demo.html",
    edits: [["http://ajax.googleapis.com/ajax/libs/jquery/1.10.2/jquery.min.js", "/npm/jquery/dist/jquery.min.js"]],
  },
  {
    name: "lottie",
    held: true,
    about: "an animation of the library's tests that plays once",
    html: () =>
      page(
        `<script src="/npm/lottie-web/build/player/lottie.min.js"></script>`,
        `<main><div id="anim" style="height: 500px"></div></main>${below}<script>lottie.loadAnimation({ container: document.getElementById("anim"), renderer: "svg", loop: false, autoplay: true, path: "/npm/lottie-web/test/animations/navidad.json" })</script>`,
      ),
  },
  {
    name: "particles",
    about: "the library's demo: a canvas without end",
    at: "/npm/particles.js/demo/index.html",
    ignored: ".count-particles, canvas",
  },
  {
    name: "tsparticles",
    about: "moving particles behind a page of text",
    html: () =>
      page(
        `<script src="/npm/tsparticles/tsparticles.bundle.min.js"></script>`,
        `<div id="tsparticles"></div>${below}<script>(async () => { await loadFull(tsParticles); await tsParticles.load({ id: "tsparticles", options: { particles: { number: { value: 30 }, color: { value: "#c33" }, move: { enable: true }, size: { value: 3 } } } }) })()</script>`,
      ),
  },
  {
    name: "typed",
    about: "the text of the library's README, typed once",
    html: () =>
      page(
        `<script src="/npm/typed.js/dist/typed.umd.js"></script>`,
        `<main><h1><span id="element"></span></h1></main>${below}<script>var typed = new Typed("#element", { strings: ["<i>First</i> sentence.", "&amp; a second sentence."], typeSpeed: 50, showCursor: false })</script>`,
      ),
  },
  { name: "vivus", about: "the library's own site, whose drawings draw themselves when they are seen", at: "/npm/vivus/index.html" },
];
