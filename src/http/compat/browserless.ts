/** browserless: `POST /screenshot`, `/pdf`, `/content` and `/scrape`, also under `/chromium` and `/chrome`, with the key in `?token=`. */

import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { STATUS_CODES } from "../../shared/node-http.ts";
import { createPauses } from "../../shared/turns.ts";
import type { Members } from "../input/json-body.ts";
import {
  type Adapter,
  type AdapterRoute,
  as,
  asList,
  bytesOf,
  flag,
  ignored,
  inBase64,
  into,
  isOn,
  type ProductParameters,
  refused,
  type ServiceState,
  type Table,
  Unsupported,
} from "./adapter.ts";
import { pdfTable, readLaunch, scrapeTable, screenshotTable, timeout } from "./browserless-options.ts";
import { bestEffort, eventOptions, waitOptions } from "./browserless-waits.ts";
import { globsOf, toSeconds } from "./conversions.ts";
import { addTags, cookieLine, headerLines, viewport } from "./page-calls.ts";

const table: Table = {
  url: as("url"),
  html: as("html"),
  selector: as("selector"),
  ...viewport,
  "gotoOptions.waitUntil": as("wait_until", asList),
  "gotoOptions.timeout": timeout,
  "gotoOptions.referer": into(["headers"], (value) => ({ headers: [`Referer: ${value}`] })),
  timeout,
  waitForTimeout: as("delay", toSeconds),
  "waitForSelector.selector": into(["wait_for_hidden", "wait_for_function"], (value, parameters) => {
    if (isOn(parameters.bestAttempt)) return { wait_for_function: bestEffort(parameters) };
    return isOn(parameters["waitForSelector.hidden"]) ? { wait_for_hidden: value } : { wait_for_function: waitOptions(parameters) };
  }),
  "waitForSelector.hidden": flag(["wait_for_hidden"], (_isSet, parameters) => needs(parameters, "waitForSelector.selector")),
  "waitForSelector.visible": flag(["wait_for_hidden", "wait_for_function"], (_isSet, parameters) =>
    needs(parameters, "waitForSelector.selector"),
  ),
  "waitForSelector.timeout": timeout,
  "waitForFunction.fn": as(
    "wait_for_function",
    (_fn, parameters) => (isOn(parameters.bestAttempt) ? bestEffort(parameters) : waitOptions(parameters)),
    "an asynchronous function that resolves meets the condition, whatever it returns; one that rejects is called again",
  ),
  "waitForFunction.polling": ignored("the function is called several times a second"),
  "waitForFunction.timeout": timeout,
  waitFor: refused("use waitForTimeout, waitForSelector or waitForFunction"),
  "waitForEvent.event": into(
    ["wait_for_event", "wait_for_event_timeout"],
    (_event, parameters) => eventOptions(parameters),
    "an event on the document or window; one that was dispatched while the page loaded counts",
  ),
  "waitForEvent.timeout": timeout,
  bestAttempt: flag(
    ["on_timeout", "wait_for_function"],
    (isSet) => ({ on_timeout: isSet ? "partial" : "error" }),
    "waits that time out, after their own `timeout` or 30 s, are skipped",
  ),
  scrollPage: as("full_page_scroll", undefined, "with `options.fullPage`"),
  addStyleTag: into(["styles", "scripts"], (value) => addTags("style", value)),
  addScriptTag: into(["scripts"], (value) => addTags("script", value)),
  setExtraHTTPHeaders: as("headers", headerLines, "sent only to the target's origin"),
  cookies: as("cookies", (value) => asList(value).map(cookieLine)),
  "authenticate.username": into(["authorization"], (user, parameters) => {
    const text = `${user}:${parameters["authenticate.password"] ?? ""}`;
    return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
  }),
  "authenticate.password": into(["authorization"], (_password, parameters) => needs(parameters, "authenticate.username")),
  userAgent: as("user_agent", agentOf, "a string, or an object with `userAgent`; client hints are derived from the user agent"),
  emulateMediaType: as("media_type"),
  rejectResourceTypes: as("block_resources"),
  rejectRequestPattern: as("block_requests", patterns, "only literal text, `.*`, `^`, `$` and alternation"),
  setJavaScriptEnabled: as("javascript"),
  requestInterceptors: refused("responses can't be replaced"),
  blockAds: as("block_ads"),
  blockAdsInclude: refused("use block_requests"),
  blockConsentModals: as("block_cookie_banners"),
  launch: into(
    ["width", "height", "block_ads"],
    readLaunch,
    "JSON, plain or Base64-encoded; options that would change the browser are rejected by name",
  ),
  stealth: ignored("captures don't hide that the browser is automated"),
  proxy: refused("use country or proxy with /v1/screenshots/take"),
  profile: refused("use session with /v1/screenshots/take"),
  trackingId: ignored("captures are identified by `X-Screenshot-Id`"),
};

const routes = ["", "/chromium", "/chrome"].flatMap((prefix): AdapterRoute[] => [
  { method: "POST", path: `${prefix}/screenshot`, table: screenshotTable, defaults: () => ({ format: "png" }) },
  { method: "POST", path: `${prefix}/pdf`, table: pdfTable, defaults: paper },
  { method: "POST", path: `${prefix}/content`, defaults: () => ({ format: "html" }) },
  { method: "POST", path: `${prefix}/scrape`, table: scrapeTable, defaults: () => ({ format: "elements" }) },
]);

const plainText = "text/plain; charset=UTF-8";
const json = "application/json; charset=UTF-8";

