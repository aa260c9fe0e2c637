/** browserless: `POST /screenshot`, `/pdf` and `/content`, also under `/chromium` and `/chrome`, `?token=`. */

import type { Members } from "../json-body.ts";
import { bestEffort, predicate, totalSeconds } from "./browserless-waits.ts";
import {
  as,
  bytesOf,
  type Door,
  type DoorRoute,
  type Entry,
  flag,
  type Given,
  ignored,
  into,
  isOn,
  listOf,
  NotServed,
  refused,
  refusedUnless,
  type Table,
} from "./door.ts";
import { seconds } from "./durations.ts";
import { globsOf } from "./globs.ts";
import { addTags, cookieLine, headerLines } from "./page-calls.ts";

const sumOfWaits = "the sum of all timeouts, with 30 s for the navigation by default, is the capture's `timeout`";
const timeout: Entry = into(
  ["timeout"],
  (value, given) => {
    if (!/^\d+(\.\d+)?$/.test(String(value))) throw new NotServed("it must be a number of milliseconds");
    return { timeout: totalSeconds(given) };
  },
  sumOfWaits,
);

const table: Table = {
  url: as("url"),
  html: as("html"),
  selector: as("selector"),
  "viewport.width": as("width"),
  "viewport.height": as("height"),
  "viewport.deviceScaleFactor": as("device_scale_factor"),
  "viewport.isMobile": as("is_mobile"),
  "viewport.hasTouch": as("has_touch"),
  "viewport.isLandscape": as("is_landscape"),
  "gotoOptions.waitUntil": as("wait_until", listOf),
  "gotoOptions.timeout": timeout,
  "gotoOptions.referer": into(["headers"], (value) => ({ headers: [`Referer: ${value}`] })),
  timeout,
  waitForTimeout: as("delay", seconds),
  "waitForSelector.selector": into(["wait_for_selector", "wait_for_hidden", "wait_for_function"], (value, given) => {
    if (isOn(given.bestAttempt)) return { wait_for_function: bestEffort(given) };
    return isOn(given["waitForSelector.hidden"]) ? { wait_for_hidden: value } : { wait_for_selector: value };
  }),
  "waitForSelector.hidden": flag(["wait_for_hidden"], (_isSet, given) => needs(given, "waitForSelector.selector")),
  "waitForSelector.visible": ignored("the element must be visible in any case"),
  "waitForSelector.timeout": timeout,
  "waitForFunction.fn": as(
    "wait_for_function",
    (fn, given) => (isOn(given.bestAttempt) ? bestEffort(given) : predicate(fn)),
    "an asynchronous function runs once, whatever it returns",
  ),
  "waitForFunction.polling": ignored("the function is called several times a second"),
  "waitForFunction.timeout": timeout,
  waitFor: refused("use waitForTimeout, waitForSelector or waitForFunction"),
  "waitForEvent.event": refused("use waitForFunction"),
  "waitForEvent.timeout": refused("use waitForFunction"),
  bestAttempt: flag(
    ["on_timeout", "wait_for_function"],
    (isSet) => ({ on_timeout: isSet ? "partial" : "error" }),
    "waits that time out, by their own `timeout` or 30 s, are passed over",
  ),
  scrollPage: as("full_page_scroll", undefined, "with `options.fullPage`"),
  addStyleTag: into(["styles", "scripts"], (value) => addTags("style", value)),
  addScriptTag: into(["scripts"], (value) => addTags("script", value)),
  setExtraHTTPHeaders: as("headers", headerLines, "sent to the target's origin only"),
  cookies: as("cookies", (value) => listOf(value).map(cookieLine)),
  "authenticate.username": into(["authorization"], (user, given) => {
    const text = `${user}:${given["authenticate.password"] ?? ""}`;
    return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
  }),
  "authenticate.password": into(["authorization"], (_password, given) => needs(given, "authenticate.username")),
  userAgent: as("user_agent"),
  emulateMediaType: as("media_type"),
  rejectResourceTypes: as("block_resources"),
  rejectRequestPattern: as("block_requests", patterns, "literal text, `.*`, `^`, `$` and alternatives"),
  setJavaScriptEnabled: as("javascript"),
  requestInterceptors: refused("answers can't be replaced"),
  blockAds: as("block_ads"),
  blockConsentModals: as("block_cookie_banners"),
  launch: refused("browsers are started by the service"),
  stealth: refusedUnless(["false"], "captures don't pretend to be another browser"),
  proxy: refused("captures leave from the service's own network"),
  trackingId: ignored("captures are in the history by their time"),
};

