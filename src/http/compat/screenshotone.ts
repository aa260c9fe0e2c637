/** ScreenshotOne: `GET` and `POST /take?access_key=`. */

import type { FailureCode } from "../../shared/errors.ts";
import { errorBodyOf } from "../server/error-handler.ts";
import {
  type Adapter,
  as,
  bytesOf,
  flag,
  ignored,
  into,
  isOn,
  type ProductParameters,
  refused,
  refusedUnless,
  responseFlag,
  type Table,
} from "./adapter.ts";
import { scrollScript } from "./page-calls.ts";

const off = [false, "false", "0", "no"];
const same = (...names: string[]): Table => Object.fromEntries(names.map((name) => [name, as(name)]));
const all = (entry: Table[string], ...names: string[]): Table => Object.fromEntries(names.map((name) => [name, entry]));

const table: Table = {
  ...same("url", "html", "markdown", "styles", "selector", "error_on_selector_not_found", "omit_background", "media_type"),
  ...same("image_width", "image_height", "full_page", "full_page_scroll", "full_page_max_height"),
  ...same("clip_x", "clip_y", "clip_width", "clip_height", "hide_selectors", "click", "viewport_device", "device_scale_factor"),
  ...same("geolocation_latitude", "geolocation_longitude", "geolocation_accuracy"),
  ...same("block_cookie_banners", "block_chats", "block_ads", "block_trackers", "block_requests", "block_resources"),
  ...same("cache_ttl", "cache_key", "user_agent", "authorization", "headers", "cookies", "attachment_name", "bypass_csp", "time_zone"),
  ...same("delay", "timeout", "wait_until", "wait_for_selector", "pdf_landscape"),
  signature: as("signature", undefined, "the secret key is the API key's signing secret"),
  format: as("format", undefined, "gif is a recording of five seconds; jp2, tiff and heif are rejected"),
  response_type: as(
    "response_type",
    (value) => (value === "by_format" ? "image" : value),
    "`json` has `screenshot_url` in addition to our members",
  ),
  image_quality: as("quality"),
  viewport_width: as("width"),
  viewport_height: as("height"),
  viewport_mobile: as("is_mobile"),
  viewport_has_touch: as("has_touch"),
  viewport_landscape: as("is_landscape"),
  dark_mode: flag(["prefers_color_scheme"], (isDark) => ({ prefers_color_scheme: isDark ? "dark" : "light" })),
  reduced_motion: flag(["prefers_reduced_motion"], (isLess) => ({ prefers_reduced_motion: isLess ? "reduce" : "no-preference" })),
  cache: as("is_cached"),
  block_banners_by_heuristics: flag(["block_cookie_banners"], (isSet) => (isSet ? { block_cookie_banners: true } : {})),
  ignore_host_errors: flag(["fail_on_status"], undefined, "by default, a page with an error status is an error"),
  scripts: as("scripts"),
  scroll_into_view: as("scripts", (selector, parameters) => scrollScript(selector, Number(parameters.scroll_into_view_adjust_top) || 0)),
  scroll_into_view_adjust_top: into(["scripts"], () => ({})),
  pdf_print_background: as("pdf_background"),
  pdf_fit_one_page: as("pdf_single_page"),
  pdf_paper_format: as("pdf_paper"),
  ...all(as("pdf_margin", margins), "pdf_margin", "pdf_margin_top", "pdf_margin_right", "pdf_margin_bottom", "pdf_margin_left"),
  servers_region: ignored("captures run only where the service is installed"),
  scripts_wait_until: ignored("captures always wait for the page after running scripts"),
  navigation_timeout: ignored("timeout limits the whole capture"),
  ...all(
    ignored("the page is always scrolled as far, and for as long, as its content requires"),
    ...["full_page_scroll_delay", "full_page_scroll_by", "full_page_algorithm", "capture_beyond_viewport"],
    ...["selector_algorithm", "selector_scroll_into_view"],
  ),
  webhook_sign: ignored("webhook_url is not supported here"),
  storage_return_location: ignored("store is not supported here"),
  ...all(refusedUnless(off, "there is no such filter list"), "block_annoyances", "block_socials"),
  ...all(refusedUnless(off, "captures have no GPU"), "request_gpu_rendering", "fail_if_gpu_rendering_fails"),
  include_shadow_dom: refusedUnless(off, "format=mhtml includes the shadow roots"),
  error_on_click_selector_not_found: refusedUnless(["true", "1", true], "it is always an error if the element to click doesn't exist"),
  wait_for_selector_algorithm: refusedUnless(["at_least_one"], "the capture can wait for only one element"),
  hover: as("steps", (selector) => [{ hover: selector }]),
  error_on_hover_selector_not_found: refusedUnless(["true", "1", true], "it is always an error if the element to hover over doesn't exist"),
  full_page_slices: refusedUnless(off, "use slice_height with POST /v1/captures"),
  ...all(refused("use slice_height with POST /v1/captures"), "full_page_slice_height", "full_page_slice_overlap_height"),
  async: refusedUnless(off, "use async with POST /v1/captures"),
  ...all(refused("use webhook_url with POST /v1/captures"), "webhook_url", "webhook_errors", "external_identifier"),
  store: refusedUnless(off, "use destination with /v1/screenshots/take"),
  ...all(
    refused("use destination with /v1/screenshots/take"),
    ...["storage_bucket", "storage_path", "storage_endpoint", "storage_access_key_id", "storage_secret_access_key"],
    ...["storage_acl", "storage_class"],
  ),
  proxy: as("proxy", undefined, "if the operator allows it"),
  ip_country_code: as("country", undefined, "the countries for which the operator has configured a proxy"),
  proxy_bypass_hosts: refused("all connections of a capture go through its proxy"),
  ...all(refused("the service has no language model"), "vision_prompt", "vision_max_tokens", "openai_api_key"),
  ...all(
    refused("use fail_on_status or fail_on_verdict with /v1/screenshots/take"),
    ...["fail_if_content_contains", "fail_if_content_missing", "fail_if_request_failed"],
  ),
  metadata_http_response_status_code: responseFlag("in `X-ScreenshotOne-HTTP-Response-Status-Code`"),
  ...all(
    refusedUnless(off, "returned only in the response's `metadata`, with response_type=json", isJson),
    "metadata_image_size",
    "metadata_page_title",
  ),
  ...all(
    refusedUnless(off, "use format=metadata, or response_type=json with /v1/screenshots/take"),
    ...["metadata_fonts", "metadata_content", "metadata_open_graph", "metadata_http_response_headers", "metadata_icon"],
  ),
  metadata_content_format: refused("use format=markdown or format=html"),
};

