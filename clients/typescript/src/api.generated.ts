/** Types of the API. Generated from openapi.yaml by `npm run generate`; do not edit. */

/** Options of the page and of the part of it that is shown. */
export interface PageOptions {
  /** Width of the viewport in CSS pixels. @default 1280 */
  width?: number;
  /** Height of the viewport in CSS pixels. @default 720 */
  height?: number;
  /** Device pixels per CSS pixel. `2` doubles the image's width and height, as on a high-density screen. @default 1 */
  device_scale_factor?: number;
  /** Lay out the page as on a mobile phone: its `viewport` meta tag applies, and the user agent and client hints are those of mobile Chromium unless `user_agent` is given. @default false */
  is_mobile?: boolean;
  /** Emulate a touch screen: touch events, and `pointer: coarse` in media queries. @default false */
  has_touch?: boolean;
  /** Landscape orientation. Swaps the sides of a `viewport_device`, but not an explicit `width` and `height`. @default false */
  is_landscape?: boolean;
  /** Device preset for the six parameters above and the user agent. Explicit values take precedence, unless all six are sent with their default values, as generated clients do. */
  viewport_device?: "Blackberry PlayBook" | "Blackberry PlayBook landscape" | "BlackBerry Z30" | "BlackBerry Z30 landscape" | "Galaxy Note 3" | "Galaxy Note 3 landscape" | "Galaxy Note II" | "Galaxy Note II landscape" | "Galaxy S III" | "Galaxy S III landscape" | "Galaxy S5" | "Galaxy S5 landscape" | "Galaxy S8" | "Galaxy S8 landscape" | "Galaxy S9+" | "Galaxy S9+ landscape" | "Galaxy Tab S4" | "Galaxy Tab S4 landscape" | "iPad" | "iPad landscape" | "iPad (gen 6)" | "iPad (gen 6) landscape" | "iPad (gen 7)" | "iPad (gen 7) landscape" | "iPad Mini" | "iPad Mini landscape" | "iPad Pro" | "iPad Pro landscape" | "iPad Pro 11" | "iPad Pro 11 landscape" | "iPhone 4" | "iPhone 4 landscape" | "iPhone 5" | "iPhone 5 landscape" | "iPhone 6" | "iPhone 6 landscape" | "iPhone 6 Plus" | "iPhone 6 Plus landscape" | "iPhone 7" | "iPhone 7 landscape" | "iPhone 7 Plus" | "iPhone 7 Plus landscape" | "iPhone 8" | "iPhone 8 landscape" | "iPhone 8 Plus" | "iPhone 8 Plus landscape" | "iPhone SE" | "iPhone SE landscape" | "iPhone SE (3rd gen)" | "iPhone SE (3rd gen) landscape" | "iPhone X" | "iPhone X landscape" | "iPhone XR" | "iPhone XR landscape" | "iPhone 11" | "iPhone 11 landscape" | "iPhone 11 Pro" | "iPhone 11 Pro landscape" | "iPhone 11 Pro Max" | "iPhone 11 Pro Max landscape" | "iPhone 12" | "iPhone 12 landscape" | "iPhone 12 Pro" | "iPhone 12 Pro landscape" | "iPhone 12 Pro Max" | "iPhone 12 Pro Max landscape" | "iPhone 12 Mini" | "iPhone 12 Mini landscape" | "iPhone 13" | "iPhone 13 landscape" | "iPhone 13 Pro" | "iPhone 13 Pro landscape" | "iPhone 13 Pro Max" | "iPhone 13 Pro Max landscape" | "iPhone 13 Mini" | "iPhone 13 Mini landscape" | "iPhone 14" | "iPhone 14 landscape" | "iPhone 14 Plus" | "iPhone 14 Plus landscape" | "iPhone 14 Pro" | "iPhone 14 Pro landscape" | "iPhone 14 Pro Max" | "iPhone 14 Pro Max landscape" | "iPhone 15" | "iPhone 15 landscape" | "iPhone 15 Plus" | "iPhone 15 Plus landscape" | "iPhone 15 Pro" | "iPhone 15 Pro landscape" | "iPhone 15 Pro Max" | "iPhone 15 Pro Max landscape" | "iPhone 16" | "iPhone 16 landscape" | "iPhone 16 Plus" | "iPhone 16 Plus landscape" | "iPhone 16 Pro" | "iPhone 16 Pro landscape" | "iPhone 16 Pro Max" | "iPhone 16 Pro Max landscape" | "iPhone 16e" | "iPhone 16e landscape" | "iPhone 17" | "iPhone 17 landscape" | "iPhone Air" | "iPhone Air landscape" | "iPhone 17 Pro" | "iPhone 17 Pro landscape" | "iPhone 17 Pro Max" | "iPhone 17 Pro Max landscape" | "iPhone 17e" | "iPhone 17e landscape" | "JioPhone 2" | "JioPhone 2 landscape" | "Kindle Fire HDX" | "Kindle Fire HDX landscape" | "LG Optimus L70" | "LG Optimus L70 landscape" | "Microsoft Lumia 550" | "Microsoft Lumia 950" | "Microsoft Lumia 950 landscape" | "Nexus 10" | "Nexus 10 landscape" | "Nexus 4" | "Nexus 4 landscape" | "Nexus 5" | "Nexus 5 landscape" | "Nexus 5X" | "Nexus 5X landscape" | "Nexus 6" | "Nexus 6 landscape" | "Nexus 6P" | "Nexus 6P landscape" | "Nexus 7" | "Nexus 7 landscape" | "Nokia Lumia 520" | "Nokia Lumia 520 landscape" | "Nokia N9" | "Nokia N9 landscape" | "Pixel 2" | "Pixel 2 landscape" | "Pixel 2 XL" | "Pixel 2 XL landscape" | "Pixel 3" | "Pixel 3 landscape" | "Pixel 4" | "Pixel 4 landscape" | "Pixel 4a (5G)" | "Pixel 4a (5G) landscape" | "Pixel 5" | "Pixel 5 landscape" | "Moto G4" | "Moto G4 landscape";
  /** Length of a recording in seconds, by default 5. A recording costs one screenshot for every 5 seconds or part thereof. */
  duration?: number;
  /** Frames per second of a recording, by default 25 in webm and mp4 and 10 in animations; at most 50 in a gif. Capturing each frame takes about as long as a screenshot of a page that is ready. */
  fps?: number;
  /** `down`: scrolls smoothly from the top of the page to the bottom during a recording, pausing at sections if there is time. */
  scroll?: "down";
  /** Emulated `prefers-color-scheme`. Browsers treat `no-preference` as `light`. @default "light" */
  prefers_color_scheme?: "light" | "dark" | "no-preference";
  /** Emulated `prefers-reduced-motion`. @default "no-preference" */
  prefers_reduced_motion?: "no-preference" | "reduce";
  /** Make screenshots reproducible: finite animations and transitions jump to their end, infinite ones are paused at their start, or where they show the most content if they start out hidden; videos show their first frame, animated images stop, and the text cursor is hidden. `false` captures the page in motion. @default true */
  disable_animations?: boolean;
  /** CSS media type that the page is rendered with. By default `print` with `format=pdf`, otherwise `screen`. */
  media_type?: "screen" | "print";
  /** Locale of the browser, as a BCP 47 language tag: sets the `Accept-Language` header and how scripts format dates and numbers. @default "en-US" */
  locale?: string;
  /** Emulated latitude in degrees; requires `geolocation_longitude`. Without both, the page has no location. */
  geolocation_latitude?: number;
  /** Emulated longitude in degrees; requires `geolocation_latitude`. */
  geolocation_longitude?: number;
  /** Accuracy of the location in meters. Ignored without a location. @default 10 */
  geolocation_accuracy?: number;
  /** User agent, with matching client hints; by default, Chromium's own. Takes precedence over the user agent of `viewport_device`. */
  user_agent?: string;
  /** Headers to send to the target's origin: `Name: Value`, one per line. At most 8192 characters in total. */
  headers?: string[] | Record<string, string>;
  /** `Authorization` header to send to the target's origin. Takes precedence over an `Authorization` line in `headers`. */
  authorization?: string;
  /** Cookies to set before the page loads, in `Set-Cookie` syntax, one per line. Without `Domain`, a cookie is set for the target's host. At most 4096 characters in total. */
  cookies?: string[] | Record<string, string>;
  /** Name of a session that was saved with `POST /v1/sessions`. Its cookies and storage are restored before the first request; changes to them are discarded unless `session_update` is set. Not available to keys that are restricted to domains. */
  session?: string;
  /** After the capture, save the cookies, and the `localStorage` of the captured page's origin, to the session, unless the page is a sign-in page. Nothing is saved if the screenshot comes from the cache. @default false */
  session_update?: boolean;
  /** CSS to add to the page once it is ready, at most 64 KB. Not subject to the page's Content-Security-Policy. */
  styles?: string;
  /** JavaScript to run in the page once it is ready, at most 64 KB; top-level `await` is supported. Not subject to the page's Content-Security-Policy. If it throws, the page is still captured, with a warning. */
  scripts?: string;
  /** CSS selectors of elements to click in order, once the page is ready and `styles` and `scripts` have been applied. The capture fails if any of these elements isn't visible within 3 seconds. If a click navigates, the new page is captured. */
  click?: string[];
  /** Ignore the page's Content-Security-Policy. The server logs every use. @default false */
  bypass_csp?: boolean;
  /** Steps to perform, in order. The capture fails if an element to act on isn't visible within 3 seconds; `wait` waits for its element until `timeout`. */
  steps?: (Record<string, string | number>)[];
  /** CSS selector of elements that must be hidden or removed before the capture: no matching element may be visible. */
  wait_for_hidden?: string;
  /** JavaScript expression that must become true before the capture, or a function that must return a truthy value; promises are awaited. It is evaluated in the page several times a second. An exception counts as false, except that two kinds of `DOMException` end the wait: `TimeoutError` with the error `target_timeout`, and `AbortError` with `invalid_parameters`. */
  wait_for_function?: string;
  /** Type of an event that must have been dispatched on the document or the window, or have reached them from an element, before the capture. Events since the document began to load count. */
  wait_for_event?: string;
  /** Seconds after which the wait for `wait_for_event` ends: with the error `target_timeout` or, with `on_timeout=partial`, with a warning. If unset, only `timeout` limits it. */
  wait_for_event_timeout?: number;
  /** Events to wait for. If several are given, waits for all of them. `auto` waits until the page is visually complete: it has loaded, no pending request is about to change it, its fonts and the images in view have loaded, and its layout is stable. It also waits up to 2 seconds after the load event for charts, counters and typing animations that scripts are drawing, for preloaders and skeletons, and for content that the page marks as loading, and up to 1 second for empty elements that scripts may fill. Refreshes by a `meta` element or a header, with a delay of up to 2 seconds, are followed. Background traffic, such as polling, doesn't delay the capture. `load` and `domcontentloaded` are the page's events; `networkidle0` waits for half a second without connections, `networkidle2` for half a second with at most two. @default ["auto"] */
  wait_until?: ("auto" | "load" | "domcontentloaded" | "networkidle0" | "networkidle2")[];
  /** Seconds after which `auto`, `networkidle0` and `networkidle2` stop waiting and the page is captured in its current state, with a warning. `styles`, `scripts`, `click`, `steps`, `wait_for_hidden`, `wait_for_function` and `wait_for_event` restart this wait. @default 5 */
  wait_until_timeout?: number;
  /** CSS selector of an element that must become visible before the capture. */
  wait_for_selector?: string;
  /** Additional seconds to wait once the page is ready. @default 0 */
  delay?: number;
  /** Run the page's scripts. `false` shows the page as browsers without JavaScript do, including the content of `<noscript>`. @default true */
  javascript?: boolean;
  /** Block ads and collapse the space that they would take, using AdGuard's filter lists and EasyList. These lists don't hide anything on `localhost`, `127.0.0.1` and `192.168.*`. @default false */
  block_ads?: boolean;
  /** Block trackers and analytics, using AdGuard's Tracking Protection list, which includes EasyPrivacy. @default false */
  block_trackers?: boolean;
  /** Remove cookie banners: hide them with AdGuard's Cookie Notices list, and reject cookies in consent dialogs that are known or have an obvious reject button. Cookies are never accepted. If a banner has locked scrolling, scrolling is unlocked. @default false */
  block_cookie_banners?: boolean;
  /** Block chat and support widgets. @default false */
  block_chats?: boolean;
  /** Block requests whose URL matches: at most 100 patterns, one per line, 4096 characters in total. A pattern without `/` matches a host and its subdomains, or the last part of the path, such as `*.png`. Any other pattern is compared with the whole URL, or with the part that starts at the host or the path. `*` is a wildcard. The page itself is never blocked. At most 4096 characters in total. */
  block_requests?: string[];
  /** Block resources of these types. `document` blocks frames, never the page itself; `xhr` and `fetch` are equivalent: each blocks both. `websocket` applies to pages and frames, but not to workers. */
  block_resources?: ("document" | "stylesheet" | "image" | "media" | "font" | "script" | "texttrack" | "xhr" | "fetch" | "prefetch" | "eventsource" | "websocket" | "manifest" | "signedexchange" | "ping" | "cspviolationreport" | "preflight" | "other")[];
  /** CSS selectors of elements to hide (`display: none`), one selector or selector list per line. Also applies inside open shadow roots and same-origin frames. At most 8192 characters in total. */
  hide_selectors?: string[];
  /** CSS selector: the screenshot shows the first visible match, with its lazy-loaded content. Takes precedence over `clip_…` and `full_page`. */
  selector?: string;
  /** Fail if no visible element matches `selector`. `false` falls back to the viewport, with a warning. @default true */
  error_on_selector_not_found?: boolean;
  /** Left edge of the rectangle to capture, in CSS pixels from the page's left edge. The rectangle may lie outside the viewport. Requires `clip_y`, `clip_width` and `clip_height`. Takes precedence over `full_page`. */
  clip_x?: number;
  /** Top edge of the rectangle, in CSS pixels from the top of the page. */
  clip_y?: number;
  /** Width of the rectangle in CSS pixels. Any part outside the page is cut off, with a warning. */
  clip_width?: number;
  /** Height of the rectangle in CSS pixels. */
  clip_height?: number;
  /** Capture the whole page instead of the viewport. If one large element scrolls instead of the page, as in many web applications, it is expanded to its full height. Fixed elements appear once, at their position before scrolling; those at the bottom of the window appear at the bottom of the page. Empty fixed backdrops behind the content and translucent fixed layers over it are extended to cover the whole page. @default false */
  full_page?: boolean;
  /** Scroll through the page before a `full_page` capture, to load lazy content and to reveal what appears on scroll. @default true */
  full_page_scroll?: boolean;
  /** Maximum time, in milliseconds, for which `full_page_scroll` keeps scrolling a page that grows. After that, images that have started to load get up to 5 more seconds. Pages that don't grow take less time. With 0, content that is revealed by scroll handlers stays hidden. @default 400 */
  full_page_scroll_duration?: number;
  /** Maximum height of a `full_page` screenshot in CSS pixels; the rest is cut off, with a warning. Limits on the image's pixels also apply: 160 million in total; for webp, 50 million in total and 16,383 per side; for jpeg, 65,500 per side; for avif, 20 million in total and 16,384 per side. @default 30000 */
  full_page_max_height?: number;
  /** CSS selectors of elements to cover, one selector or selector list per line. Also applies inside open shadow roots and in frames, including those of other origins. Documents don't contain the text of these elements either. At most 8192 characters in total. */
  mask_selectors?: string[];
  /** Appearance of the cover: a single color, or a pattern that resembles blurred lines or large pixels. The cover isn't computed from the content beneath it, so nothing can be recovered from it. @default "solid" */
  mask?: "solid" | "blur" | "pixelate";
  /** Color of the cover, with or without `#`. Black by default; for a pattern, the color of the element's text. */
  mask_color?: string;
  /** Fail if one of the page's requests fails: one URL pattern per line, as for `block_requests`, or `*` for any request. A pattern may be followed by a space and the failures that count, separated by commas: statuses or ranges, such as `500-599`, and `failed` for requests without a response. The default is `400-599,failed`. Requests canceled by the page or blocked by an option don't count. At most 2000 characters in total. */
  fail_on_failed_request?: string[];
  /** Also copy the stored screenshot to this destination, a bucket of your own that was saved with `POST /v1/destinations`. Failed copies are retried for a day. Not available to keys that are restricted to domains. See [Destinations](destinations.md). */
  destination?: string;
}

