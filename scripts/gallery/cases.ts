/** The gallery's requests: one or more for every capture option. */

import { formats } from "../../src/shared/formats.ts";

export interface Case {
  /** Path of a page on the site, or base URL for a document that is sent with the request. */
  page: string;
  parameters: Record<string, string>;
  /** What to look for. */
  look: string;
}

const lower = { width: "1000", height: "600" };

/** Cases by option; several if one screenshot doesn't show the effect. */
export const cases: Record<string, Case[]> = {
  html: [{ page: "/", parameters: { html: "<h1>A caller's own page</h1>" }, look: "the heading" }],
  markdown: [
    {
      page: "/",
      parameters: { markdown: "# Own\n\n- [x] a list\n\n| a | table |\n| - | ----- |\n| 1 | 2 |" },
      look: "a heading, a list, a table",
    },
  ],
  base_url: [
    { page: "/facts", parameters: { html: '<iframe src="/" width="600" height="400"></iframe>' }, look: "the site's page in a frame" },
  ],
  width: [{ page: "/", parameters: { width: "700" }, look: "700 CSS pixels wide" }],
  height: [{ page: "/", parameters: { height: "300" }, look: "300 CSS pixels high" }],
  device_scale_factor: [{ page: "/", parameters: { ...lower, device_scale_factor: "2" }, look: "twice as many pixels, sharp text" }],
  is_mobile: [{ page: "/facts", parameters: { is_mobile: "true", width: "390", height: "844" }, look: "a mobile user agent and layout" }],
  has_touch: [{ page: "/facts", parameters: { has_touch: "true" }, look: "touch is true" }],
  is_landscape: [
    { page: "/facts", parameters: { is_mobile: "true", is_landscape: "true", width: "844", height: "390" }, look: "landscape orientation" },
  ],
  viewport_device: [
    { page: "/facts", parameters: { viewport_device: "iPhone 15 Pro" }, look: "the phone's viewport, scale and user agent" },
  ],
  format: formats.map((format) => ({ page: "/", parameters: { format }, look: `the page as ${format}` })),
  fit: [{ page: "/", parameters: { fit: "model", full_page: "true" }, look: "at most 1568 pixels on a side" }],
  max_width: [{ page: "/", parameters: { max_width: "400" }, look: "400 pixels wide" }],
  max_height: [{ page: "/", parameters: { max_height: "200" }, look: "200 pixels high" }],
  max_pixels: [{ page: "/", parameters: { max_pixels: "100000" }, look: "at most 100,000 pixels" }],
  max_bytes: [{ page: "/", parameters: { format: "jpeg", max_bytes: "20000" }, look: "at most 20 kB" }],
  slice_height: [
    { page: "/long", parameters: { full_page: "true", slice_height: "900" }, look: "the page in slices, cut between its parts and tiles" },
  ],
  slice_overlap: [
    {
      page: "/long",
      parameters: { full_page: "true", slice_height: "900", slice_overlap: "100" },
      look: "each starts with the last 100 rows of the previous one",
    },
  ],
  pdf_paper: [{ page: "/", parameters: { format: "pdf", pdf_paper: "A5" }, look: "A5" }],
  pdf_width: [{ page: "/", parameters: { format: "pdf", pdf_width: "15cm", pdf_height: "15cm" }, look: "square paper" }],
  pdf_landscape: [{ page: "/", parameters: { format: "pdf", pdf_landscape: "true" }, look: "landscape" }],
  pdf_margin: [{ page: "/", parameters: { format: "pdf", pdf_margin: "40mm,5mm,5mm,40mm" }, look: "wide margins at the top and the left" }],
  pdf_background: [{ page: "/", parameters: { format: "pdf", pdf_background: "false" }, look: "no background colors" }],
  match_selectors: [
    { page: "/", parameters: { format: "elements", match_selectors: "h1\na" }, look: "headings and links, with their HTML" },
  ],
  har_bodies: [{ page: "/", parameters: { format: "har", har_bodies: "text" }, look: "the page's requests, with the HTML" }],
  har_secrets: [
    {
      page: "/",
      parameters: { format: "har", cookies: "visit=1", har_secrets: "true" },
      look: "the page's requests, with the cookie",
    },
  ],
  pdf_outline: [{ page: "/", parameters: { format: "pdf", pdf_outline: "false" }, look: "no outline next to the pages" }],
  pdf_scale: [{ page: "/", parameters: { format: "pdf", pdf_scale: "0.5" }, look: "half the size" }],
  pdf_pages: [{ page: "/", parameters: { format: "pdf", pdf_pages: "1" }, look: "the first page alone" }],
  pdf_header: [
    {
      page: "/",
      parameters: {
        format: "pdf",
        pdf_margin: "2cm",
        pdf_header: '<p style="font-size:10px;margin:auto">Header of <span class="title"></span>',
      },
      look: "a header with the title",
    },
  ],
  pdf_footer: [
    {
      page: "/",
      parameters: {
        format: "pdf",
        pdf_margin: "2cm",
        pdf_footer: '<p style="font-size:10px;margin:auto"><span class="pageNumber"></span> of <span class="totalPages"></span>',
      },
      look: "page numbers",
    },
  ],
  pdf_single_page: [{ page: "/", parameters: { format: "pdf", pdf_single_page: "true" }, look: "one long page" }],
  quality: ["5", "90"].map((quality) => ({
    page: "/",
    parameters: { format: "jpeg", quality },
    look: quality === "5" ? "blocks" : "no blocks",
  })),
  omit_background: [{ page: "/transparent", parameters: { format: "png", omit_background: "true" }, look: "a transparent background" }],
  image_width: [{ page: "/", parameters: { image_width: "400" }, look: "400 pixels wide" }],
  image_height: [{ page: "/", parameters: { image_height: "200" }, look: "200 pixels high" }],
  prefers_color_scheme: [{ page: "/", parameters: { prefers_color_scheme: "dark" }, look: "dark" }],
  prefers_reduced_motion: [{ page: "/facts", parameters: { prefers_reduced_motion: "reduce" }, look: "motion is reduced" }],
  disable_animations: [
    { page: "/moving", parameters: { disable_animations: "true" }, look: "animations have ended, no caret" },
    { page: "/moving", parameters: { disable_animations: "false" }, look: "animations are running" },
  ],
  clock: [
    { page: "/facts", parameters: { clock: "2026-01-31T12:00:00Z" }, look: "31 January 2026, 12:00:00" },
    { page: "/late", parameters: { clock: "fast" }, look: "the late text" },
  ],
  media_type: [{ page: "/", parameters: { media_type: "print" }, look: "the print style: no header" }],
  time_zone: [{ page: "/facts", parameters: { time_zone: "Asia/Tokyo" }, look: "Asia/Tokyo" }],
  locale: [{ page: "/facts", parameters: { locale: "de-DE" }, look: "de-DE, 1.234.567,89 and the header" }],
  geolocation_latitude: [
    {
      page: "/facts",
      parameters: { geolocation_latitude: "59.3", geolocation_longitude: "18.1", geolocation_accuracy: "25" },
      look: "the position",
    },
  ],
  user_agent: [{ page: "/facts", parameters: { user_agent: "Gallery/1.0" }, look: "Gallery/1.0" }],
  headers: [{ page: "/facts", parameters: { headers: "X-Gallery: seen" }, look: "X-Gallery is seen" }],
  cookies: [{ page: "/facts", parameters: { cookies: "taste=sweet" }, look: "the cookie" }],
  authorization: [{ page: "/facts", parameters: { authorization: "Bearer gallery" }, look: "the header" }],
  block_ads: [{ page: "/commercial", parameters: { block_ads: "true" }, look: "no advertisement" }],
  block_trackers: [{ page: "/commercial", parameters: { block_trackers: "true" }, look: "no visible difference" }],
  block_cookie_banners: [{ page: "/commercial", parameters: { block_cookie_banners: "true" }, look: "no banner" }],
  block_chats: [{ page: "/commercial", parameters: { block_chats: "true" }, look: "no blue bubble" }],
  block_requests: [{ page: "/", parameters: { block_requests: "*/tile.svg*" }, look: "no images" }],
  block_resources: [{ page: "/", parameters: { block_resources: "image" }, look: "no images" }],
  hide_selectors: [{ page: "/", parameters: { hide_selectors: "header,h1" }, look: "no header, no heading" }],
  mask_selectors: [{ page: "/", parameters: { mask_selectors: "h1" }, look: "a black heading" }],
  mask: [{ page: "/", parameters: { mask_selectors: "h1,p", mask: "blur" }, look: "blurred lines of text" }],
  mask_color: [{ page: "/", parameters: { mask_selectors: "h1", mask_color: "ff8800" }, look: "an orange heading" }],
  fail_on_text: [{ page: "/", parameters: { fail_on_text: "/no such words/i" }, look: "no visible difference" }],
  fail_without_text: [{ page: "/", parameters: { fail_without_text: "/\\w/" }, look: "no visible difference" }],
  fail_on_console_error: [{ page: "/", parameters: { fail_on_console_error: "true" }, look: "no visible difference" }],
  fail_on_failed_request: [{ page: "/", parameters: { fail_on_failed_request: "*/api/* 500-599" }, look: "no visible difference" }],
  styles: [{ page: "/", parameters: { styles: "main{background:#ffe08a}" }, look: "a yellow page" }],
  scripts: [
    { page: "/", parameters: { scripts: "document.querySelector('h1').textContent='Written by a script'" }, look: "another heading" },
  ],
  click: [{ page: "/", parameters: { click: "#card button", selector: "#card" }, look: "the button was clicked" }],
  steps: [{ page: "/", parameters: { steps: '[{"click": "#card button"}]', selector: "#card" }, look: "the button was clicked" }],
  javascript: [{ page: "/late", parameters: { javascript: "false" }, look: "only dots" }],
  bypass_csp: [
    { page: "/policy", parameters: {}, look: "the page's script did not run" },
    { page: "/policy", parameters: { bypass_csp: "true" }, look: "it ran" },
  ],
  wait_until: ["domcontentloaded", "auto", "networkidle0"].map((wait_until) => ({
    page: "/late",
    parameters: { wait_until },
    look: wait_until === "domcontentloaded" ? "only dots" : "the late text",
  })),
  wait_until_timeout: [{ page: "/late", parameters: { wait_until_timeout: "0.1" }, look: "dots, and a warning" }],
  wait_for_selector: [{ page: "/late", parameters: { wait_until: "load", wait_for_selector: ".ready" }, look: "the late text" }],
  wait_for_hidden: [{ page: "/late", parameters: { wait_until: "load", wait_for_hidden: "p:not(.ready)" }, look: "the late text" }],
  wait_for_function: [
    { page: "/late", parameters: { wait_until: "load", wait_for_function: "document.querySelector('.ready')" }, look: "the late text" },
  ],
  wait_for_event: [
    { page: "/late", parameters: { wait_until: "load", wait_for_event: "load" }, look: "only dots: the event has been dispatched" },
  ],
  wait_for_event_timeout: [
    {
      page: "/late",
      parameters: { wait_until: "load", wait_for_event: "never", wait_for_event_timeout: "2", on_timeout: "partial" },
      look: "the late text, and a warning",
    },
  ],
  delay: [{ page: "/late", parameters: { wait_until: "load", delay: "1.5" }, look: "the late text" }],
  selector: [{ page: "/", parameters: { selector: "#card" }, look: "only the card" }],
  error_on_selector_not_found: [
    { page: "/", parameters: { selector: "#nowhere", error_on_selector_not_found: "false" }, look: "the viewport, and a warning" },
  ],
  clip_x: [{ page: "/", parameters: { clip_x: "190", clip_y: "190", clip_width: "500", clip_height: "200" }, look: "part of the grid" }],
  full_page: [{ page: "/long", parameters: { full_page: "true" }, look: "14 parts, the header once" }],
  full_page_scroll: [
    { page: "/long", parameters: { full_page: "true", full_page_scroll: "false" }, look: "only the parts that were in view" },
  ],
  full_page_max_height: [
    { page: "/long", parameters: { full_page: "true", full_page_max_height: "1500" }, look: "cut at 1500, and a warning" },
  ],
};

/** Options with no visible effect, or shown by another option's case. */
export const unseen = new Set([
  "url",
  "geolocation_longitude",
  "geolocation_accuracy",
  "clip_y",
  "clip_width",
  "clip_height",
  "pdf_height",
  "full_page_scroll_duration",
  "timeout",
  "session",
  "session_update",
  "destination",
  "country",
  "proxy",
  "compare_to",
  "explain",
  "on_timeout",
  "is_cached",
  "cache_ttl",
  "cache_key",
  "stale_while_revalidate",
  "stale_if_error",
  "error_image",
  "placeholder",
  "fail_on_status",
  "fail_on_verdict",
  "response_type",
  "attachment_name",
  "signature",
  "expires",
  "strict",
  "dry_run",
]);
