/** Ways for markup, or a document's headers, to load from the secret. */

import { markup, redirected, type Way } from "./way.ts";

const header = (name: string, headers: (secret: string) => Record<string, string>, body = ""): Way => ({
  name,
  files: ({ secret }) => ({ "": { headers: headers(secret), body: `<!doctype html><body>${body}` } }),
});

const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg" width=9 height=9>${content}</svg>`;

export const markups: Way[] = [
  markup("img", ({ secret }) => `<img src="${secret}">`),
  redirected("img, redirected", () => "<img src=hop>"),
  markup("img srcset", ({ secret }) => `<img srcset="${secret} 1x">`),
  markup("img, lazy", ({ secret }) => `<img loading=lazy src="${secret}">`),
  markup("picture", ({ secret }) => `<picture><source srcset="${secret}"><img></picture>`),
  markup("body background", ({ secret }) => `<table background="${secret}"><tr><td>a</table>`),
  markup("video", ({ secret }) => `<video autoplay muted src="${secret}a.webm"></video>`),
  markup("video poster", ({ secret }) => `<video poster="${secret}"></video>`),
  markup("audio", ({ secret }) => `<audio preload=auto src="${secret}a.ogg"></audio>`),
  markup("track", ({ secret }) => `<video crossorigin=anonymous><track default kind=captions src="${secret}a.vtt"></video>`),
  {
    name: "video playlist",
    files: ({ secret }) => ({
      "": "<!doctype html><body><video autoplay muted src=list.m3u8></video>",
      "list.m3u8": `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${secret}a.ts\n#EXT-X-ENDLIST\n`,
    }),
  },

  markup("script", ({ secret }) => `<script src="${secret}"></script>`),
  redirected("script, redirected", () => "<script src=hop></script>"),
  markup("module script", ({ secret }) => `<script type=module src="${secret}"></script>`),
  markup(
    "import map",
    ({ secret }) => `<script type=importmap>{"imports":{"a":"${secret}a.js"}}</script><script type=module>import "a"</script>`,
  ),
  markup("style sheet", ({ secret }) => `<link rel=stylesheet href="${secret}a.css">`),
  redirected("style sheet, redirected", () => "<link rel=stylesheet href=hop>"),
  markup("alternate style sheet", ({ secret }) => `<link rel="alternate stylesheet" title=a href="${secret}a.css">`),
  markup("preload", ({ secret }) => `<link rel=preload as=image href="${secret}">`),
  markup("preload of a font", ({ secret }) => `<link rel=preload as=font crossorigin href="${secret}">`),
  markup("modulepreload", ({ secret }) => `<link rel=modulepreload href="${secret}a.js">`),
  markup("prefetch", ({ secret }) => `<link rel=prefetch href="${secret}">`),
  redirected("prefetch, redirected", () => "<link rel=prefetch href=hop>"),
  markup("preconnect", ({ secret }) => `<link rel=preconnect href="${secret}">`),
  markup(
    "speculation rules, prefetch",
    ({ secret }) => `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${secret}"],"eagerness":"immediate"}]}</script>`,
  ),
  markup(
    "speculation rules, prerender",
    ({ secret }) => `<script type=speculationrules>{"prerender":[{"source":"list","urls":["${secret}"],"eagerness":"immediate"}]}</script>`,
  ),
  redirected(
    "speculation rules, redirected",
    ({ outer }) => `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${outer}hop"],"eagerness":"immediate"}]}</script>`,
  ),

  markup("SVG image", ({ secret }) => svg(`<image href="${secret}" width=9 height=9 />`)),
  markup("SVG feImage", ({ secret }) => svg(`<filter id=f><feImage href="${secret}"/></filter><rect width=9 height=9 filter="url(#f)"/>`)),
  markup("SVG script", ({ secret }) => svg(`<script href="${secret}"/>`)),
  {
    name: "SVG document",
    start: ({ outer }) => `${outer}page.svg`,
    files: ({ secret }) => ({ "page.svg": `<svg xmlns="http://www.w3.org/2000/svg"><image href="${secret}" width="9" height="9"/></svg>` }),
  },
  {
    name: "XML style sheet",
    start: ({ outer }) => `${outer}page.xml`,
    files: ({ secret }) => ({ "page.xml": `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="${secret}a.css"?><page/>` }),
  },

  header("Link header, preload", (secret) => ({ link: `<${secret}>; rel=preload; as=image` })),
  header("Link header, prefetch", (secret) => ({ link: `<${secret}>; rel=prefetch` })),
  header("policy report-uri", (secret) => ({ "content-security-policy": `img-src 'none'; report-uri ${secret}` }), "<img src=a.png>"),
];
