/** Ways that navigate a document to the secret: navigations, frames, popups, forms. */

import { click, markup, redirect, redirected, script, type Way } from "./way.ts";

const frameIn = (url: string) => `<iframe src="${url}"></iframe>`;

export const navigation: Way[] = [
  { name: "navigation", start: ({ secret }) => secret },
  { name: "navigation with credentials", start: ({ authority }) => `http://outer.example@${authority}/` },
  { name: "navigation to https", start: ({ authority }) => `https://${authority}/` },
  ...[301, 302, 307].map((status): Way => ({ name: `redirect ${status}`, files: (spot) => ({ "": redirect(spot, status) }) })),
  {
    name: "redirect after redirect",
    files: (spot) => ({ "": { status: 302, headers: { location: `${spot.outer}hop` } }, hop: redirect(spot) }),
  },
  { name: "Refresh header", files: ({ secret }) => ({ "": { headers: { refresh: `0;url=${secret}` }, body: "wait" } }) },
  markup("meta refresh", ({ secret }) => `<meta http-equiv=refresh content="0;url=${secret}">`),
  script("location.href", ({ secret }) => `location.href = "${secret}"`),
  script("navigation.navigate", ({ secret }) => `onload = () => navigation.navigate("${secret}")`),
  script("javascript: address", ({ secret }) => `location = "javascript:location.assign('${secret}')"`),
  { name: "data: page", start: ({ secret }) => `data:text/html,${encodeURIComponent(`<img src="${secret}">`)}` },
  script("blob: page", ({ secret }) => `location = URL.createObjectURL(new Blob(['<img src="${secret}">'], { type: "text/html" }))`),
  markup("base and a relative link", ({ secret }) => `<base href="${secret}"><a href=way>go</a><script>document.links[0].click()</script>`),

  markup("iframe", ({ secret }) => frameIn(secret)),
  redirected("iframe, redirected", () => frameIn("hop")),
  markup("iframe, sandboxed", ({ secret }) => `<iframe sandbox src="${secret}"></iframe>`),
  markup("iframe, credentialless", ({ secret }) => `<iframe credentialless src="${secret}"></iframe>`),
  markup("iframe srcdoc", ({ secret }) => `<iframe srcdoc="<img src='${secret}'>"></iframe>`),
  markup("iframe of data:", ({ secret }) => frameIn(`data:text/html,${encodeURIComponent(`<img src="${secret}">`)}`)),
  script(
    "iframe of blob:",
    ({ secret }) =>
      `const frame = document.body.appendChild(document.createElement("iframe"));
       frame.src = URL.createObjectURL(new Blob(['<img src="${secret}">'], { type: "text/html" }))`,
  ),
  { name: "frameset", files: ({ secret }) => ({ "": `<html><frameset cols=*><frame src="${secret}"></frameset></html>` }) },
  markup("object", ({ secret }) => `<object data="${secret}"></object>`),
  markup("object of a PDF", ({ secret }) => `<object type=application/pdf data="${secret}a.pdf"></object>`),
  markup("embed", ({ secret }) => `<embed src="${secret}" type=text/html>`),

  click("popup", ({ secret }) => `open("${secret}")`),
  click("popup without an opener", ({ secret }) => `open("${secret}", "_blank", "noopener")`),
  click("popup that navigates later", ({ secret }) => `open("about:blank").location = "${secret}"`),
  click("popup with markup from its opener", ({ secret }) => `open("").document.write('<img src="${secret}">')`),
  {
    ...markup("link that opens a new tab", ({ secret }) => `<a target=_blank href="${secret}">go</a>`),
    gesture: "document.links[0].click()",
  },
  {
    ...markup("link with a download attribute", ({ secret }) => `<a download href="${secret}">go</a>`),
    gesture: "document.links[0].click()",
  },
  {
    ...markup("link with a ping attribute", ({ secret }) => `<a ping="${secret}" href="#top">go</a>`),
    gesture: "document.links[0].click()",
  },
  markup("form, GET", ({ secret }) => `<form action="${secret}"></form><script>document.forms[0].submit()</script>`),
  markup("form, POST", ({ secret }) => `<form method=post action="${secret}"></form><script>document.forms[0].submit()</script>`),
  redirected("form, redirected POST", () => "<form method=post action=hop></form><script>document.forms[0].submit()</script>", 307),
  {
    ...markup("form that opens a new tab", ({ secret }) => `<form target=_blank action="${secret}"><button></button></form>`),
    gesture: "document.forms[0].requestSubmit()",
  },
];
