/** Pages with a loading screen. */

import type { FidelityCase } from "../case.ts";
import { photograph } from "../site/photographs.ts";
import { reactHead } from "../site/shims.ts";
import { card, page, sections, times } from "./parts.ts";

const spinner = `<style>@keyframes spin { to { transform: rotate(1turn) } }
#preloader { position: fixed; inset: 0; background: #fff; z-index: 99; display: grid; place-content: center; transition: opacity 300ms }
#preloader i { width: 64px; height: 64px; border: 6px solid #ddd; border-top-color: #36c; border-radius: 50%; animation: spin 1s linear infinite }</style>`;
const shimmer = `<style>@keyframes shimmer { from { background-position: 200% 0 } to { background-position: -200% 0 } }
.skeleton { height: 120px; margin: 16px 0; border-radius: 8px; background: linear-gradient(90deg, #eee 25%, #ddd 50%, #eee 75%) 0 0 / 200% 100%; animation: shimmer 1.4s linear infinite }</style>`;
const items = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ title: `Item ${index + 1}`, image: photograph(index) })));
const content = `<main>${times(8, (index) => card(index))}</main>`;

export const loadingCases: FidelityCase[] = [
  {
    name: "preloader-after-load",
    about: "a spinner over the page until 1.2 s after load, then faded",
    html: () =>
      page(
        spinner,
        `<div id="preloader"><i></i></div>${content}<script>addEventListener("load", () => setTimeout(() => { const layer = document.getElementById("preloader"); layer.style.opacity = 0; setTimeout(() => layer.remove(), 300) }, 1200))</script>`,
      ),
  },
  {
    name: "preloader-jquery",
    held: true,
    about: "jQuery's delay and fadeOut on window.load, as many templates do",
    html: () =>
      page(
        `${spinner}<script src="/npm/jquery/dist/jquery.min.js"></script>`,
        `<div id="preloader"><i></i></div>${content}<script>$(window).on("load", function () { $("#preloader i").fadeOut(); $("#preloader").delay(350).fadeOut("slow") })</script>`,
      ),
  },
  {
    name: "preloader-still",
    about: "a still logo over the page until 0.8 s after load",
    html: () =>
      page(
        `<style>#splash { position: fixed; inset: 0; background: #123; color: #fff; display: grid; place-content: center; font-size: 64px; z-index: 9 }</style>`,
        `<div id="splash">Logo</div>${content}<script>addEventListener("load", () => setTimeout(() => document.getElementById("splash").remove(), 800))</script>`,
      ),
  },
  {
    name: "pace",
    held: true,
    about: "Pace's bar, which follows requests and hides the page until they are done, as its templates do",
    html: () =>
      page(
        `<script src="/npm/pace-js/pace.min.js"></script><link rel="stylesheet" href="/npm/pace-js/themes/blue/pace-theme-center-atom.css"><style>body > :not(.pace) { transition: opacity 300ms; opacity: 0 } body.pace-done > :not(.pace) { opacity: 1 }</style>`,
        `${content}<script>fetch("/photographs/1.jpg?after=500")</script>`,
      ),
  },
  {
    name: "nprogress",
    about: "NProgress until a fetch has brought the content",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/nprogress/nprogress.css"><script src="/npm/nprogress/nprogress.js"></script>`,
        `<main id="content"></main><script>NProgress.start(); fetch("/photographs/1.jpg?after=900").then(() => { document.getElementById("content").innerHTML = ${JSON.stringify(sections(5))}; NProgress.done() })</script>`,
      ),
  },
  {
    name: "react-skeleton",
    held: true,
    about: "a skeleton in React, 0.6 s and then a fetch",
    html: () =>
      page(
        `${reactHead}${shimmer}`,
        `<main id="root"></main><script>const { createElement: h, useEffect, useState } = React; const items = ${items(10)};
        function App() { const [list, setList] = useState(null); useEffect(() => { setTimeout(() => fetch("/photographs/1.jpg?after=300").then(() => setList(items)), 600) }, []);
          return list ? list.map(({ title, image }) => h("section", { key: title }, h("h2", null, title), h("img", { src: image + "?after=80", width: 320, height: 220 }))) : Array.from({ length: 5 }, (_, index) => h("div", { key: index, className: "skeleton" })) }
        ReactDOM.createRoot(document.getElementById("root")).render(h(App));</script>`,
      ),
  },
  {
    name: "react-suspense",
    about: "lazy components behind Suspense, one within the other",
    html: () =>
      page(
        `${reactHead}${shimmer}`,
        `<main id="root"></main><script>const { createElement: h, lazy, Suspense } = React;
        const later = (ms, make) => lazy(() => new Promise((resolve) => setTimeout(() => resolve({ default: make }), ms)));
        const fallback = h("div", { className: "skeleton" });
        const Inner = later(500, () => h("section", null, h("h2", null, "Comments"), Array.from({ length: 20 }, (_, index) => h("p", { key: index }, "Comment " + index))));
        const Outer = later(500, () => h("section", null, h("h2", null, "Article"), h("img", { src: "/photographs/2.jpg", width: 640, height: 400 }), h(Suspense, { fallback }, h(Inner))));
        ReactDOM.createRoot(document.getElementById("root")).render(h(Suspense, { fallback }, h(Outer)));</script>`,
      ),
  },
  {
    name: "vue-skeleton",
    held: true,
    about: "a skeleton in Vue, 0.9 s and then a fetch, with a transition between the two",
    html: () =>
      page(
        `<script src="/npm/vue/dist/vue.global.prod.js"></script>${shimmer}<style>.fade-enter-active, .fade-leave-active { transition: opacity 300ms } .fade-enter-from, .fade-leave-to { opacity: 0 }</style>`,
        `<main id="app"><Transition name="fade" mode="out-in"><div v-if="!list" key="wait"><div v-for="n in 5" class="skeleton"></div></div><div v-else key="list"><section v-for="item in list"><h2>{{ item.title }}</h2><img :src="item.image + '?after=80'" width="320" height="220"></section></div></Transition></main>
        <script>Vue.createApp({ data: () => ({ list: null }), mounted() { setTimeout(() => fetch("/photographs/1.jpg?after=200").then(() => { this.list = ${items(10)} }), 900) } }).mount("#app")</script>`,
      ),
  },
  {
    name: "late-font",
    about: "text that is invisible until its font has arrived after 1.5 s",
    html: () =>
      page(
        `<style>@font-face { font-family: Icons; font-display: block; src: url("/npm/bootstrap-icons/font/fonts/bootstrap-icons.woff2?after=1500") } .icon { font: 48px Icons }</style>`,
        `<main><p class="icon">&#xf5df; &#xf3e8; &#xf479;</p>${sections(3)}</main>`,
      ),
  },
];
