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
  ["a script of the request", () => red(""), (there) => ({ scripts: `location = "${there}"` })],
  ["a link that the request clicks", (there) => red(`<a id="a" href="${there}">go</a>`), () => ({ click: "#a" })],
  ["the navigation interface", (there) => red(script(`onload = () => navigation.navigate("${there}")`))],
  ["window.open", (there) => red(script(`name = "here"; open("${there}", "here")`))],
  ["a form", (there) => red(`<form method="post" action="${there}"></form>${script("document.forms[0].submit()")}`)],
  [
    "a form whose answer redirects",
    (there) => {
      site.serve({ "/posted": redirect(there, 307) });
      return red(`<form method="post" action="/posted"></form>${script("document.forms[0].submit()")}`);
    },
  ],
  ["a chain of redirects", () => redirect("/go", 301)],
  ["a redirect to its error page", () => redirect(`${other.origin}/missing`), () => ({ fail_on_status: "404" })],
  ["a meta refresh", (there) => red(`<meta http-equiv="refresh" content="0;url=${there}">`)],
  ["a Refresh header", (there) => withHeaders({ refresh: `0;url=${there}` }, red(""))],
  ["a Speculation-Rules header", speculationHeader],
  ["link prerender and prefetch", (there) => red(`<link rel="prerender" href="${there}">${script(`location = "${there}"`)}`)],
  ["a service worker's answer", (there) => red(serviceWorker(there, `Response.redirect("${there}")`))],
  ["a service worker that navigates its page", (there) => red(serviceWorker(there, "fetch(event.request)"))],
  ["a frame of it, clicked", (there) => red(framed(whenClicked(`top.location = "${there}"`))), clickFrame],
  ["a blob: page of its frame, clicked", () => red(framed(whenClicked(`top.location = ${blobOf(blue)}`))), clickFrame],
  ["about:blank by its frame, clicked", () => red(framed(whenClicked('top.location = "about:blank"'))), clickFrame],
  [
    "a blob: page of a frame without an origin",
    () => {
      const page = script(`top.location = ${blobOf(blue).replaceAll("</", "<\\/")}`);
      return red(frame(`sandbox="allow-scripts allow-top-navigation" srcdoc="${inAttribute(page)}"`));
    },
  ],
  ["history.back to the empty page before", () => red(script("onload = () => setTimeout(() => history.back())"))],
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

/** A page whose worker takes over; then it sends its page to `there`, or answers its next navigation with `answer`. */
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
  test(`a page of another site, reached by ${way}, is refused`, async () => {
    const there = `${other.origin}/`;
    assert.equal(await take(page(there), options?.(there)), "target_not_allowed");
  });
}

/** What belongs to the allowed site, in a form that could be mistaken for something else. */
const accepted: [name: string, page: () => Page, colour: string][] = [
  ["a blob: page of its own", () => red(script(`location = ${blobOf(colouredPage("#00ff00", end))}`)), "#00ff00"],
  ["what a javascript: address gives", () => red(script(`location = "javascript:'<body bgcolor=lime><p id=end>.'"`)), "#00ff00"],
  [
    "a page that its own policy puts into a sandbox",
    () => withHeaders({ "content-security-policy": "sandbox allow-scripts" }, red(end)),
    "#ff0000",
  ],
  [
    "a page that reloads itself",
    () => red(`${script("if (!sessionStorage.seen) { sessionStorage.seen = 1; location.reload() }")}${end}`),
    "#ff0000",
  ],
  ["a page that goes on to another page of it", () => red(script(`location = "/next"`)), "#00ff00"],
  ["a page that is all a frame of another site", () => red(frame(`src="${other.origin}/"`) + end), "#0000ff"],
];

for (const [name, page, colour] of accepted) {
  test(`a key bound to a site can capture ${name}`, async () => {
    site.serve({ "/next": colouredPage("#00ff00", end) });
    assert.equal(await take(page()), colour);
  });
}
