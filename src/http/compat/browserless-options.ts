/** The `options` object of browserless' routes, and the parameters specific to one route. */

import { exceedsBounds, type Members } from "../input/json-body.ts";
import {
  as,
  type Entry,
  flag,
  Invalid,
  ignored,
  into,
  isConvertible,
  isOn,
  type ProductParameters,
  refused,
  refusedUnless,
  type Table,
  Unsupported,
} from "./adapter.ts";
import { bestEffort, selectorsOf, totalSeconds, waitOptions } from "./browserless-waits.ts";

const sumOfWaits =
  "the capture's `timeout` is `timeout` or, if that isn't set, the sum of all other timeouts (30 s for navigation by default); at most 90 s";
/** One of browserless' timeouts, from which the capture's `timeout` is computed. */
export const timeout: Entry = into(
  ["timeout"],
  (value, parameters) => {
    if (!/^\d+(\.\d+)?$/.test(String(value))) throw new Invalid("must be a number, in milliseconds");
    return { timeout: totalSeconds(parameters) };
  },
  sumOfWaits,
);

export const screenshotTable: Table = {
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
    throw new Invalid("must be binary or base64");
  }),
  "options.captureBeyondViewport": ignored("a clip may be anywhere on the page"),
  "options.optimizeForSpeed": ignored("images are always optimized for size"),
  "options.fromSurface": ignored("images are always captured from the surface"),
  "options.path": refused("nothing is written to the service's disk"),
};

export const pdfTable: Table = {
  "options.format": as("pdf_paper"),
  "options.width": as("pdf_width", length),
  "options.height": as("pdf_height", length),
  "options.landscape": as("pdf_landscape"),
  "options.printBackground": as("pdf_background"),
  "options.scale": as("pdf_scale"),
  "options.pageRanges": as("pdf_pages"),
  "options.displayHeaderFooter": flag(
    ["pdf_header", "pdf_footer"],
    (isSet, parameters) => (isSet ? { pdf_header: defaultHeader, pdf_footer: defaultFooter, ...templatesIn(parameters) } : {}),
    "without templates: date and title, URL and page number",
  ),
  "options.headerTemplate": into(["pdf_header"], () => ({}), "only with `displayHeaderFooter`"),
  "options.footerTemplate": into(["pdf_footer"], () => ({}), "only with `displayHeaderFooter`"),
  ...Object.fromEntries(
    ["top", "right", "bottom", "left"].map((side) => [
      `options.margin.${side}`,
      as("pdf_margin", (_value, parameters) =>
        ["top", "right", "bottom", "left"].map((one) => length(parameters[`options.margin.${one}`] ?? 0)).join(","),
      ),
    ]),
  ),
  "options.preferCSSPageSize": flag(["pdf_paper"], undefined, "only if none of `format`, `width` and `height` is set"),
  "options.tagged": ignored("PDFs are always tagged"),
  "options.outline": as("pdf_outline"),
  "options.fullPage": into(
    ["pdf_single_page"],
    (value, parameters) => {
      if (isOn(value) && (parameters["options.height"] || parameters["options.format"]))
        throw new Invalid('is on: the "fullPage" option cannot be used with "height" or "format" options');
      return { pdf_single_page: value };
    },
    "for PDFs, only if neither `format` nor `height` is set",
  ),
  "options.omitBackground": ignored("PDF pages have no background of their own"),
  "options.waitForFonts": ignored("captures always wait for fonts"),
  "options.timeout": timeout,
  "options.path": refused("nothing is written to the service's disk"),
};

export const scrapeTable: Table = {
  elements: into(
    ["match_selectors", "wait_for_function", "timeout"],
    (elements, parameters) => ({
      match_selectors: selectorsOf(elements),
      wait_for_function: isOn(parameters.bestAttempt) ? bestEffort(parameters) : waitOptions(parameters),
      timeout: totalSeconds(parameters),
    }),
    "captures wait for each `selector`",
  ),
  debugOpts: refused("use /v1/screenshots/take with format=html, format=png or explain"),
};

function rounded(value: unknown): unknown {
  return typeof value === "number" ? Math.round(value) : value;
}

/** Numbers without a unit are pixels. */
function length(value: unknown): unknown {
  return typeof value === "number" || /^[\d.]+$/.test(String(value)) ? `${value}px` : value;
}

const line = "display: flex; justify-content: space-between; gap: 24px; width: 100%; padding: 0 24px; font: 8px sans-serif";
/** Like Chromium's own header and footer, which it prints if there are no templates. */
const defaultHeader = `<div style="${line}"><span class="date"></span><span class="title"></span><span></span></div>`;
const defaultFooter = `<div style="${line}"><span class="url"></span><span><span class="pageNumber"></span>/<span class="totalPages"></span></span></div>`;

function templatesIn(parameters: ProductParameters): Members {
  const [header, footer] = [parameters["options.headerTemplate"], parameters["options.footerTemplate"]];
  return { ...(header ? { pdf_header: header } : {}), ...(footer ? { pdf_footer: footer } : {}) };
}

/** Options of `launch` that are ignored, whatever their value. */
const harmless = new Set([
  ..."headless stealth timeout dumpio pipe devtools waitForInitialPage handleSIGINT handleSIGTERM handleSIGHUP".split(" "),
  ..."keepalive channel protocolTimeout".split(" "),
]);

/** Chromium flags that are ignored. */
const harmlessFlags =
  /^--(no-sandbox|disable-setuid-sandbox|disable-dev-shm-usage|disable-gpu|headless|hide-scrollbars|mute-audio|no-first-run|no-zygote|single-process|disable-background-[a-z-]+|disable-extensions|disable-infobars|disable-blink-features|disable-features|window-size|window-position|start-maximized|font-render-hinting|force-color-profile|disable-software-rasterizer|disable-accelerated-2d-canvas|disable-default-apps|disable-sync|disable-translate|metrics-recording-only)(=|$)/;

const argumentsMax = 100;

/**
 * Width and height from `defaultViewport`, and `block_ads`, if present.
 * @throws {Unsupported} if `value` can't be read or would change the browser.
 */
export function readLaunch(value: unknown): Members {
  const { args, defaultViewport, blockAds, ...others } = membersOf(value);
  for (const [name, own] of Object.entries(others)) {
    const isOff = own === false || own === null || own === 0 || own === "" || (Array.isArray(own) && own.length === 0);
    if (!harmless.has(name) && !isOff)
      throw new Unsupported(`${name.slice(0, 50)} would change the browser, which the service launches itself`);
  }
  for (const flag of argumentsOf(args))
    if (!harmlessFlags.test(flag))
      throw new Unsupported(`${flag.slice(0, 50)} would change the browser, which the service launches itself`);
  const { width, height } = Object(defaultViewport) as Members;
  return {
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...(isOn(blockAds) ? { block_ads: true } : {}),
  };
}

function argumentsOf(value: unknown = []): string[] {
  if (Array.isArray(value) && value.length <= argumentsMax) return value.map((one) => String(one).slice(0, 1_000));
  throw new Invalid(`must have a list of at most ${argumentsMax} strings as args`);
}

/** Accepts an object, JSON, or Base64-encoded JSON. */
function membersOf(value: unknown): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  const text = String(value).trim();
  const json = text.startsWith("{") ? text : Buffer.from(text, "base64").toString();
  try {
    const parsed: unknown = exceedsBounds(json) ? undefined : JSON.parse(json);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) && isConvertible(parsed)) return parsed as Members;
  } catch {
    // Rejected below.
  }
  throw new Invalid("must be a JSON object, plain or Base64-encoded");
}