/** Options of an image or document. */
export interface FileOptions extends PageOptions {
  /** Images: jpeg (`jpg` is an alias), png, webp or avif, which produces the smallest files and takes the longest to encode. Documents: `pdf`; `html`, the DOM after scripts have run; `mhtml`, a single file with all images and style sheets; `text`, the visible text; `markdown`, the main content; `metadata`, the page's own metadata, as JSON; `elements`, the elements that a person can use or read in the image, with role, name, selector and box in pixels, as JSON. Logs, from the navigation to the capture: `har`, the page's requests; `console`, its console messages, as JSON lines. Recordings of the page in motion: `gif`, `webp-animation`, `webm` (VP9) or `mp4` (H.264). @default "jpeg" */
  format?: "jpeg" | "png" | "webp" | "avif" | "jpg" | "pdf" | "html" | "mhtml" | "text" | "markdown" | "metadata" | "elements" | "har" | "console" | "gif" | "webp-animation" | "webm" | "mp4";
  /** Quality of jpeg, webp, avif, webp-animation, webm and mp4; ignored for png, which is lossless, and gif. @default 80 */
  quality?: number;
  /** Scale the image down to this width in pixels, for example for a thumbnail, keeping its aspect ratio. With `image_height`, the image fits within both. The page's layout is unaffected, and images are never enlarged. */
  image_width?: number;
  /** Scale the image down to this height in pixels, for example for a thumbnail, keeping its aspect ratio. With `image_width`, the image fits within both. The page's layout is unaffected, and images are never enlarged. */
  image_height?: number;
  /** Make the page transparent instead of white where it has no background (png, webp and avif). @default false */
  omit_background?: boolean;
  /** `model`: at most 1568 pixels on the longest side, 1.15 million pixels and 5 MB, unless an option below says otherwise. */
  fit?: "model";
  /** Maximum width in pixels. */
  max_width?: number;
  /** Maximum height in pixels. */
  max_height?: number;
  /** Maximum number of pixels. */
  max_pixels?: number;
  /** Maximum size of the file in bytes. */
  max_bytes?: number;
  /** Paper size. By default, the page's own `@page` size, or A4 if it has none. */
  pdf_paper?: "A0" | "A1" | "A2" | "A3" | "A4" | "A5" | "A6" | "Letter" | "Legal" | "Tabloid" | "Ledger";
  /** Width of the paper, with a unit (px, in, cm, mm or pt). Requires `pdf_height`. */
  pdf_width?: string;
  /** Height of the paper, with a unit. Requires `pdf_width`. */
  pdf_height?: string;
  /** Landscape orientation, regardless of the page's own `@page` size. @default false */
  pdf_landscape?: boolean;
  /** Margin of the paper: one length, or four for top, right, bottom and left. Default: 1cm; use `0px` for none. The page's own `@page` margin takes precedence, with a warning. */
  pdf_margin?: string;
  /** Print background colors and images. @default true */
  pdf_background?: boolean;
  /** Scale of the content. @default 1 */
  pdf_scale?: number;
  /** Pages to print. */
  pdf_pages?: string;
  /** Add an outline of the headings. @default true */
  pdf_outline?: boolean;
  /** HTML for the header of each page, printed in the margin; up to 65,536 characters, which leaves room for a logo as a `data:` URL. Elements with the class `date`, `title`, `url`, `pageNumber` or `totalPages` are filled in. Scripts don't run, and the page's style sheets don't apply: set a `font-size`. */
  pdf_header?: string;
  /** HTML for the footer of each page, printed in the margin; up to 65,536 characters, which leaves room for a logo as a `data:` URL. Elements with the class `date`, `title`, `url`, `pageNumber` or `totalPages` are filled in. Scripts don't run, and the page's style sheets don't apply: set a `font-size`. */
  pdf_footer?: string;
  /** Print a single page as long as the document, up to 200 inches. @default false */
  pdf_single_page?: boolean;
  /** CSS selectors, one per line. `format=elements` then returns `matches` instead of `elements`: for each selector, the attributes, HTML, text and box (in CSS pixels) of every matching element, visible or not, including those in open shadow roots. */
  match_selectors?: string[];
  /** With `text`, the archive also contains the bodies of text responses, such as HTML, scripts and JSON, up to 1 MB each and 10 MB in total. They may contain the visitor's personal data. @default "none" */
  har_bodies?: "none" | "text";
  /** Keep credentials in the archive: cookies, the `Authorization` header, and headers and parameters whose names suggest keys, tokens or passwords. Can't be combined with `session`. Not available in signed links or to keys that are restricted to domains. @default false */
  har_secrets?: boolean;
  /** Give the page its own clock, which skips waiting times: timers, frame callbacks, animations and workers run in a fixed order until nothing is due, for at most 5 seconds of page time. Requests still take real time. `Math.random` returns the same numbers every time. With an instant (ISO 8601; midnight UTC if no time is given), `Date` starts at that instant and is reset to it for the screenshot. `frozen` does the same with the time of the request. `fast` also starts at the time of the request, but `Date` keeps advancing. `delay` and `wait_for_selector` add page time. If running the page takes longer than `wait_until_timeout`, it is captured in its current state, with a warning. */
  clock?: string;
  /** Time zone of the page, as an IANA name. @default "UTC" */
  time_zone?: string;
  /** HTTP statuses and ranges for which the request fails with `host_returned_error` instead of returning a screenshot. */
  fail_on_status?: string[];
  /** Verdicts for which the request fails with `unwanted_page`, at no cost, instead of returning a screenshot. Every screenshot has its verdict in `X-Verdict`. */
  fail_on_verdict?: ("blank" | "error_page" | "bot_wall" | "login_wall" | "consent_wall" | "parked" | "unknown")[];
  /** Texts or regular expressions, one per line: the capture fails if the page contains any of them. At most 2000 characters in total. */
  fail_on_text?: string[];
  /** Texts or regular expressions, one per line: the capture fails unless the page contains all of them. At most 2000 characters in total. */
  fail_without_text?: string[];
  /** Fail if the page's console contains errors, including uncaught exceptions. @default false */
  fail_on_console_error?: boolean;
  /** Id of one of the account's stored screenshots. Reports what has changed since then, if `format` is an image format. */
  compare_to?: string;
  /** Return a stored screenshot with the same options if it is younger than `cache_ttl`; otherwise capture and store. Cached responses don't count against the quota. @default false */
  is_cached?: boolean;
  /** Maximum age of a cached screenshot in seconds, and the `max-age` of the response. Ignored without `is_cached`. @default 3600 */
  cache_ttl?: number;
  /** Arbitrary text; screenshots with different values are cached separately. */
  cache_key?: string;
}

