/** Generated sites, and documentation rendered in the browser. */

import type { FidelityCase } from "../case.ts";
import { page } from "./parts.ts";

export const siteCases: FidelityCase[] = [
  { name: "hexo-landscape", held: true, about: "a blog with Hexo's own theme", at: "/sites/hexo-landscape/index.html" },
  {
    name: "hexo-next",
    about: "a blog with the theme NexT, whose posts come in by animation",
    at: "/sites/hexo-next/index.html",
    edits: [
      [/https:\/\/cdnjs[^"]+animate\.min\.css/, "/npm/animate.css/animate.compat.css"],
      [/https:\/\/cdnjs[^"]+all\.min\.css/, "/npm/@fortawesome/fontawesome-free/css/all.min.css"],
    ],
  },
  {
    name: "hexo-fluid",
    about: "a blog with the theme Fluid: a parallax header, typed text, images that fade",
    at: "/sites/hexo-fluid/index.html",
    edits: [
      [/https:\/\/lib\.baomitu\.com\/twitter-bootstrap\/[^/]+\//, "/npm/bootstrap-4/dist/"],
      [/https:\/\/lib\.baomitu\.com\/jquery\/[^/]+\//, "/npm/jquery/dist/"],
      [/https:\/\/lib\.baomitu\.com\/nprogress\/[^/]+\/nprogress\.min/, "/npm/nprogress/nprogress"],
      [/https:\/\/lib\.baomitu\.com\/typed\.js\/[^"]+/, "/npm/typed.js/dist/typed.umd.js"],
    ],
  },
  {
    name: "hexo-butterfly",
    held: true,
    about: "a blog with the theme Butterfly: a preloader, cards, a header that hides",
    at: "/sites/hexo-butterfly/index.html",
  },
  { name: "vitepress", about: "the home of a VitePress site", at: "/sites/vitepress/index.html" },
  {
    name: "vitepress-guide",
    held: true,
    about: "a guide of a VitePress site with two side bars that stay",
    at: "/sites/vitepress/Getting-Started.html",
  },
  {
    name: "docsify",
    about: "documentation that Docsify fetches and makes in the browser",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/docsify/dist/themes/core.min.css">`,
        `<div id="app"></div><script>window.$docsify = { name: "Guides", basePath: "/npm/fastify/docs/Guides/", homepage: "Testing.md", loadSidebar: false, routerMode: "hash" }</script><script src="/npm/docsify/dist/docsify.min.js"></script>`,
      ),
  },
  {
    name: "swagger-ui",
    about: "the library's own page with an API of its own",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/swagger-ui-dist/swagger-ui.css"><script src="/npm/swagger-ui-dist/swagger-ui-bundle.js"></script>`,
        `<div id="swagger-ui"></div><script>SwaggerUIBundle({ url: "/sites/api.json", dom_id: "#swagger-ui" })</script>`,
      ),
  },
  {
    name: "redoc",
    about: "the element of the library's README: three columns, two of which stay",
    html: () => page("", `<redoc spec-url="/sites/api.json"></redoc><script src="/npm/redoc/bundles/redoc.standalone.js"></script>`),
    ignored: ".menu-content",
  },
];