function isJson(value: unknown, { response_type }: ProductParameters): boolean {
  return isOn(value) && response_type === "json";
}

/** The metadata that the request asked for. */
function metadataOf({ metadata_image_size, metadata_page_title }: ProductParameters, { width, height, title }: Record<string, unknown>) {
  const parts = {
    ...(isOn(metadata_image_size) ? { image_size: { width, height } } : {}),
    ...(isOn(metadata_page_title) ? { page_title: title } : {}),
  };
  return Object.keys(parts).length > 0 ? { metadata: parts } : {};
}

/** Numbers without a unit are pixels. */
function margins(_value: unknown, parameters: ProductParameters): string {
  const sides = ["top", "right", "bottom", "left"].map((side) => String(parameters[`pdf_margin_${side}`] ?? parameters.pdf_margin ?? 0));
  return sides.map((length) => (/^[\d.]+$/.test(length) ? `${length}px` : length)).join(",");
}

const codes: Partial<Record<FailureCode, string>> = {
  invalid_parameters: "request_not_valid",
  invalid_url: "request_not_valid",
  invalid_api_key: "access_key_invalid",
  signature_invalid: "signature_is_not_valid",
  quota_exceeded: "screenshots_limit_reached",
  rate_limited: "concurrency_limit_reached",
  queue_full: "concurrency_limit_reached",
  target_timeout: "timeout_error",
  connection_failed: "network_error",
  internal_error: "internal_application_error",
};

export const screenshotOne: Adapter = {
  title: "ScreenshotOne",
  reference: "https://screenshotone.com/docs/options/",
  routes: [
    { method: "GET", path: "/take" },
    { method: "POST", path: "/take" },
  ],
  keyName: "access_key",
  keyOf: ({ headers }) => headers["x-access-key"]?.toString(),
  isSigned: true,
  table,
  defaults: ({ viewport_device, ignore_host_errors }) => ({
    ...(viewport_device ? {} : { width: 1280, height: 1024 }),
    ...(isOn(ignore_host_errors) ? {} : { fail_on_status: ["400-599"] }),
    error_on_selector_not_found: false,
  }),
  async adaptResponse(body, { parameters, reply }) {
    const status = reply.getHeader("x-target-status");
    if (isOn(parameters.metadata_http_response_status_code) && status !== undefined)
      reply.header("x-screenshotone-http-response-status-code", status);
    if (parameters.response_type !== "json") return body;
    const found = JSON.parse((await bytesOf(body)).toString());
    for (const name of ["content-length", "etag"]) reply.removeHeader(name);
    return JSON.stringify({
      ...found,
      screenshot_url: found.url,
      ...(isOn(parameters.cache) ? { cache_url: found.url } : {}),
      ...metadataOf(parameters, found),
    });
  },
  formatError: (failure, { id }) => ({
    type: "application/json; charset=utf-8",
    text: JSON.stringify({
      is_successful: false,
      error_code: codes[failure.code] ?? failure.code,
      error_message: failure.message,
      ...errorBodyOf(failure, id),
    }),
  }),
};