/** A screenshot. */
export interface TakeRequest extends FileOptions {
  /** Absolute http or https URL of the page. Percent-encode it, like any value in a query string. */
  url?: string;
  /** HTML to render instead of `url`, at most 2 MB. */
  html?: string;
  /** GitHub-flavored Markdown to render instead of `url`, at most 2 MB. */
  markdown?: string;
  /** URL of the document in `html` or `markdown`, against which its relative links are resolved. */
  base_url?: string;
  /** Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given. */
  country?: string;
  /** URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains. */
  proxy?: string;
  /** Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning. @default 30 */
  timeout?: number;
  /** What to return once `timeout` is reached: the error `target_timeout`, or a `partial` screenshot of what the page shows by then, with the verdict `partial` and a warning. A partial screenshot counts against the quota and is never cached. If the page doesn't show anything yet, the error is returned anyway. @default "error" */
  on_timeout?: "error" | "partial";
  /** Record the steps of the capture, the page's redirects and requests, what was blocked and why, refused connections, and the page's errors and warnings. The record is returned as `explanation` in the JSON of `response_type=json` and of errors, and shown on the screenshot's page in the dashboard. Cached screenshots have no explanation. Credentials are removed as for `format=har`. @default false */
  explain?: boolean;
  /** Return a stored screenshot up to this age in seconds immediately, with `X-Cache: STALE`, and replace it with a capture in the background, which counts against the quota. A screenshot younger than `cache_ttl` is returned without a capture if `is_cached` is given. */
  stale_while_revalidate?: number;
  /** If the capture fails, return a stored screenshot up to this age in seconds instead of the error, with `X-Cache: STALE` and the error in `X-Warnings`. It doesn't count against the quota. */
  stale_if_error?: number;
  /** Return errors as an image of the requested size and format that shows the message, for use in `<img>`. The status and headers are those of the error, with its code in `X-Error-Code`. Errors are JSON until the key has been accepted, with `response_type=json` or `empty`, and with a `format` that is not an image. @default false */
  error_image?: boolean;
  /** Return errors as an image filled with this color, without text; implies `error_image`. 4 or 8 digits include transparency, which png, webp and avif support. With a `format` that is not an image, errors are JSON. */
  placeholder?: string;
  /** `image` returns the image; `json` returns its metadata and a link to it; `empty` captures and stores it and returns no body. @default "image" */
  response_type?: "image" | "json" | "empty";
  /** Makes browsers download the image under this file name instead of displaying it. The extension is added if missing. */
  attachment_name?: string;
  /** Expiry time of the request in Unix seconds; a signature protects it from being changed. */
  expires?: number;
  /** Hex HMAC-SHA256 of the query string exactly as sent, without this parameter and its `&`, using the key's signing secret. Required by keys that accept only signed requests. */
  signature?: string;
  /** Reject unknown parameters instead of ignoring them with a warning. @default false */
  strict?: boolean;
  /** Return the effective options, warnings and the state of the cache as JSON, without capturing or counting anything. @default false */
  dry_run?: boolean;
}

