/** Content that moves with the scroll, and libraries that scroll smoothly. */

import type { FidelityCase } from "../case.ts";
import { photograph } from "../site/photographs.ts";
import { card, page, sections, times } from "./parts.ts";

export const parallaxCases: FidelityCase[] = [
  { name: "rellax", held: true, about: "the library's own site", at: "/npm/rellax/demo.html" },
  {
    name: "jarallax",
    about: "photographs that move behind windows",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/jarallax/dist/jarallax.css"><script src="/npm/jarallax/dist/jarallax.min.js"></script><style>.jarallax { height: 400px; color: #fff; font-size: 48px; display: grid; place-content: center }</style>`,
        `${times(5, (index) => `<main>${sections(1)}</main><div data-jarallax data-speed="0.2" class="jarallax"><img class="jarallax-img" src="${photograph(index)}" alt="">Your content here</div>`)}<script>jarallax(document.querySelectorAll(".jarallax"))</script>`,
      ),
    ignored: ".jarallax",
  },
  {
    name: "fixed-background",
    about: "background-attachment: fixed, as templates do parallax without a script",
    html: () =>
      page(
        `<style>.parallax { background: url("${photograph(3)}") fixed center/cover; min-height: 500px } .plain { background: #fff; padding: 40px }</style>`,
        times(4, () => `<div class="parallax"></div><div class="plain">${sections(1)}</div>`),
      ),
    ignored: ".parallax",
  },
  {
    name: "lenis",
    about: "smooth scrolling of the document",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/lenis/dist/lenis.css"><script src="/npm/lenis/dist/lenis.min.js"></script>`,
        `<main>${times(10, (index) => card(index))}</main><script>const lenis = new Lenis({ autoRaf: true })</script>`,
      ),
  },
  {
    name: "lenis-gsap",
    held: true,
    about: "smooth scrolling that drives reveals, as the README of Lenis combines it with ScrollTrigger",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/lenis/dist/lenis.css"><script src="/npm/lenis/dist/lenis.min.js"></script><script src="/npm/gsap/dist/gsap.min.js"></script><script src="/npm/gsap/dist/ScrollTrigger.min.js"></script>`,
        `<main>${times(10, (index) => card(index, 'class="box"'))}</main><script>
        const lenis = new Lenis(); lenis.on("scroll", ScrollTrigger.update);
        gsap.ticker.add((time) => { lenis.raf(time * 1000) }); gsap.ticker.lagSmoothing(0);
        gsap.utils.toArray(".box").forEach((box) => gsap.from(box, { scrollTrigger: box, opacity: 0, y: 60, duration: 0.8 }));</script>`,
      ),
  },
  {
    name: "locomotive",
    about: "content that is moved by transforms in a document that doesn't scroll",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/locomotive-scroll/dist/locomotive-scroll.min.css"><script src="/npm/locomotive-scroll/dist/locomotive-scroll.min.js"></script>`,
        `<div data-scroll-container>${times(6, (index) => `<main data-scroll-section><h1 data-scroll>Hey ${index + 1}</h1>${card(index, "data-scroll")}${sections(1)}</main>`)}</div>
        <script>const scroll = new LocomotiveScroll({ el: document.querySelector("[data-scroll-container]"), smooth: true })</script>`,
      ),
    scrolling: { moved: "[data-scroll-container]", movedBy: "scroll.scroll.instance.scroll.y" },
  },
  {
    name: "fullpage",
    held: true,
    about: "sections of a window each, moved by transforms",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/fullpage.js/dist/fullpage.min.css"><script src="/npm/fullpage.js/dist/fullpage.min.js"></script><style>.section { text-align: center; font-size: 40px }</style>`,
        `<div id="fullpage">${times(4, (index) => `<div class="section" style="background: ${["#ff5f45", "#0798ec", "#fc6c7c", "#435b71"][index]}">Some section ${index + 1}</div>`)}</div>
        <script>new fullpage("#fullpage", { licenseKey: "gplv3-license", credits: { enabled: false } })</script>`,
      ),
    scrolling: { moved: "#fullpage", snaps: true },
  },
  {
    name: "reveal-slides",
    held: true,
    about: "the library's demo: slides, of which the first is seen",
    at: "/npm/reveal.js/demo.html",
    scrolling: { never: true },
  },
  {
    name: "scroll-snap",
    about: "sections that the browser snaps to",
    html: () =>
      page(
        `<style>html { scroll-snap-type: y mandatory } section { height: 100vh; scroll-snap-align: start; padding: 40px; box-sizing: border-box; overflow: hidden }</style>`,
        times(5, (index) => `<section style="background: hsl(${index * 70} 60% 85%)">${card(index)}</section>`),
      ),
    scrolling: { snaps: true },
  },
];
