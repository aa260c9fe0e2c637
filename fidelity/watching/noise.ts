/** Pages that differ on each visit although nothing has changed, and what happens to them afterwards. */

import type { SeededChange } from "./changes.ts";

export interface NoisyPage {
  page: string;
  about: string;
  /** What the server changes on each visit; by default nothing, because the page changes by itself. */
  noise?: { from: RegExp; to: (visit: number) => string };
  /** A change that still has to be found. */
  change: Omit<SeededChange, "page" | "about">;
}

const advertisements = [
  "Shoes for every road: 20% off",
  "Fly to Lisbon from 49",
  "Learn piano in a month",
  "The coffee that delivers itself",
  "Cloud hosting without surprises: try it for ninety days and pay nothing",
];
const at = (visit: number, count: number) => (visit * 7 + Math.floor(visit / count)) % count;
const advertisement = (visit: number) => advertisements[at(visit, advertisements.length)] ?? "";
const time = (visit: number) => new Date(Date.UTC(2026, 4, 18, 9, 12, 5) + visit * 3_723_000).toISOString().slice(11, 19);

export const noisyPages: NoisyPage[] = [
  {
    page: "modern-business-blog-home",
    about: "an advertisement with a different picture and text each time",
    noise: {
      from: /<section class="py-5">/,
      to: (visit) =>
        `<aside class="container text-center"><a href="#!"><img src="/photographs/${(visit * 13) % 90}.jpg" width="728" height="90" style="object-fit:cover" alt="${advertisement(visit)}"></a><p>${advertisement(visit)}</p></aside>$&`,
    },
    change: { from: /Blog post title/, nth: 1, to: "We moved", named: /Blog post title.*We moved/ },
  },
  {
    page: "landing-page-index",
    about: "an advertisement at the top with a different height each time",
    noise: {
      from: /<header class="masthead">/,
      to: (visit) =>
        `<div style="height:${[90, 120, 250, 60][at(visit, 4)]}px;background:hsl(${visit * 47} 60% 80%);text-align:center">${advertisement(visit)}</div>$&`,
    },
    change: { from: /Fully Responsive/, nth: 1, to: "Fully Fluid", named: /Fully Responsive.*Fully Fluid/ },
  },
  {
    page: "modern-business-index",
    about: "a quotation from a different customer each time",
    noise: {
      from: /"Working with Start Bootstrap templates[^<]*/,
      to: (visit) =>
        `"${["Excellent.", "We ship twice as fast since we use it, and we sleep better, too.", "Our team wouldn't want to work without it any more. It has become the way we build everything, from the smallest landing page to the shop."][at(visit, 3)]}"`,
    },
    change: { from: /Get Started/, nth: 1, to: "Start for free", named: /Get Started.*Start for free/ },
  },
  {
    page: "sb-admin-2-index",
    about: "the server's time in the footer",
    noise: { from: /Copyright &copy;[^<]*/, to: (visit) => `Copyright · served at ${time(visit)} in ${40 + ((visit * 31) % 90)} ms` },
    change: { from: /\$40,000/, to: "$41,500", named: /\$40,000.*\$41,500/ },
  },
  {
    page: "shop-item-index",
    about: "how many look at the article right now",
    noise: {
      from: /<p class="lead">/,
      to: (visit) => `<p class="text-danger">${3 + ((visit * 17) % 40)} people are looking at this right now</p>$&`,
    },
    change: { from: /<span>\$40\.00/, to: "<span>$42.00", named: /\$40\.00.*\$42\.00/ },
  },
  {
    page: "clean-blog-index",
    about: "how long ago something was posted",
    noise: { from: /on September 24, 2023/, to: (visit) => `${2 + visit * 5} minutes ago` },
    change: {
      from: /Failure is not an option/,
      nth: 1,
      to: "Failure is an option",
      named: /Failure is not an option.*Failure is an option/,
    },
  },
  {
    page: "shop-homepage-index",
    about: "related products in a different order each time",
    noise: {
      from: /<section class="py-5">/,
      to: (visit) =>
        `<section class="container pt-4" id="recommended"><h2>For you</h2><div class="row">${["Lamp", "Chair", "Table", "Shelf"].map((_, index, all) => `<div class="col-3"><div class="card p-4">${all[(index + visit * 3) % 4]}<br><b>$${[20, 45, 120, 80][(index + visit * 3) % 4]}.00</b></div></div>`).join("")}</div></section>$&`,
    },
    change: { from: /\$120\.00 - \$280\.00/, to: "$130.00 - $280.00", named: /\$120\.00.*\$130\.00/ },
  },
  {
    page: "uikit-countdown",
    about: "forty countdowns",
    change: { from: /<h1>Countdown<\/h1>/, to: "<h1>Count up</h1>", named: /Countdown.*Count up/ },
  },
  {
    page: "uikit-slideshow",
    about: "slide shows that play",
    change: { from: /<h1>Slideshow<\/h1>/, to: "<h1>Pictures</h1>", named: /Slideshow.*Pictures/ },
  },
  {
    page: "lte-index",
    about: "a dashboard whose figures and chart differ each time",
    noise: { from: /<h3>150<\/h3>|data: \[28, 48, 40, 19, 86, 27, 90\]/, to: (visit) => `<h3>${150 + ((visit * 37) % 90)}</h3>` },
    change: { from: /New Orders/, nth: 1, to: "New Returns", named: /New Orders.*New Returns/ },
  },
];