/** One output of a capture. */
export interface OutputRequest extends FileOptions {
  /** Name of the output, unique in the request. Default: `output-1` and so on. */
  name?: string;
  /** Height of each slice in image pixels, ±15%. */
  slice_height?: number;
  /** Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`. */
  slice_overlap?: number;
}

/** Several outputs of one page. */
export interface CaptureRequest extends FileOptions {
  /** Absolute http or https URL of the page. Percent-encode it, like any value in a query string. */
  url?: string;
  /** HTML to render instead of `url`, at most 2 MB. */
  html?: string;
  /** GitHub-flavored Markdown to render instead of `url`, at most 2 MB. */
  markdown?: string;
  /** URL of the document in `html` or `markdown`, against which its relative links are resolved. */
  base_url?: string;
  /** Height of each slice in image pixels, ±15%. */
  slice_height?: number;
  /** Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`. */
  slice_overlap?: number;
  /** Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given. */
  country?: string;
  /** URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains. */
  proxy?: string;
  /** Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning. @default 30 */
  timeout?: number;
  /** Expiry time of the request in Unix seconds; a signature protects it from being changed. */
  expires?: number;
  /** `json` returns links to the outputs; `zip` returns their files, with the same JSON as `capture.json`. @default "json" */
  response_type?: "json" | "zip";
  /** The outputs, in any order. Their options override the shared ones. */
  outputs: OutputRequest[];
  /** Queue the capture and return 202 with its state. `Prefer: respond-async` does the same. @default false */
  async?: boolean;
  /** With `async`: receives `capture.done` or `capture.failed`. See docs/webhooks.md. */
  webhook_url?: string;
}

