/** Ways in which a style sheet might reach the secret server. */

import { redirected, script, style, type Way } from "./way.ts";

export const styles: Way[] = [
  style("CSS background", ({ secret }) => `.a { background: url(${secret}) }`),
  style("CSS @import", ({ secret }) => `@import url(${secret}a.css);`),
  style("CSS font", ({ secret }) => `@font-face { font-family: f; src: url(${secret}a.woff2) } .a { font-family: f }`),
  redirected("CSS font, redirected", () => "<style>@font-face { font-family: f; src: url(hop) } body { font-family: f }</style>text"),
  style("CSS content", ({ secret }) => `.a::before { content: url(${secret}) }`),
  style("CSS image-set", ({ secret }) => `.a { background: image-set(url(${secret}) 1x) }`),
  style("CSS cursor", ({ secret }) => `.a { cursor: url(${secret}), auto }`),
  style("CSS mask", ({ secret }) => `.a { mask-image: url(${secret}) }`),
  style("CSS shape-outside", ({ secret }) => `.a { float: left; shape-outside: url(${secret}) }`),
  style("CSS clip-path", ({ secret }) => `.a { clip-path: url(${secret}a.svg#c) }`),
  script("FontFace", ({ secret }) => `new FontFace("f", "url(${secret}a.woff2)").load()`),
  script(
    "adopted style sheet",
    ({ secret }) =>
      `const sheet = new CSSStyleSheet(); sheet.replaceSync("body { background: url(${secret}) }"); document.adoptedStyleSheets = [sheet]`,
  ),
  script("paint worklet", ({ secret }) => `CSS.paintWorklet.addModule("${secret}a.js")`),
];
