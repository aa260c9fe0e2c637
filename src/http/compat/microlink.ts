/** Microlink: `GET /m/KEY/?url=…&screenshot=true`. */

import type { FastifyRequest } from "fastify";
import type { FailureCode } from "../../shared/errors.ts";
import type { Members } from "../input/json-body.ts";
import { queryOf } from "../input/request-target.ts";
import {
  type Adapter,
  as,
  asList,
  bytesOf,
  type Entry,
  flag,
  Invalid,
  ignored,
  into,
  type ProductParameters,
  refused,
  refusedUnless,
  type Table,
} from "./adapter.ts";
import { toSeconds } from "./conversions.ts";
import { desktop, desktops } from "./microlink-devices.ts";
import { addTags, scrollScript, viewport } from "./page-calls.ts";

const off = [false, "false", "0"];
const rendered = "only screenshots, PDFs and metadata are supported";

const table: Table = {
  url: as("url"),
  screenshot: flag(["format"], undefined, "`true`; implied by any `screenshot.*` parameter"),
  "screenshot.type": as("format"),
  "screenshot.quality": as("quality"),
  "screenshot.fullPage": as("full_page"),
  "screenshot.element": as("selector"),
  "screenshot.omitBackground": as("omit_background"),
  "screenshot.overlay.*": refused("images have no browser frame"),
  "overlay.*": refused("images have no browser frame"),
  "screenshot.codeScheme": refused("code is shown as on the page"),
  "screenshot.optimizeForSpeed": ignored("images are always optimized for size"),
  "screenshot.animated": refusedUnless(off, "use format=gif, webp-animation, webm or mp4 with /v1/screenshots/take"),
  pdf: flag(["format"]),
  "pdf.format": as("pdf_paper"),
  "pdf.width": as("pdf_width", length),
  "pdf.height": as("pdf_height", length),
  "pdf.landscape": as("pdf_landscape"),
  "pdf.margin": as("pdf_margin", length),
  ...Object.fromEntries(["top", "right", "bottom", "left"].map((side) => [`pdf.margin.${side}`, as("pdf_margin", margins)])),
  "pdf.scale": as("pdf_scale"),
  "pdf.pageRanges": as("pdf_pages"),
  "pdf.printBackground": as("pdf_background"),
  ...Object.fromEntries(
    ["embed", "stream"].map((name) => [
      name,
      as("response_type", embedded, "`screenshot.url` or `pdf.url`: the response is the file itself"),
    ]),
  ),
  meta: ignored("with a screenshot or PDF, `data` always has the page's title and URL; otherwise its metadata"),
  device: into(["viewport_device"], (name) => desktops.get(String(name).toLowerCase()) ?? { viewport_device: name }),
  ...viewport,
  adblock: flag(["block_ads", "block_trackers", "block_cookie_banners"], blocking, "on by default"),
  animations: flag(["disable_animations"], (isSet) => ({ disable_animations: !isSet })),
  click: as("click"),
  colorScheme: as("prefers_color_scheme"),
  mediaType: as("media_type"),
  javascript: as("javascript"),
  modules: refused("use scripts"),
  scripts: into(["scripts"], (value) => tags("script", value), "code, or URLs"),
  styles: into(["styles", "scripts"], (value) => tags("style", value), "rules, or URLs"),
  scroll: into(["scripts"], (value) => ({ scripts: `${scrollScript(value)}\n` })),
  timeout: as("timeout", toSeconds),
  waitForTimeout: as("delay", toSeconds),
  waitForSelector: as("wait_for_selector"),
  waitUntil: as("wait_until"),
  "headers.*": into(["headers"], (value, _given, name) => ({ headers: [`${name.slice("headers.".length)}: ${value}`] })),
  filename: as("attachment_name"),
  ttl: as("cache_ttl", age),
  staleTtl: into(["stale_while_revalidate"], (value) => (off.includes(String(value)) ? {} : { stale_while_revalidate: age(value) })),
  force: flag(["is_cached"], (isSet) => ({ is_cached: !isSet })),
  prerender: ignored("every page is rendered"),
  ping: ignored("links are not checked"),
  retry: ignored("a failure is returned immediately"),
  filter: refused("`data` is always sent in full"),
  "data.*": refused(rendered),
  function: refused("use scripts, or wait_for_function with /v1/screenshots/take"),
  proxy: as("proxy", undefined, "if the operator allows it"),
  ...Object.fromEntries(["click", "scripts", "styles", "waitUntil"].map((name) => [`${name}.*`, item(name)])),
  ...Object.fromEntries(["audio", "video", "iframe", "palette", "insights", "logo"].map((name) => [name, refusedUnless(off, rendered)])),
  "insights.*": refused(rendered),
};

/** Parameters that may be sent without a value. */
const flags =
  "screenshot screenshot.fullPage screenshot.omitBackground pdf pdf.landscape force insights audio video iframe palette logo".split(" ");

const codes: Partial<Record<FailureCode, string>> = {
  invalid_parameters: "EINVAL",
  invalid_url: "EINVALURL",
  invalid_api_key: "EAUTH",
  rate_limited: "ERATE",
  queue_full: "ERATE",
  target_timeout: "ETIMEOUT",
};