/** Options of all captures of a batch. */
export interface BatchShared extends FileOptions {
  /** Absolute http or https URL of the page. Percent-encode it, like any value in a query string. */
  url?: string;
  /** HTML to render instead of `url`, at most 2 MB. */
  html?: string;
  /** GitHub-flavored Markdown to render instead of `url`, at most 2 MB. */
  markdown?: string;
  /** URL of the document in `html` or `markdown`, against which its relative links are resolved. */
  base_url?: string;
  /** Height of each slice in image pixels, ±15%. */
  slice_height?: number;
  /** Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`. */
  slice_overlap?: number;
  /** Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given. */
  country?: string;
  /** URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains. */
  proxy?: string;
  /** Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning. @default 30 */
  timeout?: number;
  /** Expiry time of the request in Unix seconds; a signature protects it from being changed. */
  expires?: number;
  /** The outputs, in any order. Their options override the shared ones. */
  outputs?: OutputRequest[];
}

/** A capture of a batch. */
export interface BatchEntry extends FileOptions {
  /** Name of the capture, unique in the batch. Derived from the URL by default. */
  name?: string;
  /** Absolute http or https URL of the page. Percent-encode it, like any value in a query string. */
  url?: string;
  /** HTML to render instead of `url`, at most 2 MB. */
  html?: string;
  /** GitHub-flavored Markdown to render instead of `url`, at most 2 MB. */
  markdown?: string;
  /** URL of the document in `html` or `markdown`, against which its relative links are resolved. */
  base_url?: string;
  /** Height of each slice in image pixels, ±15%. */
  slice_height?: number;
  /** Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`. */
  slice_overlap?: number;
  /** Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given. */
  country?: string;
  /** URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains. */
  proxy?: string;
  /** Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning. @default 30 */
  timeout?: number;
  /** Expiry time of the request in Unix seconds; a signature protects it from being changed. */
  expires?: number;
  /** The outputs, in any order. Their options override the shared ones. */
  outputs?: OutputRequest[];
}

/** Many captures; needs `captures` or `sitemap_url`. */
export interface BatchRequest {
  /** Options for all captures. A capture's own options override them. */
  shared?: BatchShared;
  /** Each entry is like the body of `POST /v1/captures`; without `outputs` it has a single output named `screenshot`. */
  captures?: BatchEntry[];
  /** Instead of `captures`: captures the pages listed in this sitemap. Sitemap indexes and gzip are supported, up to 50,000 entries. */
  sitemap_url?: string;
  /** Maximum number of pages from the sitemap. @default 1000 */
  limit?: number;
  /** Instead of `captures`: captures a page and, by following links, other pages of its site. */
  crawl?: {
    /** URL of the first page. Only pages on its host are captured. */
    url: string;
    /** Maximum number of links to follow from the first page to any other. @default 3 */
    depth?: number;
    /** Maximum number of pages to load. @default 100 */
    limit?: number;
    /** Patterns of the pages to capture besides the first, matched against path and query; `*` matches any text. Default: all pages. @default [] */
    include?: string[];
    /** Patterns of the pages not to capture, matched against path and query. @default [] */
    exclude?: string[];
  };
  /** Receives `batch.done`. See docs/webhooks.md. */
  webhook_url?: string;
}

