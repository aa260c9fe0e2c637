/** Images that load when they are near the viewport. */

import type { FidelityCase } from "../case.ts";
import { photograph } from "../site/photographs.ts";
import { page, times } from "./parts.ts";

const style = "width: 400px; height: 300px; object-fit: cover; display: block; margin: 12px 0; background: #eee";
const images = (count: number, make: (source: string) => string) =>
  `<main>${times(count, (index) => make(`${photograph(index)}?after=60`))}</main>`;

export const lazyCases: FidelityCase[] = [
  {
    name: "lazysizes",
    about: "24 images, each faded in by the style of the README",
    html: () =>
      page(
        `<style>.lazyload, .lazyloading { opacity: 0 } .lazyloaded { opacity: 1; transition: opacity 300ms }</style><script src="/npm/lazysizes/lazysizes.min.js" async></script>`,
        images(24, (source) => `<img data-src="${source}" class="lazyload" alt="" style="${style}">`),
      ),
  },
  {
    name: "lozad",
    about: "24 images and backgrounds",
    html: () =>
      page(
        `<script src="/npm/lozad/dist/lozad.min.js"></script>`,
        `${images(24, (source) => `<img class="lozad" data-src="${source}" alt="" style="${style}"><div class="lozad" data-background-image="${source}" style="${style}"></div>`)}<script>const observer = lozad(); observer.observe()</script>`,
      ),
  },
  {
    name: "vanilla-lazyload",
    held: true,
    about: "24 images",
    html: () =>
      page(
        `<script src="/npm/vanilla-lazyload/dist/lazyload.min.js"></script>`,
        `${images(24, (source) => `<img alt="A lazy image" class="lazy" data-src="${source}" style="${style}">`)}<script>var lazyLoadInstance = new LazyLoad({})</script>`,
      ),
  },
  {
    name: "native-lazy",
    about: "40 images with loading=lazy",
    html: () =>
      page(
        "",
        images(40, (source) => `<img loading="lazy" width="400" height="300" alt="" src="${source}" style="${style}">`),
      ),
  },
  {
    name: "lazy-iframes",
    held: true,
    about: "frames with loading=lazy",
    html: () =>
      page(
        "",
        images(
          8,
          (source) => `<iframe loading="lazy" src="/pages/native-lazy?${source}" width="600" height="400"></iframe><p>A caption</p>`,
        ),
      ),
  },
];
