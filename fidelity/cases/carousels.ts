/** Carousels: the first slide in place, with its neighbors. */

import type { FidelityCase } from "../case.ts";
import { photograph } from "../site/photographs.ts";
import { page, sections, times } from "./parts.ts";

const below = `<main>${sections(2)}</main>`;
const image = (index: number) => `<img src="${photograph(index)}" alt="" style="width: 100%; height: 360px; object-fit: cover">`;
const thrice = (carousel: (index: number) => string) => `<main>${times(3, (index) => carousel(index) + sections(1))}</main>`;

export const carouselCases: FidelityCase[] = [
  {
    name: "swiper",
    held: true,
    about: "carousels on the way down the page, with effects and lazy images",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/swiper/swiper-bundle.min.css"><script src="/npm/swiper/swiper-bundle.min.js"></script>`,
        `${thrice((index) => `<div class="swiper" data-effect="${["slide", "coverflow", "cards"][index]}"><div class="swiper-wrapper">${times(9, (slide) => `<div class="swiper-slide"><img loading="lazy" src="${photograph(slide + index)}" alt="" style="width: 100%; height: 360px; object-fit: cover"><div class="swiper-lazy-preloader"></div></div>`)}</div><div class="swiper-pagination"></div></div>`)}
        <script>document.querySelectorAll(".swiper").forEach((element) => new Swiper(element, { effect: element.dataset.effect, loop: true, pagination: { el: element.querySelector(".swiper-pagination") } }))</script>`,
      ),
  },
  {
    name: "splide",
    held: true,
    about: "carousels of the library's README",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/@splidejs/splide/dist/css/splide.min.css"><script src="/npm/@splidejs/splide/dist/js/splide.min.js"></script>`,
        `${thrice((index) => `<section class="splide"><div class="splide__track"><ul class="splide__list">${times(5, (slide) => `<li class="splide__slide">${image(slide + index)}</li>`)}</ul></div></section>`)}
        <script>for (const element of document.getElementsByClassName("splide")) new Splide(element, { type: "loop", perPage: 2, lazyLoad: "nearby" }).mount()</script>`,
      ),
  },
  {
    name: "glide",
    about: "a carousel of the library's documentation",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/@glidejs/glide/dist/css/glide.core.min.css"><script src="/npm/@glidejs/glide/dist/glide.min.js"></script>`,
        `<main><div class="glide"><div class="glide__track" data-glide-el="track"><ul class="glide__slides">${times(5, (slide) => `<li class="glide__slide">${image(slide)}</li>`)}</ul></div></div></main>${below}<script>new Glide(".glide", { type: "carousel", perView: 2 }).mount()</script>`,
      ),
  },
  { name: "flickity", held: true, about: "the library's page of lazy carousels", at: "/npm/flickity/sandbox/lazyload.html" },
  {
    name: "slick",
    about: "a carousel of the library's documentation, with lazy images",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/slick-carousel/slick/slick.css"><link rel="stylesheet" href="/npm/slick-carousel/slick/slick-theme.css"><script src="/npm/jquery/dist/jquery.min.js"></script><script src="/npm/slick-carousel/slick/slick.min.js"></script>`,
        `${below}<main><div class="your-class">${times(6, (slide) => `<div><img data-lazy="${photograph(slide)}" alt="" style="width: 100%; height: 300px; object-fit: cover"></div>`)}</div></main><script>$(".your-class").slick({ lazyLoad: "ondemand", slidesToShow: 3, slidesToScroll: 1, dots: true })</script>`,
      ),
  },
];