/** Cookies and storage for pages that need a sign-in. */
export interface SessionRequest {
  /** Name to send as the `session` option. */
  name: string;
  /** In the format of Playwright's `storageState`: cookies, and each origin's storage. Send either this, or `url` and `steps`. */
  state?: Record<string, unknown>;
  /** URL where the steps begin, usually the sign-in page. */
  url?: string;
  /** Steps that sign in, as in the `steps` option. A `text` may refer to a secret by name: `{"secret": "password"}`. */
  steps?: (Record<string, string | number | {
    secret: string;
  }>)[];
  /** At most 20 values for the steps, by name. They are encrypted and never returned. */
  secrets?: Record<string, string>;
  /** Additional hosts on which the steps may type, such as a single sign-on host. By default, they type only on the site of `url`: its registrable domain and all subdomains. */
  sign_in_hosts?: string[];
}

/** A bucket to which screenshots are copied. */
export interface DestinationRequest {
  /** Name to send as the `destination` option. */
  name: string;
  /** URL of the S3 server, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  /** Name of an existing bucket. */
  bucket: string;
  /** Region of the bucket; some servers require `auto`. @default "us-east-1" */
  region?: string;
  /** Whether the bucket's name is in the path of requests, which most servers accept; otherwise it is in the host name. @default true */
  path_style?: boolean;
  /** Key of each copy. `{host}`: the page's host; `{date}` and `{time}`: when the capture was made, in UTC, such as 2026-01-31 and 235959; `{label}`: the output's name, or `attachment_name`, or `screenshot`; `{id}`: the screenshot's id; `{name}`: label and id, so that no copy replaces another; `{ext}`: the format's extension. @default "{host}/{date}/{name}.{ext}" */
  template?: string;
  /** Encrypted, and never returned. */
  access_key_id: string;
  /** Encrypted, and never returned. */
  secret_access_key: string;
}

/** A page that is captured on a schedule. */
export interface WatchRequest extends PageOptions {
  /** Page to watch. */
  url: string;
  /** Time zone for `cron` and the page. Default: UTC; for the page, the time zone of `country` if it is set. */
  time_zone?: string | null;
  /** Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given. */
  country?: string;
  /** URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains. */
  proxy?: string;
  /** Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning. @default 30 */
  timeout?: number;
  /** Derived from `url` by default. */
  name?: string | null;
  /** Interval, such as `30m`, `12h` or `1d`, up to `30d`. Default: `1d`. */
  every?: string | null;
  /** Cron expression with five fields, such as `0 9 * * 1-5`, instead of `every`. */
  cron?: string | null;
  /** What counts as a change. Default: `both`. */
  compare?: "pixels" | "text" | "both" | null;
  /** Share of pixels that must differ, 0 to 1. Default: 0, any visible change. */
  threshold?: number | null;
  /** CSS selectors of elements to ignore. */
  ignore_selectors?: string[] | null;
  /** Receives `watch.changed` and `watch.failed`. */
  webhook_url?: string | null;
}

/** Changes to a watch. */
export interface WatchChange extends PageOptions {
  /** Absolute http or https URL of the page. Percent-encode it, like any value in a query string. */
  url?: string;
  /** Time zone for `cron` and the page. Default: UTC; for the page, the time zone of `country` if it is set. */
  time_zone?: string | null;
  /** Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given. */
  country?: string;
  /** URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains. */
  proxy?: string;
  /** Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning. @default 30 */
  timeout?: number;
  /** Derived from `url` by default. */
  name?: string | null;
  /** Interval, such as `30m`, `12h` or `1d`, up to `30d`. Default: `1d`. */
  every?: string | null;
  /** Cron expression with five fields, such as `0 9 * * 1-5`, instead of `every`. */
  cron?: string | null;
  /** What counts as a change. Default: `both`. */
  compare?: "pixels" | "text" | "both" | null;
  /** Share of pixels that must differ, 0 to 1. Default: 0, any visible change. */
  threshold?: number | null;
  /** CSS selectors of elements to ignore. */
  ignore_selectors?: string[] | null;
  /** Receives `watch.changed` and `watch.failed`. */
  webhook_url?: string | null;
}

export interface Screenshot {
  id: string;
  /** Link to the image, valid for a day; null if it could not be stored. */
  url: string | null;
  format: "jpeg" | "png" | "webp" | "avif" | "pdf" | "html" | "mhtml" | "text" | "markdown" | "metadata" | "elements" | "har" | "console" | "gif" | "webp-animation" | "webm" | "mp4";
  bytes: number;
  /** Device pixels; null for a document. */
  width: number | null;
  /** Device pixels; null for a document. */
  height: number | null;
  /** Title of the page. */
  title: string;
  target: {
    status: number | null;
    url: string;
  };
  verdict: {
    /** What the image shows: the page (`ok`), or something in its place. */
    kind: "ok" | "blank" | "error_page" | "bot_wall" | "login_wall" | "consent_wall" | "parked" | "partial" | "unknown";
    /** A wall or an error whose confidence is below 0.75 is reported as `ok`, and named in a warning. */
    confidence: number;
    /** Human-readable sentences, the strongest reason first; empty for `ok`. */
    reasons: string[];
  };
  cache: "HIT" | "MISS" | "COALESCED" | "STALE";
  captured_at: string;
  /** Duration of each phase in milliseconds. */
  timings: Record<string, number>;
  /** Whether the page became ready as `wait_until` requires, or was captured when `wait_until_timeout` expired; absent if the screenshot was captured for an earlier request. */
  wait_ended?: "ready" | "timeout";
  explanation?: Explanation;
  comparison?: Comparison;
  warnings: string[];
}

/** Record of a capture that used the `explain` option. */
export interface Explanation {
  /** Steps of the capture, in order. */
  steps: ({
    /** Milliseconds since the capture was assigned a browser. */
    at: number;
    text: string;
  })[];
  /** Redirects of the page itself. */
  redirects: ({
    from: string;
    to: string;
    status: number;
  })[];
  /** The page's requests in order, at most 200, excluding those from cross-origin frames. */
  requests: ({
    /** Milliseconds since the capture was assigned a browser. */
    at: number;
    /** Milliseconds; null if the request was still pending when the capture ended. */
    duration: number | null;
    url: string;
    type: string;
    /** HTTP status; null if there was no response. */
    status: number | null;
    /** Bytes received, including headers. */
    bytes: number | null;
    outcome: "done" | "failed" | "blocked" | "pending";
    /** The error of a failed request, or the option that blocked the request. */
    reason: string | null;
  })[];
  requests_total: number;
  /** Connections from the page that were refused. */
  refused: ({
    host: string;
    port: number;
    reason: string;
  })[];
  /** The page's errors and warnings; empty if the capture failed. */
  console: ({
    level: "error" | "warning";
    text: string;
    source: string | null;
  })[];
}

