/** A key restricted to targets never gets a screenshot of another site, whatever the page or request does. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { colouredPage, type Page } from "../support/site.ts";
import { type BoundCaptures, blue, end, red, redirect, script, startBoundCaptures, withHeaders } from "./bound-captures.ts";

const scope = fileScope();
let site: BoundCaptures["site"];
let other: BoundCaptures["other"];
let take: BoundCaptures["take"];

before(async () => {
  ({ site, other, take } = await startBoundCaptures(scope));
});

type Attempt = [way: string, page: (there: string) => Page, options?: (there: string) => Record<string, string>];

const blobOf = (page: string) => `URL.createObjectURL(new Blob([${JSON.stringify(page)}], { type: "text/html" }))`;
const inAttribute = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const frame = (attributes: string) =>
  `<iframe id="f" ${attributes} style="border:0;position:fixed;inset:0;width:100%;height:100%"></iframe>`;
const whenClicked = (code: string) => `<body style="height:500px">${script(`onclick = () => { ${code} }`)}`;
const clickFrame = () => ({ click: "#f" });

const refused: Attempt[] = [
  ["location", (there) => red(script(`location = "${there}"`))],
  ["a script in the request", () => red(""), (there) => ({ scripts: `location = "${there}"` })],
  ["a link that the request clicks", (there) => red(`<a id="a" href="${there}">go</a>`), () => ({ click: "#a" })],
  ["the Navigation API", (there) => red(script(`onload = () => navigation.navigate("${there}")`))],
  ["window.open", (there) => red(script(`name = "here"; open("${there}", "here")`))],
  ["a form", (there) => red(`<form method="post" action="${there}"></form>${script("document.forms[0].submit()")}`)],
  [
    "a form whose response is a redirect",
    (there) => {
      site.serve({ "/posted": redirect(there, 307) });
      return red(`<form method="post" action="/posted"></form>${script("document.forms[0].submit()")}`);
    },
  ],
  ["a chain of redirects", () => redirect("/go", 301)],
  ["a redirect to the other site's error page", () => redirect(`${other.origin}/missing`), () => ({ fail_on_status: "404" })],
  ["a meta refresh", (there) => red(`<meta http-equiv="refresh" content="0;url=${there}">`)],
  ["a Refresh header", (there) => withHeaders({ refresh: `0;url=${there}` }, red(""))],
  ["a Speculation-Rules header", speculationHeader],
  ["link prerender and prefetch", (there) => red(`<link rel="prerender" href="${there}">${script(`location = "${there}"`)}`)],
  ["a service worker's response", (there) => red(serviceWorker(there, `Response.redirect("${there}")`))],
  ["a service worker that navigates its client", (there) => red(serviceWorker(there, "fetch(event.request)"))],
  ["a click in a frame of that site", (there) => red(framed(whenClicked(`top.location = "${there}"`))), clickFrame],
  ["a click that opens a blob: page in its frame", () => red(framed(whenClicked(`top.location = ${blobOf(blue)}`))), clickFrame],
  ["a click in a frame that navigates the page to about:blank", () => red(framed(whenClicked('top.location = "about:blank"'))), clickFrame],
  [
    "a blob: page made by a frame with an opaque origin",
    () => {
      const page = script(`top.location = ${blobOf(blue).replaceAll("</", "<\\/")}`);
      return red(frame(`sandbox="allow-scripts allow-top-navigation" srcdoc="${inAttribute(page)}"`));
    },
  ],
  ["history.back to the initial blank page", () => red(script("onload = () => setTimeout(() => history.back())"))],
];

function speculationHeader(there: string): Page {
  site.serve({
    "/rules.json": withHeaders(
      { "content-type": "application/speculationrules+json" },
      JSON.stringify({ prefetch: [{ urls: [there], eagerness: "immediate" }] }),
    ),
  });
  return withHeaders(
    { "speculation-rules": '"/rules.json"' },
    red(script(`onload = () => setTimeout(() => { location = "${there}" }, 300)`)),
  );
}

/**
 * A page with a service worker. Once the worker has taken control, it navigates its client to `there`, or answers the next navigation
 * with `answer`.
 */
function serviceWorker(there: string, answer: string): string {
  const code = `
    addEventListener("activate", (event) => event.waitUntil(clients.claim()));
    addEventListener("fetch", (event) => event.respondWith(${answer}));
    addEventListener("message", async () => { for (const client of await clients.matchAll()) client.navigate("${there}"); });`;
  site.serve({ "/worker.js": withHeaders({ "content-type": "text/javascript" }, code) });
  const then = answer.startsWith("fetch") ? "navigator.serviceWorker.controller.postMessage(1)" : 'location = "/anywhere"';
  return script(`navigator.serviceWorker.oncontrollerchange = () => { ${then} }; navigator.serviceWorker.register("/worker.js")`);
}

function framed(page: string): string {
  other.serve({ "/framed": page });
  return frame(`src="${other.origin}/framed"`);
}

for (const [way, page, options] of refused) {
  test(`a page on another site, reached by ${way}, is refused`, async () => {
    const there = `${other.origin}/`;
    assert.equal(await take(page(there), options?.(there)), "target_not_allowed");
  });
}

/** Pages of the allowed site that could be mistaken for another site's. */
const accepted: [name: string, page: () => Page, colour: string][] = [
  ["one of its own blob: pages", () => red(script(`location = ${blobOf(colouredPage("#00ff00", end))}`)), "#00ff00"],
  ["the result of a javascript: URL", () => red(script(`location = "javascript:'<body bgcolor=lime><p id=end>.'"`)), "#00ff00"],
  ["a page sandboxed by its own CSP", () => withHeaders({ "content-security-policy": "sandbox allow-scripts" }, red(end)), "#ff0000"],
  [
    "a page that reloads itself",
    () => red(`${script("if (!sessionStorage.seen) { sessionStorage.seen = 1; location.reload() }")}${end}`),
    "#ff0000",
  ],
  ["a page that navigates to another page of the same site", () => red(script(`location = "/next"`)), "#00ff00"],
  ["a page filled by a frame from another site", () => red(frame(`src="${other.origin}/"`) + end), "#0000ff"],
];

for (const [name, page, colour] of accepted) {
  test(`a key bound to a site can capture ${name}`, async () => {
    site.serve({ "/next": colouredPage("#00ff00", end) });
    assert.equal(await take(page()), colour);
  });
}
