/** Pages that never look the same twice: charts, tickers, canvases, carousels and typed text, built with third-party libraries. */

import type { FidelityCase } from "../../fidelity/case.ts";
import { page, times } from "../../fidelity/cases/parts.ts";
import { cases } from "../../fidelity/cases.ts";
import { photograph } from "../../fidelity/site/photographs.ts";

const shared = [
  "apexcharts",
  "chartjs",
  "chartjs-delayed",
  "countup-statistics",
  "d3",
  "echarts",
  "lottie",
  "mermaid",
  "odometer",
  "particles",
  "tsparticles",
  "typed",
  "videojs",
];

const slides = (name: string) =>
  times(
    5,
    (index) =>
      `<${name}><img src="${photograph(index)}" alt="" style="width: 100%; height: 360px; object-fit: cover"></${name.split(" ")[0]}>`,
  );

const own: FidelityCase[] = [
  {
    name: "ticker",
    about: "a chart that gets a random point at each tick, labeled with the time of day",
    html: () =>
      page(
        `<script src="/npm/chart.js/dist/chart.umd.js"></script>`,
        `<main><h1 id="price"></h1><canvas id="chart"></canvas></main><script>
        const chart = new Chart("chart", { type: "line", data: { labels: [], datasets: [{ label: "Price", data: [] }] } }); let price = 100;
        setInterval(() => { price += Math.random() * 10 - 5; document.getElementById("price").textContent = price.toFixed(2); chart.data.labels.push(new Date().toLocaleTimeString()); chart.data.datasets[0].data.push(price); chart.update() }, 400)</script>`,
      ),
  },
  {
    name: "swiper-autoplay",
    about: "a carousel that advances by itself",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/swiper/swiper-bundle.min.css"><script src="/npm/swiper/swiper-bundle.min.js"></script>`,
        `<main><div class="swiper"><div class="swiper-wrapper">${slides(`div class="swiper-slide"`)}</div><div class="swiper-pagination"></div></div></main>
        <script>new Swiper(".swiper", { loop: true, autoplay: { delay: 1500 }, pagination: { el: ".swiper-pagination" } })</script>`,
      ),
  },
  {
    name: "splide-autoplay",
    about: "a carousel that advances by itself, with a progress bar",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/@splidejs/splide/dist/css/splide.min.css"><script src="/npm/@splidejs/splide/dist/js/splide.min.js"></script>`,
        `<main><section class="splide"><div class="splide__track"><ul class="splide__list">${slides(`li class="splide__slide"`)}</ul></div><div class="splide__progress"><div class="splide__progress__bar"></div></div></section></main>
        <script>new Splide(".splide", { type: "loop", perPage: 2, autoplay: true, interval: 1200 }).mount()</script>`,
      ),
  },
  {
    name: "slick-autoplay",
    about: "a jQuery carousel that advances by itself",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/slick-carousel/slick/slick.css"><link rel="stylesheet" href="/npm/slick-carousel/slick/slick-theme.css"><script src="/npm/jquery/dist/jquery.min.js"></script><script src="/npm/slick-carousel/slick/slick.min.js"></script>`,
        `<main><div class="slides">${slides("div")}</div><p id="late" style="display: none">Shown by jQuery.</p></main><script>$(".slides").slick({ autoplay: true, autoplaySpeed: 1000, slidesToShow: 2, useCSS: false }); $("#late").fadeIn(1500)</script>`,
      ),
  },
  {
    name: "gsap-timeline",
    about: "a timeline next to an endless one",
    html: () =>
      page(
        `<script src="/npm/gsap/dist/gsap.min.js"></script><style>.box { width: 80px; height: 80px; background: #285; margin: 8px }</style>`,
        `<main>${times(4, () => `<div class="box"></div>`)}<div class="box" id="endless" style="background: #a33"></div></main><script>gsap.timeline().from(".box", { opacity: 0, x: -100, stagger: 0.3, duration: 1 }).to(".box", { x: () => Math.random() * 600, duration: 0.8 }); gsap.to("#endless", { rotation: 360, repeat: -1, duration: 3, ease: "none" })</script>`,
      ),
  },
  {
    name: "clock-face",
    about: "the time of day formatted by Intl, a countdown, and a drawing by rough-notation",
    html: () =>
      page(
        "",
        `<main><h1 id="time"></h1><p id="left"></p><h2 id="note">Underlined</h2></main><script type="module">import { annotate } from "/npm/rough-notation/lib/rough-notation.esm.js";
        const format = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "medium" }); const end = Date.now() + 90_061_000;
        const show = () => { time.textContent = format.format(); left.textContent = Math.round((end - Date.now()) / 1000) + " seconds left"; requestAnimationFrame(show) }; show(); annotate(note, { type: "underline", color: "red" }).show()</script>`,
      ),
  },
  {
    name: "worker-plot",
    about: "a plot of random numbers that a worker sends bit by bit",
    html: () =>
      page(
        `<script src="/npm/plotly.js-dist-min/plotly.min.js"></script>`,
        `<main><div id="plot" style="height: 420px"></div></main><script>Plotly.newPlot("plot", [{ y: [], mode: "lines+markers" }]);
        new Worker(URL.createObjectURL(new Blob(["let value = 0; setInterval(() => postMessage(value += Math.random() - 0.5), 150)"]))).onmessage = ({ data }) => Plotly.extendTraces("plot", { y: [[data]] }, [0])</script>`,
      ),
  },
];

/** Its numbers are below the first screen. */
const long = "countup-statistics";

export const clockPages: FidelityCase[] = [
  ...cases
    .filter(({ name }) => shared.includes(name))
    .map((one) => (one.name === long ? { ...one, options: { ...one.options, full_page: "true" } } : one)),
  ...own,
];