/** With `compare_to`: the differences from that screenshot. */
export interface Comparison {
  changed: boolean;
  /** Share of pixels that differ, after moved content has been aligned. */
  changed_share: number;
  before: {
    id: string;
    width: number;
    height: number;
    /** Signed link to the image, valid for a day. */
    link: string;
  };
  after: {
    id: string;
    width: number;
    height: number;
    /** Signed link to the image, valid for a day. */
    link: string;
  };
  /** At most 100. Changed, added and removed regions come before moved ones; each group is sorted by area. */
  regions: ChangedRegion[];
}

export interface ChangedRegion {
  kind: "changed" | "added" | "removed" | "moved";
  /** Human-readable name, such as `Price: 19 € → 21 €`. */
  name: string;
  /** CSS selector of the element; null if unknown, or if it has more than 2,000 characters, or 200 after many long ones. */
  selector: string | null;
  before: {
    x: number;
    y: number;
    width: number;
    height: number;
  } | null;
  after: {
    x: number;
    y: number;
    width: number;
    height: number;
  } | null;
  /** At most 1,000 characters, or 100 after many long texts; null if no text changed. */
  text_before: string | null;
  /** At most 1,000 characters, or 100 after many long texts; null if no text changed. */
  text_after: string | null;
}

export interface Capture {
  /** Id of the capture, shared by the records of its outputs. */
  id: string;
  /** What the page was loaded from. */
  source: "url" | "html" | "markdown";
  /** The page, as loaded for the first output that did not fail. */
  target: {
    url: string;
    status: number | null;
    title: string;
  };
  /** How many times the page was loaded; 0 if all outputs were cached. */
  loads: number;
  outputs: CaptureOutput[];
  /** Warnings that all outputs share. */
  warnings: string[];
  /** Duration of each phase in milliseconds. */
  timings: Record<string, unknown>;
}

export interface CaptureOutput {
  name: string;
  /** Id of the stored file and its record. */
  id?: string;
  format?: "jpeg" | "png" | "webp" | "avif" | "pdf" | "html" | "mhtml" | "text" | "markdown" | "metadata" | "elements" | "har" | "console" | "gif" | "webp-animation" | "webm" | "mp4";
  content_type?: string;
  bytes?: number;
  /** In pixels; null for a document. */
  width?: number | null;
  height?: number | null;
  etag?: string;
  /** Name of the file in the zip. */
  file?: string;
  /** Signed link to the file; null if it is not stored yet, or could not be stored. */
  url?: string | null;
  /** Expiry time of the link. */
  expires_at?: string | null;
  copy?: Copy;
  /** With `slice_height`: the files, from top to bottom. The output itself then has no `id`, `etag`, `file` or link; its size is that of the whole image, its bytes the total of all slices. */
  slices?: ({
    /** Id of the stored file and its record. */
    id: string;
    /** Row of the whole image at which the slice starts. */
    y: number;
    width: number;
    height: number;
    bytes: number;
    etag: string;
    /** Name of the file in the zip. */
    file?: string;
    /** Signed link to the file; null if it is not stored yet, or could not be stored. */
    url: string | null;
    /** Expiry time of the link. */
    expires_at: string | null;
    copy?: Copy;
  })[];
  /** `HIT`: stored earlier, with `is_cached`. */
  cache?: "HIT" | "MISS";
  /** Whether the page was loaded again for this output. */
  loaded_again?: boolean;
  verdict?: {
    kind: "ok" | "blank" | "error_page" | "bot_wall" | "login_wall" | "consent_wall" | "parked" | "partial" | "unknown";
    confidence: number;
    reasons: string[];
  };
  warnings?: string[];
  /** Duration of each phase in milliseconds. */
  timings?: Record<string, unknown>;
  comparison?: Comparison;
  /** Why the output is missing, in the format of error responses. */
  error?: {
    error: string;
    code: string;
    message: string;
    retryable: boolean;
    requestId: string;
  };
}

export interface Copy {
  destination: string;
  state: "pending" | "delivered" | "failed";
  /** Key in the bucket; null until one has been assigned. */
  key: string | null;
  /** Why the copy failed or, if `state` is `pending`, why its latest attempt failed, as a sentence. Null if the copy succeeded or has not been attempted. */
  error: string | null;
}

export interface CaptureState {
  id: string;
  /** What the page was loaded from. */
  source?: "url" | "html" | "markdown";
  /** The page, as loaded for the first output that did not fail. */
  target?: {
    url: string;
    status: number | null;
    title: string;
  };
  /** How many times the page was loaded; 0 if all outputs were cached. */
  loads?: number;
  outputs?: CaptureOutput[];
  /** Warnings that all outputs share. */
  warnings?: string[];
  /** Duration of each phase in milliseconds. */
  timings?: Record<string, unknown>;
  status: "queued" | "running" | "done" | "failed" | "canceled";
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** For a capture in a batch: its index in the request, and its name. In a crawl, pages are numbered as they are found, and `depth` is the number of links followed from the first page to this one. */
  batch?: {
    id: string;
    index: number;
    name: string;
    depth?: number;
  };
  /** Why the output is missing, in the format of error responses. */
  error?: {
    error: string;
    code: string;
    message: string;
    retryable: boolean;
    requestId: string;
  };
}

export interface Batch {
  id: string;
  /** `done` once the batch's last capture has ended. */
  status: "running" | "done";
  /** Number of captures. */
  total: number;
  /** Number of captures by status. */
  counts: {
    queued: number;
    running: number;
    done: number;
    failed: number;
    canceled: number;
  };
  /** Recent captures per minute; null if none has ended recently. */
  rate: number | null;
  /** Estimated from `rate`; null if captures are left and the rate is unknown. */
  seconds_left: number | null;
  created_at: string;
  ended_at: string | null;
  crawl?: Crawl;
}