export const microlink: Adapter = {
  title: "Microlink",
  reference: "https://microlink.io/docs/api/getting-started/overview",
  about:
    "The key is in the path, or in `x-api-key`, where Microlink's client sends it: `mql(url, { endpoint: 'https://…/m/', apiKey: KEY })`. Responses are cached for a day unless `ttl` or `force` says otherwise, as with Microlink.",
  routes: [
    { method: "GET", path: "/m/:key" },
    { method: "GET", path: "/m" },
  ],
  keyName: "apiKey",
  keyOf: ({ params }) => (params as { key?: string }).key,
  table,
  readPath: bareFlags,
  defaults: (parameters) => ({
    ...(parameters.device ? {} : desktop(1280, 800)),
    ...blocking(true),
    ...(kindOf(parameters) === "pdf"
      ? { format: "pdf", pdf_margin: "0.35cm", pdf_scale: 0.6, pdf_outline: false, ...paper(parameters) }
      : {}),
    ...(kindOf(parameters) === "screenshot" ? { format: "png" } : {}),
    ...(kindOf(parameters) === "metadata" ? { format: "metadata" } : { response_type: "json" }),
    is_cached: true,
    cache_ttl: 86_400,
  }),
  async adaptResponse(body, { parameters, reply }) {
    if (parameters.embed || parameters.stream) return body;
    const found = JSON.parse((await bytesOf(body)).toString());
    const kind = kindOf(parameters);
    const data = kind === "metadata" ? metadataOf(found) : { title: found.title, url: found.target.url, [kind]: fileOf(found) };
    const statusCode = kind === "metadata" ? found.status : found.target.status;
    for (const name of ["content-length", "content-disposition", "etag"]) reply.removeHeader(name);
    reply.header("content-type", "application/json; charset=utf-8");
    return JSON.stringify({ status: "success", data, statusCode, redirects: [], headers: {} });
  },
  formatError: ({ code, message, status }) => ({
    type: "application/json; charset=utf-8",
    text: JSON.stringify({ status: "fail", code: codes[code] ?? "EFATAL", message, data: { url: message }, statusCode: status }),
  }),
};

/** Sets flags that have no value: `&screenshot&embed=screenshot.url`. */
function bareFlags(http: FastifyRequest): Members {
  const { parameters } = queryOf(http);
  return Object.fromEntries(flags.filter((name) => parameters[name]?.every((value) => value === "")).map((name) => [name, true]));
}

function kindOf(parameters: ProductParameters): "screenshot" | "pdf" | "metadata" {
  const isWanted = (name: string) =>
    Object.entries(parameters).some(
      ([own, value]) =>
        (own === name && !off.includes(String(value))) ||
        own.startsWith(`${name}.`) ||
        (["embed", "stream"].includes(own) && String(value).startsWith(name)),
    );
  return isWanted("screenshot") ? "screenshot" : isWanted("pdf") ? "pdf" : "metadata";
}

function embedded(value: unknown, parameters: ProductParameters): string {
  const kind = kindOf(parameters);
  if (kind !== "metadata" && (value === `${kind}.url` || value === kind)) return "image";
  throw new Invalid("must be screenshot.url for a screenshot, and pdf.url for a PDF");
}

function fileOf({ url, format, bytes, width, height }: Record<string, unknown>) {
  return { url, type: format, size: bytes, size_pretty: `${(Number(bytes) / 1000).toFixed(1)} kB`, width, height };
}

function metadataOf(found: Record<string, unknown>) {
  const { title, description, language, author, site_name, image, published, url, icons } = found;
  const [icon] = icons as { url: string }[];
  const [logo, picture] = [icon?.url, image].map((address) => (address ? { url: address } : null));
  return { title, description, lang: language, author, publisher: site_name, image: picture, date: published, url, logo };
}

function blocking(isSet: boolean): Members {
  return Object.fromEntries(["block_ads", "block_trackers", "block_cookie_banners"].map((name) => [name, isSet]));
}

function paper(parameters: ProductParameters): Members {
  return parameters["pdf.width"] || parameters["pdf.height"] ? {} : { pdf_paper: "A4" };
}

function margins(_value: unknown, parameters: ProductParameters): string {
  return ["top", "right", "bottom", "left"].map((side) => length(parameters[`pdf.margin.${side}`] ?? "0.35cm")).join(",");
}

/** Numbers without a unit are pixels. */
function length(value: unknown): unknown {
  return /^\d+(\.\d+)?$/.test(String(value)) ? `${value}px` : value;
}

/** A list item in the notation of Microlink's client: `scripts.0=…&scripts.1=…`. */
function item(name: string): Entry {
  const note = "a list item";
  if (name === "scripts") return into(["scripts"], (value) => tags("script", value), note);
  if (name === "styles") return into(["styles", "scripts"], (value) => tags("style", value), note);
  return name === "click" ? as("click", asList, note) : as("wait_until", asList, note);
}

/** Loads URLs; treats anything else as code. */
function tags(kind: "script" | "style", value: unknown): Members {
  const contents = asList(value).map((one) => (/^https?:\/\/\S+$/.test(String(one)) ? { url: one } : { content: one }));
  return addTags(kind, contents);
}

/** Converts a TTL to seconds; accepts Microlink's `min` and `max`. */
function age(value: unknown): unknown {
  if (value === "max") return 31 * 86_400;
  return value === "min" ? 60 : toSeconds(value);
}