const screenshotTable: Table = {
  "options.type": as("format"),
  "options.quality": as("quality"),
  "options.fullPage": as("full_page"),
  "options.omitBackground": as("omit_background"),
  "options.clip.x": as("clip_x", rounded),
  "options.clip.y": as("clip_y", rounded),
  "options.clip.width": as("clip_width", rounded),
  "options.clip.height": as("clip_height", rounded),
  "options.clip.scale": refusedUnless([1], "use viewport.deviceScaleFactor"),
  "options.encoding": into([], (value) => {
    if (value === "binary" || value === "base64") return {};
    throw new NotServed("it is binary or base64");
  }),
  "options.captureBeyondViewport": ignored("a clip may be anywhere on the page"),
  "options.optimizeForSpeed": ignored("images are encoded for size"),
  "options.fromSurface": ignored("images are of the surface"),
  "options.path": refused("nothing is written to the service's disk"),
};

const pdfTable: Table = {
  "options.format": as("pdf_paper"),
  "options.width": as("pdf_width", length),
  "options.height": as("pdf_height", length),
  "options.landscape": as("pdf_landscape"),
  "options.printBackground": as("pdf_background"),
  "options.scale": as("pdf_scale"),
  "options.pageRanges": as("pdf_pages"),
  "options.displayHeaderFooter": flag(["pdf_header", "pdf_footer"]),
  "options.headerTemplate": into(["pdf_header"], (value, given) => (hasTemplates(given) ? { pdf_header: value } : {})),
  "options.footerTemplate": into(["pdf_footer"], (value, given) => (hasTemplates(given) ? { pdf_footer: value } : {})),
  ...Object.fromEntries(
    ["top", "right", "bottom", "left"].map((side) => [
      `options.margin.${side}`,
      as("pdf_margin", (_value, given) =>
        ["top", "right", "bottom", "left"].map((one) => length(given[`options.margin.${one}`] ?? 0)).join(","),
      ),
    ]),
  ),
  "options.preferCSSPageSize": flag(["pdf_paper"], undefined, "without `format`, `width` and `height`"),
  "options.tagged": ignored("PDFs are tagged"),
  "options.outline": ignored("PDFs have an outline"),
  "options.waitForFonts": ignored("fonts are waited for"),
  "options.timeout": timeout,
  "options.path": refused("nothing is written to the service's disk"),
};

const routes = ["", "/chromium", "/chrome"].flatMap((prefix): DoorRoute[] => [
  { method: "POST", path: `${prefix}/screenshot`, table: screenshotTable, defaults: () => ({ format: "png" }) },
  { method: "POST", path: `${prefix}/pdf`, table: pdfTable, defaults: paper },
  { method: "POST", path: `${prefix}/content`, defaults: () => ({ format: "html" }) },
]);

export const browserless: Door = {
  title: "browserless",
  reference: "https://docs.browserless.io/rest-apis",
  routes,
  keyName: "token",
  table,
  defaults: () => ({ width: 800, height: 600 }),
  async answer(body, { given, reply }) {
    reply.header("x-response-code", reply.getHeader("x-target-status")).header("x-response-url", reply.getHeader("x-target-url"));
    if (given["options.encoding"] !== "base64") return body;
    const text = (await bytesOf(body)).toString("base64");
    reply.header("content-type", "text/plain; charset=utf-8").header("content-length", text.length);
    return text;
  },
  failure: ({ code, status, message, details }) => {
    const lacksKey = details?.some(({ parameter }) => parameter === "api_key");
    const statuses: Partial<Record<typeof code, number>> = { invalid_api_key: 401, target_timeout: 408 };
    return { type: "text/plain; charset=utf-8", text: message, status: lacksKey ? 401 : (statuses[code] ?? status) };
  },
};

/** For a name that means nothing without another one. */
function needs(given: Given, name: string): Members {
  if (given[name] === undefined) throw new NotServed(`there is no ${name}`);
  return {};
}

function rounded(value: unknown): unknown {
  return typeof value === "number" ? Math.round(value) : value;
}

/** A number is in pixels. */
function length(value: unknown): unknown {
  return typeof value === "number" || /^[\d.]+$/.test(String(value)) ? `${value}px` : value;
}

function hasTemplates(given: Given): boolean {
  return isOn(given["options.displayHeaderFooter"]);
}

function paper(given: Given): Members {
  const hasSize = given["options.width"] || given["options.height"] || isOn(given["options.preferCSSPageSize"]);
  return { format: "pdf", pdf_background: false, pdf_margin: "0px", ...(hasSize ? {} : { pdf_paper: "Letter" }) };
}

function patterns(value: unknown): string[] {
  return listOf(value).flatMap((expression) => {
    const globs = globsOf(String(expression));
    if (globs) return globs;
    throw new NotServed(`${JSON.stringify(expression)} is more than literal text, .*, ^, $ and alternatives; use block_requests`);
  });
}