/** Set if the batch follows links. `total` then grows until the batch has ended. */
export interface Crawl {
  url: string;
  depth: number;
  limit: number;
  include: string[];
  exclude: string[];
  /** Greatest depth of the captures so far; the first page has depth 0. */
  deepest: number;
  /** Pages that were found but not captured, by reason; the most frequent first. */
  left_out: LeftOut[];
}

export interface LeftOut {
  reason: "nofollow" | "other_site" | "not_a_page" | "excluded" | "target_not_allowed" | "robots" | "trap" | "depth" | "limit" | "quota" | "time" | "duplicate" | "page_links";
  count: number;
  /** URLs of a few of these pages. */
  examples: string[];
}

export interface PageSession {
  id: string;
  name: string;
  /** Hosts that the session may be used for; a leading dot includes subdomains. */
  hosts: string[];
  /** Number of states saved under this name so far. */
  version: number;
  created_at: string;
  updated_at: string;
  /** Accurate to within a minute. */
  last_used_at: string | null;
  /** Whether the session has sign-in steps, which run again when the session has been signed out. */
  signs_in: boolean;
  /** When the steps last signed in. */
  signed_in_at: string | null;
  /** Why the last sign-in attempt failed; null if it succeeded or there was none. */
  sign_in_error: string | null;
}

export interface Destination {
  id: string;
  name: string;
  endpoint: string;
  bucket: string;
  region: string;
  path_style: boolean;
  template: string;
  created_at: string;
  updated_at: string;
  /** Time of the latest successful copy or test. */
  copied_at: string | null;
  /** Why the latest copy or test failed, as a sentence; null if it succeeded. */
  error: string | null;
  error_at: string | null;
  /** Whether copies fail without an attempt, because 20 in a row have failed or the server has responded with 410 Gone. A successful test ends the pause. */
  is_paused: boolean;
}

export interface DestinationTest {
  /** Whether the object was written. */
  works: boolean;
  /** Key of the object. */
  key: string;
  /** Why the object could not be written or deleted, as a sentence. */
  problem: string | null;
}

export interface Watch {
  id: string;
  name: string;
  url: string;
  state: "active" | "paused";
  every: string | null;
  cron: string | null;
  time_zone: string;
  compare: "pixels" | "text" | "both";
  threshold: number;
  ignore_selectors: string[];
  webhook_url: string | null;
  /** Capture options; secret values are replaced by `given`. */
  options: Record<string, unknown>;
  /** `learning`: the first three runs learn which parts of the page differ on every load. */
  phase: "learning" | "watching";
  /** Result of the latest run that has ended. */
  status: "new" | "unchanged" | "changed" | "failed";
  /** Run that later runs are compared with. */
  accepted_run_id: string | null;
  latest_run: WatchRun | null;
  /** The image of the latest run that has one. */
  last_screenshot: {
    id: string;
    /** Signed link to the image, valid for a day. */
    link: string;
    width: number;
    height: number;
  } | null;
  /** The last 30 runs, newest first. */
  recent: ({
    id: string;
    status: "queued" | "running" | "learning" | "unchanged" | "changed" | "failed";
    at: string;
  })[];
  /** Parts of the page that are not compared, muted by the owner or learned. */
  muted: Muted[];
  /** Signed URL of the Atom feed. */
  feed_url: string;
  /** Null if the watch is paused. */
  next_run_at: string | null;
  created_at: string;
}

export interface WatchRun {
  id: string;
  /** `learning`: one of the first runs, which don't report changes. */
  status: "queued" | "running" | "learning" | "unchanged" | "changed" | "failed";
  created_at: string;
  ended_at: string | null;
  /** Null if the capture could not be queued, for example because the quota was exhausted. */
  capture_id: string | null;
  /** The image; null if there is none or it has been deleted. */
  screenshot: {
    id: string;
    /** Signed link to the image, valid for a day. */
    link: string;
    width: number;
    height: number;
  } | null;
  compared_with_run_id: string | null;
  /** Share of pixels that differ, 0 to 1. */
  changed_share: number | null;
  /** Regions that differ: the first three in lists and in `latest_run`, otherwise at most 100. */
  regions: ChangedRegion[];
  regions_total: number;
  /** Signed link to the image with the regions marked. */
  difference_link: string | null;
  /** Whether the run was reported: it found a change not seen before, or was the first to fail. */
  reported: boolean;
  /** Whether later runs are, or were, compared with this one. */
  accepted: boolean;
  error: {
    code: string;
    message: string;
  } | null;
}

export interface Muted {
  id: string;
  kind: "selector" | "box";
  selector: string | null;
  box: {
    x: number;
    y: number;
    width: number;
    height: number;
  } | null;
  by: "user" | "learned";
  name: string;
  created_at: string;
}

export interface ErrorAnswer {
  /** Human-readable message. */
  error: string;
  requestId: string;
  /** Machine-readable code; stable. */
  code: "invalid_parameters" | "invalid_url" | "target_blocked" | "name_not_resolved" | "connection_failed" | "proxy_failed" | "tls_error" | "too_many_redirects" | "target_timeout" | "selector_not_found" | "host_returned_error" | "unwanted_page" | "sign_in_failed" | "page_crashed" | "page_too_heavy" | "not_a_page" | "image_too_large" | "document_too_large" | "codec_unavailable" | "not_signed_in" | "invalid_credentials" | "sign_in_expired" | "invalid_api_key" | "domain_not_allowed" | "target_not_allowed" | "proxy_not_allowed" | "signature_invalid" | "origin_not_allowed" | "not_permitted" | "account_disabled" | "sign_up_refused" | "invitation_invalid" | "email_not_verified" | "link_invalid" | "second_factor_required" | "quota_exceeded" | "not_found" | "method_not_allowed" | "request_timeout" | "capture_begun" | "idempotency_key_reused" | "watch_limit_reached" | "session_limit_reached" | "destination_limit_reached" | "changed_meanwhile" | "not_possible" | "key_limit_reached" | "email_taken" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "queue_full" | "headers_too_large" | "internal_error" | "unavailable";
  /** The same as `error`. */
  message: string;
  /** Whether retrying the same request may succeed. */
  retryable: boolean;
  details?: ({
    parameter: string;
    message: string;
    allowed?: string;
  })[];
  explanation?: Explanation;
}
