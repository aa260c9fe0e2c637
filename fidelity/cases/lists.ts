/** Infinite, self-arranging and virtualized lists. */

import type { FidelityCase } from "../case.ts";
import { photograph } from "../site/photographs.ts";
import { reactHead } from "../site/shims.ts";
import { card, page, paragraphs, times } from "./parts.ts";

const post = (index: number) =>
  `<article class="post"><h2>Post ${index + 1}</h2><img src="${photograph(index)}?after=80" width="400" height="260" alt="">${paragraphs(1)}</article>`;
const postsPerPage = 5;
const pagesOfPosts = 5;
const bricks = times(
  30,
  (index) =>
    `<div class="grid-item"><img src="${photograph(index)}?after=40" alt="" style="height: ${160 + (index % 4) * 60}px; width: 200px; object-fit: cover"></div>`,
);
const bricksHead = (library: string) =>
  `<script src="/npm/${library}"></script><script src="/npm/imagesloaded/imagesloaded.pkgd.min.js"></script>`;
const row = `style: { ...style, borderBottom: "1px solid #bbb", background: index % 2 ? "#fff" : "#eef" }`;

export const listCases: FidelityCase[] = [
  {
    name: "infinite-scroll",
    held: true,
    about: "five pages of posts with images, each fetched when the end comes near",
    html(query) {
      const number = Number(query.get("page") ?? 1);
      const posts = times(postsPerPage, (index) => post((number - 1) * postsPerPage + index));
      const next =
        number < pagesOfPosts ? `<a class="pagination__next" href="/pages/infinite-scroll?page=${number + 1}">Next page</a>` : "";
      return page(
        `<script src="/npm/infinite-scroll/dist/infinite-scroll.pkgd.min.js"></script><style>.pagination__next { display: none }</style>`,
        `<main class="container">${posts}</main>${next}<script>if (document.querySelector(".pagination__next")) new InfiniteScroll(".container", { path: ".pagination__next", append: ".post", history: false })</script>`,
      );
    },
  },
  {
    name: "masonry",
    held: true,
    about: "bricks that are laid when their images have arrived",
    html: () =>
      page(
        `${bricksHead("masonry-layout/dist/masonry.pkgd.min.js")}<style>.grid-item { width: 200px; padding: 4px }</style>`,
        `<main class="grid">${bricks}</main><script>const msnry = new Masonry(".grid", { itemSelector: ".grid-item", columnWidth: 208 }); imagesLoaded(".grid").on("progress", () => msnry.layout())</script>`,
      ),
  },
  {
    name: "isotope",
    held: true,
    about: "the same with transitions of Isotope",
    html: () =>
      page(
        `${bricksHead("isotope-layout/dist/isotope.pkgd.min.js")}<style>.grid-item { width: 200px; padding: 4px }</style>`,
        `<main class="grid">${bricks}</main><script>const iso = new Isotope(".grid", { itemSelector: ".grid-item", layoutMode: "masonry" }); imagesLoaded(".grid").on("progress", () => iso.layout())</script>`,
      ),
  },
  {
    name: "tanstack-window",
    held: true,
    about: "300 rows in the document, of which those in the window exist",
    html: () =>
      page(
        `<style>.row { position: absolute; left: 0; right: 0; top: 0; height: 48px; box-sizing: border-box; border-bottom: 1px solid #bbb; padding: 8px }</style>`,
        `<main><h1>All rows</h1><div id="list" style="position: relative"></div></main><script>globalThis.process = { env: { NODE_ENV: "production" } }</script><script type="module">
        import { Virtualizer, elementScroll, observeWindowOffset, observeWindowRect, windowScroll } from "/npm/@tanstack/virtual-core/dist/esm/index.js";
        const list = document.getElementById("list"); const margin = list.offsetTop;
        const render = (virtualizer) => { list.style.height = virtualizer.getTotalSize() + "px"; list.replaceChildren(...virtualizer.getVirtualItems().map((item) => { const row = document.createElement("div"); row.className = "row"; row.style.transform = "translateY(" + (item.start - margin) + "px)"; row.textContent = "Row " + item.index + " of the list"; return row })) };
        const virtualizer = new Virtualizer({ count: 300, estimateSize: () => 48, overscan: 5, scrollMargin: margin, getScrollElement: () => window, observeElementRect: observeWindowRect, observeElementOffset: observeWindowOffset, scrollToFn: windowScroll, initialOffset: () => window.scrollY, onChange: render });
        virtualizer._didMount(); virtualizer._willUpdate(); render(virtualizer);</script>`,
      ),
  },
  {
    name: "react-window",
    held: true,
    about: "200 rows in a scroller, as the README's first example",
    html: () =>
      page(
        `${reactHead}<script src="/npm/react-window/dist/index-prod.umd.js"></script>`,
        `<h1 style="margin: 16px">A list</h1><div id="root"></div><script>const { createElement: h } = React;
        const Row = ({ index, style }) => h("div", { ${row} }, "Row " + index);
        ReactDOM.createRoot(document.getElementById("root")).render(h(ReactWindow.FixedSizeList, { className: "list", height: 600, itemCount: 200, itemSize: 35, width: "100%" }, Row));</script>`,
      ),
    scrolling: { inside: [".list"] },
  },
  {
    name: "virtua",
    about: "150 rows of unequal height in a scroller, as the README's first example",
    html: () =>
      page(
        reactHead,
        `<div id="root"></div><script type="module">import { VList } from "/npm/virtua/lib/index.js"; const { createElement: h } = React;
        ReactDOM.createRoot(document.getElementById("root")).render(h(VList, { className: "list", style: { height: 720 } }, Array.from({ length: 150 }, (_, index) => h("div", { key: index, style: { height: 40 + (index * 37) % 60, borderBottom: "solid 1px gray", background: "white" } }, "Row " + index))));</script>`,
      ),
    scrolling: { inside: [".list"] },
  },
  {
    name: "virtua-window",
    held: true,
    about: "150 rows of unequal height in the document",
    html: () =>
      page(
        reactHead,
        `<div id="root"></div><script type="module">import { WindowVirtualizer } from "/npm/virtua/lib/index.js"; const { createElement: h } = React;
        ReactDOM.createRoot(document.getElementById("root")).render(h(WindowVirtualizer, null, Array.from({ length: 150 }, (_, index) => h("div", { key: index, style: { height: 40 + (index * 37) % 60, borderBottom: "solid 1px gray", background: "white" } }, "Row " + index))));</script>`,
      ),
  },
  {
    name: "tabulator",
    about: "a table of 120 rows with the library's virtual DOM in a scroller",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/tabulator-tables/dist/css/tabulator.min.css"><script src="/npm/tabulator-tables/dist/js/tabulator.min.js"></script>`,
        `<main><div id="table"></div></main><script>new Tabulator("#table", { height: 500, layout: "fitColumns", columns: [{ title: "Name", field: "name" }, { title: "Age", field: "age", formatter: "progress" }, { title: "Favourite Color", field: "col" }], data: Array.from({ length: 120 }, (_, id) => ({ id, name: "Name " + id, age: (id * 7) % 100, col: ["red", "green", "blue"][id % 3] })) })</script>`,
      ),
    scrolling: { inside: [".tabulator-tableholder"] },
  },
  {
    name: "content-visibility",
    held: true,
    about: "sections that the browser skips until they are near, as its guide shows it",
    html: () =>
      page(
        `<style>.story { content-visibility: auto; contain-intrinsic-size: auto 300px }</style>`,
        `<main>${times(20, (index) => card(index, 'class="story"'))}</main>`,
      ),
  },
];
