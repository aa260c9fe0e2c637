/** Content revealed or moved into place on scroll. */

import type { FidelityCase } from "../case.ts";
import { reactHead } from "../site/shims.ts";
import { card, page, paragraphs, sections, times } from "./parts.ts";

const gsap = `<script src="/npm/gsap/dist/gsap.min.js"></script><script src="/npm/gsap/dist/ScrollTrigger.min.js"></script>
<style>.box { padding: 24px; margin: 24px 0; background: #eef } section { min-height: 420px }</style>`;
const gsapBoxes = times(10, (index) => `<section><div class="box">${card(index)}</div>${paragraphs(2)}</section>`);
const eachBox = (tween: string) =>
  `<script>gsap.registerPlugin(ScrollTrigger); gsap.utils.toArray(".box").forEach((box) => { ${tween} });</script>`;
const sal = `<link rel="stylesheet" href="/npm/sal.js/dist/sal.css"><script src="/npm/sal.js/dist/sal.js"></script>`;
const salCards = times(12, (index) =>
  card(
    index,
    `data-sal="${["slide-up", "fade", "zoom-in"][index % 3]}" data-sal-duration="800" data-sal-delay="200" data-sal-easing="ease-out-back"`,
  ),
);

export const revealCases: FidelityCase[] = [
  { name: "aos", about: "the library's demo, which hides again what is below the window", at: "/npm/aos/demo/simple.html" },
  {
    name: "aos-async",
    held: true,
    about: "the library's demo with items that are added one by one",
    at: "/npm/aos/demo/async.html",
    edits: [["addItem, 300", "addItem, 30"]],
  },
  {
    name: "aos-once",
    about: "the library's demo, each animation once",
    at: "/npm/aos/demo/simple.html",
    edits: [["easing: 'ease-in-out-sine'", "easing: 'ease-in-out-sine', once: true"]],
  },
  { name: "wow", about: "the library's demo with animate.css", at: "/npm/wowjs/demo.html" },
  {
    name: "wow-cards",
    held: true,
    about: "WOW with animate.css on a page of cards",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/wowjs/css/libs/animate.css"><script src="/npm/wowjs/dist/wow.min.js"></script>`,
        `<main>${times(12, (index) => card(index, `class="wow ${index % 2 ? "slideInLeft" : "bounceInUp"}" data-wow-duration="1s"`))}</main><script>new WOW().init()</script>`,
      ),
  },
  {
    name: "scrollreveal",
    about: "ScrollReveal with its defaults",
    html: () =>
      page(
        `<script src="/npm/scrollreveal/dist/scrollreveal.min.js"></script>`,
        `<main>${times(10, (index) => `<h1 class="headline">Widget ${index + 1} Inc.</h1>${card(index, 'class="headline"')}${paragraphs(1)}`)}</main><script>ScrollReveal().reveal(".headline")</script>`,
      ),
  },
  {
    name: "scrollreveal-reset",
    held: true,
    about: "ScrollReveal that hides again what leaves the window",
    html: () =>
      page(
        `<script src="/npm/scrollreveal/dist/scrollreveal.min.js"></script>`,
        `<main>${times(10, (index) => card(index, 'class="tile"'))}</main><script>ScrollReveal().reveal(".tile", { reset: true, delay: 200, distance: "80px", interval: 60 })</script>`,
      ),
  },
  { name: "sal", about: "sal.js with its defaults", html: () => page(sal, `<main>${salCards}</main><script>sal()</script>`) },
  {
    name: "sal-repeat",
    held: true,
    about: "sal.js that hides again what leaves the window",
    html: () => page(sal, `<main>${salCards}</main><script>sal({ once: false, threshold: 0.3 })</script>`),
  },
  {
    name: "gsap-once",
    about: "ScrollTrigger with its defaults: a tween starts when its box enters",
    html: () =>
      page(gsap, `<main>${gsapBoxes}</main>${eachBox("gsap.from(box, { scrollTrigger: box, x: -200, opacity: 0, duration: 1 })")}`),
  },
  {
    name: "gsap-reverse",
    about: "ScrollTrigger with play none none reverse",
    html: () =>
      page(
        gsap,
        `<main>${gsapBoxes}</main>${eachBox('gsap.from(box, { scrollTrigger: { trigger: box, start: "top 80%", toggleActions: "play none none reverse" }, y: 80, opacity: 0, duration: 0.8 })')}`,
      ),
  },
  {
    name: "gsap-scrub",
    held: true,
    about: "ScrollTrigger that fades and moves boxes with the scroll, at rest when they reach the middle",
    html: () =>
      page(
        gsap,
        `<main>${gsapBoxes}</main>${eachBox('gsap.from(box, { scrollTrigger: { trigger: box, start: "top bottom", end: "top 60%", scrub: true }, x: 200, opacity: 0 })')}`,
      ),
  },
  {
    name: "gsap-pin",
    held: true,
    about: "ScrollTrigger that holds a section for 800 pixels",
    html: () =>
      page(
        `${gsap}<style>.panel { height: 100vh; background: #264653; color: #fff; display: grid; place-content: center; font-size: 48px }</style>`,
        `<main>${sections(3)}</main><div class="panel"><div>Held in place</div></div><main>${sections(3)}</main>
        <script>gsap.registerPlugin(ScrollTrigger); ScrollTrigger.create({ trigger: ".panel", start: "top top", end: "+=800", pin: true })</script>`,
      ),
    ignored: ".pin-spacer",
  },
  {
    name: "motion-in-view",
    about: "Motion's inView, which plays each card in",
    html: () =>
      page(
        `<script src="/npm/motion/dist/motion.js"></script><style>.tile { opacity: 0 }</style>`,
        `<main>${times(12, (index) => card(index, 'class="tile"'))}</main>
        <script>const { animate, inView } = Motion; inView(".tile", (element) => { animate(element, { opacity: 1, x: [-100, 0] }, { duration: 0.9, easing: [0.17, 0.55, 0.55, 1] }); return () => animate(element, { opacity: 0, x: -100 }); })</script>`,
      ),
  },
  {
    name: "motion-while-in-view",
    held: true,
    about: "Motion for React's whileInView, which reverses",
    html: () =>
      page(
        `${reactHead}<script src="/npm/framer-motion/dist/framer-motion.js"></script>`,
        `<main id="root"></main><script>const { createElement: h } = React;
        const Tile = (index) => h(Motion.motion.div, { key: index, initial: { opacity: 0, y: 60 }, whileInView: { opacity: 1, y: 0 }, transition: { duration: 0.8 }, style: { background: "#dde", margin: "24px 0", padding: 24, height: 260 } }, h("h2", null, "Tile " + (index + 1)), h("img", { src: "/photographs/" + index + ".jpg", width: 240, height: 160 }));
        ReactDOM.createRoot(document.getElementById("root")).render(Array.from({ length: 12 }, (_, index) => Tile(index)));</script>`,
      ),
  },
  {
    name: "view-timeline",
    held: true,
    about: "animation-timeline: view(), as the CSS reference shows it",
    html: () =>
      page(
        `<style>@keyframes appear { from { opacity: 0; transform: scaleX(0.3) } to { opacity: 1; transform: none } }
        .subject { animation: appear linear both; animation-timeline: view(); animation-range: entry 0% cover 35%; background: #e9f5db; padding: 24px; margin: 48px 0 }</style>`,
        `<main>${times(12, (index) => card(index, 'class="subject"'))}</main>`,
      ),
  },
  {
    name: "scrollama",
    held: true,
    about: "the library's demo of a sticky graphic beside steps",
    at: "/npm/scrollama/docs/sticky-side/index.html",
    ignored: "figure",
  },
];
