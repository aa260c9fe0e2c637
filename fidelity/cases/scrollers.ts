/** Inner scrollers, and fixed and sticky elements. */

import type { FidelityCase } from "../case.ts";
import { card, page, sections, times } from "./parts.ts";

const ionic = `<script type="module" src="/npm/@ionic/core/dist/ionic/ionic.esm.js"></script><link href="/npm/@ionic/core/css/ionic.bundle.css" rel="stylesheet">`;

export const scrollerCases: FidelityCase[] = [
  {
    name: "ionic",
    about: "an application whose scroller is in a shadow root",
    html: () =>
      page(
        ionic,
        `<ion-app><ion-header><ion-toolbar><ion-title>Header</ion-title></ion-toolbar></ion-header><ion-content class="ion-padding"><ion-list>${times(40, (index) => `<ion-item><ion-label>Item ${index + 1}</ion-label></ion-item>`)}</ion-list></ion-content><ion-footer><ion-toolbar><ion-title>Footer</ion-title></ion-toolbar></ion-footer></ion-app>`,
      ),
    scrolling: { inside: ["ion-content >>> .inner-scroll"] },
  },
  {
    name: "two-columns",
    held: true,
    about: "two columns of a window's height that scroll by themselves, as in mail and documentation",
    html: () =>
      page(
        `<style>body { display: grid; grid-template-columns: 320px 1fr; height: 100vh; overflow: hidden } #list { overflow-y: auto; background: #eef } #content { overflow-y: auto }</style>`,
        `<div id="list">${times(40, (index) => `<p>Message ${index + 1}</p>`)}</div><div id="content"><main>${sections(8)}</main></div>`,
      ),
    scrolling: { inside: ["#list", "#content"] },
  },
  {
    name: "one-scroller",
    about: "a header, and a main element that scrolls",
    html: () =>
      page(
        `<style>body { display: flex; flex-direction: column; height: 100vh } header { background: #123; color: #fff; padding: 16px } #content { overflow: auto; flex: 1 }</style>`,
        `<header>An application</header><div id="content"><main>${times(10, (index) => card(index))}</main></div>`,
      ),
    scrolling: { inside: ["#content"] },
  },
  {
    name: "headroom",
    about: "a header that leaves on the way down and returns on the way up",
    html: () =>
      page(
        `<script src="/npm/headroom.js/dist/headroom.min.js"></script><style>header { position: fixed; inset: 0 0 auto 0; background: #123; color: #fff; padding: 16px; z-index: 1 } .headroom { will-change: transform; transition: transform 200ms linear } .headroom--pinned { transform: translateY(0%) } .headroom--unpinned { transform: translateY(-100%) } body { padding-top: 60px }</style>`,
        `<header>A header</header><main>${sections(10)}</main><script>new Headroom(document.querySelector("header")).init()</script>`,
      ),
  },
  {
    name: "sticky-shrink",
    about: "a sticky header that becomes small and dark when the page is scrolled",
    html: () =>
      page(
        `<style>header { position: sticky; top: 0; background: #fff; padding: 40px; font-size: 32px; transition: all 300ms; z-index: 1 } header.small { background: #123; color: #fff; padding: 12px; font-size: 18px }</style>`,
        `<header>A header</header><main>${sections(10)}</main><script>addEventListener("scroll", () => document.querySelector("header").classList.toggle("small", scrollY > 50))</script>`,
      ),
  },
  {
    name: "back-to-top",
    about: "a button that comes with the scroll, by jQuery's fadeIn",
    html: () =>
      page(
        `<script src="/npm/jquery/dist/jquery.min.js"></script><style>#top { display: none; position: fixed; right: 32px; bottom: 32px; background: #c33; color: #fff; padding: 16px; border: 0 }</style>`,
        `<main>${sections(10)}</main><button id="top">Top</button><script>$(window).scroll(function () { if ($(this).scrollTop() > 200) $("#top").fadeIn(); else $("#top").fadeOut() })</script>`,
      ),
  },
  {
    name: "back-to-top-once",
    held: true,
    about: "a button that comes with the scroll and stays",
    html: () =>
      page(
        `<style>#top { opacity: 0; transition: opacity 300ms; position: fixed; right: 32px; bottom: 32px; background: #c33; color: #fff; padding: 16px; border: 0 } #top.seen { opacity: 1 }</style>`,
        `<main>${sections(10)}</main><button id="top">Top</button><script>addEventListener("scroll", () => { if (scrollY > 200) document.getElementById("top").classList.add("seen") })</script>`,
      ),
  },
];