export const browserless: Adapter = {
  title: "browserless",
  reference: "https://docs.browserless.io/rest-apis",
  routes,
  plainRoutes: [
    { path: "/pressure", respond: async (_reply, { load }) => ({ pressure: pressureResponse(load()) }) },
    { path: "/json/version", respond: async (_reply, { browser }) => versionResponse(browser()) },
  ],
  keyName: "token",
  table,
  defaults: () => ({ width: 800, height: 600 }),
  async adaptResponse(body, { parameters, reply }) {
    const code = reply.getHeader("x-target-status");
    reply.header("x-response-code", code).header("x-response-url", reply.getHeader("x-target-url"));
    reply.header("x-response-status", STATUS_CODES[Number(code)] ?? "");
    const type = String(reply.getHeader("content-type"));
    if (type.endsWith("charset=utf-8")) reply.header("content-type", type.replace("utf-8", "UTF-8")); // browserless' spelling
    if (parameters.elements !== undefined) return await scrapeResponse(body, reply);
    if (parameters["options.encoding"] !== "base64") return body;
    const length = Number(reply.getHeader("content-length"));
    reply.header("content-type", plainText).header("content-length", 4 * Math.ceil(length / 3));
    return inBase64(body as Buffer | Readable);
  },
  formatError: ({ code, status, message, details }, { headers }) => {
    const lacksKey = details?.some(({ parameter }) => parameter === "api_key");
    const statuses: Partial<Record<typeof code, number>> = { invalid_api_key: 401, target_timeout: 408 };
    const theirs = lacksKey ? 401 : (statuses[code] ?? status);
    const isJson = headers["content-type"]?.startsWith("application/json") && theirs !== 401 && theirs !== 429;
    return { ...(isJson ? { type: json, text: JSON.stringify({ error: message }) } : { type: plainText, text: message }), status: theirs };
  },
};

function agentOf(value: unknown): unknown {
  return typeof value === "object" ? (value as Members | null)?.userAgent : value;
}

/** Rejects a parameter that has no effect unless `name` is also set. */
function needs(parameters: ProductParameters, name: string): Members {
  if (parameters[name] === undefined) throw new Unsupported(`it requires ${name}`);
  return {};
}

function paper(parameters: ProductParameters): Members {
  const hasSize = parameters["options.width"] || parameters["options.height"] || isOn(parameters["options.preferCSSPageSize"]);
  return { format: "pdf", pdf_background: false, pdf_margin: "0px", pdf_outline: false, ...(hasSize ? {} : { pdf_paper: "Letter" }) };
}

/** Limits on a list of expressions, higher than those of `block_requests`. Converting 5,000 characters takes up to 20 ms. */
const patternsMax = { count: 100, length: 5_000 };

function patterns(value: unknown): string[] {
  const expressions = asList(value);
  const isFew = expressions.length <= patternsMax.count;
  if (!isFew || expressions.reduce<number>((sum, one) => sum + String(one).length, 0) > patternsMax.length)
    throw new Unsupported(`it may have at most ${patternsMax.count} expressions, with ${patternsMax.length} characters in total`);
  return expressions.flatMap((expression) => {
    const globs = globsOf(String(expression));
    if (globs) return globs;
    const cause = "can't be converted: use only literal text, .*, ^, $ and alternation, or block_requests with /v1/screenshots/take";
    throw new Unsupported(`${JSON.stringify(expression).slice(0, 200)} ${cause}`);
  });
}

/** Response body of `/scrape`, written in several turns of the event loop: it may have 5 MB. */
async function scrapeResponse(body: unknown, reply: FastifyReply): Promise<string> {
  const pause = createPauses();
  const { matches } = JSON.parse((await bytesOf(body)).toString()) as Matches;
  for (const name of ["content-length", "etag"]) reply.removeHeader(name);
  const data: string[] = [];
  for (const { selector, elements } of matches) {
    const results: string[] = [];
    for (const { attributes, html, text, box } of elements) {
      await pause();
      const { x: left, y: top, width, height } = box;
      results.push(JSON.stringify({ attributes, height, html, left, text, top, width }));
    }
    data.push(`{"selector":${JSON.stringify(selector)},"results":[${results.join()}]}`);
  }
  return `{"data":[${data.join()}],"debug":null}`;
}

/** Output of `format=elements` with `match_selectors`. */
interface Matches {
  matches: {
    selector: string;
    elements: { attributes: object[]; html: string; text: string; box: { x: number; y: number; width: number; height: number } }[];
  }[];
}

/** Load of this process. CPU and memory are not measured, so they are null. */
function pressureResponse({ running, waiting, runningMax, waitingMax }: ReturnType<ServiceState["load"]>) {
  const isFull = waiting >= waitingMax && running >= runningMax;
  return {
    date: Date.now(),
    isAvailable: !isFull,
    reason: isFull ? "full" : "",
    message: isFull ? "All browsers are busy, and the queue is full." : "",
    running,
    queued: waiting,
    maxConcurrent: runningMax,
    maxQueued: waitingMax,
    recentlyRejected: 0,
    cpu: null,
    memory: null,
  };
}

/** Omits the WebSocket address: browsers are lent on `CDP_PORT`, where this route includes it. */
function versionResponse(browser: ReturnType<ServiceState["browser"]>) {
  return { Browser: `Chrome/${browser?.version ?? "0"}`, "Protocol-Version": "1.3", "User-Agent": browser?.userAgent ?? "" };
}
