"""Types of the API. Generated from openapi.yaml by `npm run generate`; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class PageOptions(TypedDict):
    """Options of the page and of the part of it that is shown."""
    width: NotRequired[int]
    """Width of the viewport in CSS pixels."""
    height: NotRequired[int]
    """Height of the viewport in CSS pixels."""
    device_scale_factor: NotRequired[float]
    """Device pixels per CSS pixel. `2` doubles the image's width and height, as on a high-density screen."""
    is_mobile: NotRequired[bool]
    """Lay out the page as on a mobile phone: its `viewport` meta tag applies, and the user agent and client hints are those of mobile Chromium unless `user_agent` is given."""
    has_touch: NotRequired[bool]
    """Emulate a touch screen: touch events, and `pointer: coarse` in media queries."""
    is_landscape: NotRequired[bool]
    """Landscape orientation. Swaps the sides of a `viewport_device`, but not an explicit `width` and `height`."""
    viewport_device: NotRequired[Literal["Blackberry PlayBook", "Blackberry PlayBook landscape", "BlackBerry Z30", "BlackBerry Z30 landscape", "Galaxy Note 3", "Galaxy Note 3 landscape", "Galaxy Note II", "Galaxy Note II landscape", "Galaxy S III", "Galaxy S III landscape", "Galaxy S5", "Galaxy S5 landscape", "Galaxy S8", "Galaxy S8 landscape", "Galaxy S9+", "Galaxy S9+ landscape", "Galaxy Tab S4", "Galaxy Tab S4 landscape", "iPad", "iPad landscape", "iPad (gen 6)", "iPad (gen 6) landscape", "iPad (gen 7)", "iPad (gen 7) landscape", "iPad Mini", "iPad Mini landscape", "iPad Pro", "iPad Pro landscape", "iPad Pro 11", "iPad Pro 11 landscape", "iPhone 4", "iPhone 4 landscape", "iPhone 5", "iPhone 5 landscape", "iPhone 6", "iPhone 6 landscape", "iPhone 6 Plus", "iPhone 6 Plus landscape", "iPhone 7", "iPhone 7 landscape", "iPhone 7 Plus", "iPhone 7 Plus landscape", "iPhone 8", "iPhone 8 landscape", "iPhone 8 Plus", "iPhone 8 Plus landscape", "iPhone SE", "iPhone SE landscape", "iPhone SE (3rd gen)", "iPhone SE (3rd gen) landscape", "iPhone X", "iPhone X landscape", "iPhone XR", "iPhone XR landscape", "iPhone 11", "iPhone 11 landscape", "iPhone 11 Pro", "iPhone 11 Pro landscape", "iPhone 11 Pro Max", "iPhone 11 Pro Max landscape", "iPhone 12", "iPhone 12 landscape", "iPhone 12 Pro", "iPhone 12 Pro landscape", "iPhone 12 Pro Max", "iPhone 12 Pro Max landscape", "iPhone 12 Mini", "iPhone 12 Mini landscape", "iPhone 13", "iPhone 13 landscape", "iPhone 13 Pro", "iPhone 13 Pro landscape", "iPhone 13 Pro Max", "iPhone 13 Pro Max landscape", "iPhone 13 Mini", "iPhone 13 Mini landscape", "iPhone 14", "iPhone 14 landscape", "iPhone 14 Plus", "iPhone 14 Plus landscape", "iPhone 14 Pro", "iPhone 14 Pro landscape", "iPhone 14 Pro Max", "iPhone 14 Pro Max landscape", "iPhone 15", "iPhone 15 landscape", "iPhone 15 Plus", "iPhone 15 Plus landscape", "iPhone 15 Pro", "iPhone 15 Pro landscape", "iPhone 15 Pro Max", "iPhone 15 Pro Max landscape", "iPhone 16", "iPhone 16 landscape", "iPhone 16 Plus", "iPhone 16 Plus landscape", "iPhone 16 Pro", "iPhone 16 Pro landscape", "iPhone 16 Pro Max", "iPhone 16 Pro Max landscape", "iPhone 16e", "iPhone 16e landscape", "iPhone 17", "iPhone 17 landscape", "iPhone Air", "iPhone Air landscape", "iPhone 17 Pro", "iPhone 17 Pro landscape", "iPhone 17 Pro Max", "iPhone 17 Pro Max landscape", "iPhone 17e", "iPhone 17e landscape", "JioPhone 2", "JioPhone 2 landscape", "Kindle Fire HDX", "Kindle Fire HDX landscape", "LG Optimus L70", "LG Optimus L70 landscape", "Microsoft Lumia 550", "Microsoft Lumia 950", "Microsoft Lumia 950 landscape", "Nexus 10", "Nexus 10 landscape", "Nexus 4", "Nexus 4 landscape", "Nexus 5", "Nexus 5 landscape", "Nexus 5X", "Nexus 5X landscape", "Nexus 6", "Nexus 6 landscape", "Nexus 6P", "Nexus 6P landscape", "Nexus 7", "Nexus 7 landscape", "Nokia Lumia 520", "Nokia Lumia 520 landscape", "Nokia N9", "Nokia N9 landscape", "Pixel 2", "Pixel 2 landscape", "Pixel 2 XL", "Pixel 2 XL landscape", "Pixel 3", "Pixel 3 landscape", "Pixel 4", "Pixel 4 landscape", "Pixel 4a (5G)", "Pixel 4a (5G) landscape", "Pixel 5", "Pixel 5 landscape", "Moto G4", "Moto G4 landscape"]]
    """Device preset for the six parameters above and the user agent. Explicit values take precedence, unless all six are sent with their default values, as generated clients do."""
    duration: NotRequired[float]
    """Length of a recording in seconds, by default 5. A recording costs one screenshot for every 5 seconds or part thereof."""
    fps: NotRequired[int]
    """Frames per second of a recording, by default 25 in webm and mp4 and 10 in animations; at most 50 in a gif. Capturing each frame takes about as long as a screenshot of a page that is ready."""
    scroll: NotRequired[Literal["down"]]
    """`down`: scrolls smoothly from the top of the page to the bottom during a recording, pausing at sections if there is time."""
    prefers_color_scheme: NotRequired[Literal["light", "dark", "no-preference"]]
    """Emulated `prefers-color-scheme`. Browsers treat `no-preference` as `light`."""
    prefers_reduced_motion: NotRequired[Literal["no-preference", "reduce"]]
    """Emulated `prefers-reduced-motion`."""
    disable_animations: NotRequired[bool]
    """Make screenshots reproducible: finite animations and transitions jump to their end, infinite ones are paused at their start, or where they show the most content if they start out hidden; videos show their first frame, animated images stop, and the text cursor is hidden. `false` captures the page in motion."""
    media_type: NotRequired[Literal["screen", "print"]]
    """CSS media type that the page is rendered with. By default `print` with `format=pdf`, otherwise `screen`."""
    locale: NotRequired[str]
    """Locale of the browser, as a BCP 47 language tag: sets the `Accept-Language` header and how scripts format dates and numbers."""
    geolocation_latitude: NotRequired[float]
    """Emulated latitude in degrees; requires `geolocation_longitude`. Without both, the page has no location."""
    geolocation_longitude: NotRequired[float]
    """Emulated longitude in degrees; requires `geolocation_latitude`."""
    geolocation_accuracy: NotRequired[float]
    """Accuracy of the location in meters. Ignored without a location."""
    user_agent: NotRequired[str]
    """User agent, with matching client hints; by default, Chromium's own. Takes precedence over the user agent of `viewport_device`."""
    headers: NotRequired[list[str] | dict[str, str]]
    """Headers to send to the target's origin: `Name: Value`, one per line. At most 8192 characters in total."""
    authorization: NotRequired[str]
    """`Authorization` header to send to the target's origin. Takes precedence over an `Authorization` line in `headers`."""
    cookies: NotRequired[list[str] | dict[str, str]]
    """Cookies to set before the page loads, in `Set-Cookie` syntax, one per line. Without `Domain`, a cookie is set for the target's host. At most 4096 characters in total."""
    session: NotRequired[str]
    """Name of a session that was saved with `POST /v1/sessions`. Its cookies and storage are restored before the first request; changes to them are discarded unless `session_update` is set. Not available to keys that are restricted to domains."""
    session_update: NotRequired[bool]
    """After the capture, save the cookies, and the `localStorage` of the captured page's origin, to the session, unless the page is a sign-in page. Nothing is saved if the screenshot comes from the cache."""
    styles: NotRequired[str]
    """CSS to add to the page once it is ready, at most 64 KB. Not subject to the page's Content-Security-Policy."""
    scripts: NotRequired[str]
    """JavaScript to run in the page once it is ready, at most 64 KB; top-level `await` is supported. Not subject to the page's Content-Security-Policy. If it throws, the page is still captured, with a warning."""
    click: NotRequired[list[str]]
    """CSS selectors of elements to click in order, once the page is ready and `styles` and `scripts` have been applied. The capture fails if any of these elements isn't visible within 3 seconds. If a click navigates, the new page is captured."""
    bypass_csp: NotRequired[bool]
    """Ignore the page's Content-Security-Policy. The server logs every use."""
    steps: NotRequired[list[dict[str, str | float]]]
    """Steps to perform, in order. The capture fails if an element to act on isn't visible within 3 seconds; `wait` waits for its element until `timeout`."""
    wait_for_hidden: NotRequired[str]
    """CSS selector of elements that must be hidden or removed before the capture: no matching element may be visible."""
    wait_for_function: NotRequired[str]
    """JavaScript expression that must become true before the capture, or a function that must return a truthy value; promises are awaited. It is evaluated in the page several times a second. An exception counts as false, except that two kinds of `DOMException` end the wait: `TimeoutError` with the error `target_timeout`, and `AbortError` with `invalid_parameters`."""
    wait_for_event: NotRequired[str]
    """Type of an event that must have been dispatched on the document or the window, or have reached them from an element, before the capture. Events since the document began to load count."""
    wait_for_event_timeout: NotRequired[float]
    """Seconds after which the wait for `wait_for_event` ends: with the error `target_timeout` or, with `on_timeout=partial`, with a warning. If unset, only `timeout` limits it."""
    wait_until: NotRequired[list[Literal["auto", "load", "domcontentloaded", "networkidle0", "networkidle2"]]]
    """Events to wait for. If several are given, waits for all of them. `auto` waits until the page is visually complete: it has loaded, no pending request is about to change it, its fonts and the images in view have loaded, and its layout is stable. It also waits up to 2 seconds after the load event for charts, counters and typing animations that scripts are drawing, for preloaders and skeletons, and for content that the page marks as loading, and up to 1 second for empty elements that scripts may fill. Refreshes by a `meta` element or a header, with a delay of up to 2 seconds, are followed. Background traffic, such as polling, doesn't delay the capture. `load` and `domcontentloaded` are the page's events; `networkidle0` waits for half a second without connections, `networkidle2` for half a second with at most two."""
    wait_until_timeout: NotRequired[float]
    """Seconds after which `auto`, `networkidle0` and `networkidle2` stop waiting and the page is captured in its current state, with a warning. `styles`, `scripts`, `click`, `steps`, `wait_for_hidden`, `wait_for_function` and `wait_for_event` restart this wait."""
    wait_for_selector: NotRequired[str]
    """CSS selector of an element that must become visible before the capture."""
    delay: NotRequired[float]
    """Additional seconds to wait once the page is ready."""
    javascript: NotRequired[bool]
    """Run the page's scripts. `false` shows the page as browsers without JavaScript do, including the content of `<noscript>`."""
    block_ads: NotRequired[bool]
    """Block ads and collapse the space that they would take, using AdGuard's filter lists and EasyList. These lists don't hide anything on `localhost`, `127.0.0.1` and `192.168.*`."""
    block_trackers: NotRequired[bool]
    """Block trackers and analytics, using AdGuard's Tracking Protection list, which includes EasyPrivacy."""
    block_cookie_banners: NotRequired[bool]
    """Remove cookie banners: hide them with AdGuard's Cookie Notices list, and reject cookies in consent dialogs that are known or have an obvious reject button. Cookies are never accepted. If a banner has locked scrolling, scrolling is unlocked."""
    block_chats: NotRequired[bool]
    """Block chat and support widgets."""
    block_requests: NotRequired[list[str]]
    """Block requests whose URL matches: at most 100 patterns, one per line, 4096 characters in total. A pattern without `/` matches a host and its subdomains, or the last part of the path, such as `*.png`. Any other pattern is compared with the whole URL, or with the part that starts at the host or the path. `*` is a wildcard. The page itself is never blocked. At most 4096 characters in total."""
    block_resources: NotRequired[list[Literal["document", "stylesheet", "image", "media", "font", "script", "texttrack", "xhr", "fetch", "prefetch", "eventsource", "websocket", "manifest", "signedexchange", "ping", "cspviolationreport", "preflight", "other"]]]
    """Block resources of these types. `document` blocks frames, never the page itself; `xhr` and `fetch` are equivalent: each blocks both. `websocket` applies to pages and frames, but not to workers."""
    hide_selectors: NotRequired[list[str]]
    """CSS selectors of elements to hide (`display: none`), one selector or selector list per line. Also applies inside open shadow roots and same-origin frames. At most 8192 characters in total."""
    selector: NotRequired[str]
    """CSS selector: the screenshot shows the first visible match, with its lazy-loaded content. Takes precedence over `clip_…` and `full_page`."""
    error_on_selector_not_found: NotRequired[bool]
    """Fail if no visible element matches `selector`. `false` falls back to the viewport, with a warning."""
    clip_x: NotRequired[int]
    """Left edge of the rectangle to capture, in CSS pixels from the page's left edge. The rectangle may lie outside the viewport. Requires `clip_y`, `clip_width` and `clip_height`. Takes precedence over `full_page`."""
    clip_y: NotRequired[int]
    """Top edge of the rectangle, in CSS pixels from the top of the page."""
    clip_width: NotRequired[int]
    """Width of the rectangle in CSS pixels. Any part outside the page is cut off, with a warning."""
    clip_height: NotRequired[int]
    """Height of the rectangle in CSS pixels."""
    full_page: NotRequired[bool]
    """Capture the whole page instead of the viewport. If one large element scrolls instead of the page, as in many web applications, it is expanded to its full height. Fixed elements appear once, at their position before scrolling; those at the bottom of the window appear at the bottom of the page. Empty fixed backdrops behind the content and translucent fixed layers over it are extended to cover the whole page."""
    full_page_scroll: NotRequired[bool]
    """Scroll through the page before a `full_page` capture, to load lazy content and to reveal what appears on scroll."""
    full_page_scroll_duration: NotRequired[int]
    """Maximum time, in milliseconds, for which `full_page_scroll` keeps scrolling a page that grows. After that, images that have started to load get up to 5 more seconds. Pages that don't grow take less time. With 0, content that is revealed by scroll handlers stays hidden."""
    full_page_max_height: NotRequired[int]
    """Maximum height of a `full_page` screenshot in CSS pixels; the rest is cut off, with a warning. Limits on the image's pixels also apply: 160 million in total; for webp, 50 million in total and 16,383 per side; for jpeg, 65,500 per side; for avif, 20 million in total and 16,384 per side."""
    mask_selectors: NotRequired[list[str]]
    """CSS selectors of elements to cover, one selector or selector list per line. Also applies inside open shadow roots and in frames, including those of other origins. Documents don't contain the text of these elements either. At most 8192 characters in total."""
    mask: NotRequired[Literal["solid", "blur", "pixelate"]]
    """Appearance of the cover: a single color, or a pattern that resembles blurred lines or large pixels. The cover isn't computed from the content beneath it, so nothing can be recovered from it."""
    mask_color: NotRequired[str]
    """Color of the cover, with or without `#`. Black by default; for a pattern, the color of the element's text."""
    fail_on_failed_request: NotRequired[list[str]]
    """Fail if one of the page's requests fails: one URL pattern per line, as for `block_requests`, or `*` for any request. A pattern may be followed by a space and the failures that count, separated by commas: statuses or ranges, such as `500-599`, and `failed` for requests without a response. The default is `400-599,failed`. Requests canceled by the page or blocked by an option don't count. At most 2000 characters in total."""
    destination: NotRequired[str]
    """Also copy the stored screenshot to this destination, a bucket of your own that was saved with `POST /v1/destinations`. Failed copies are retried for a day. Not available to keys that are restricted to domains. See [Destinations](destinations.md)."""


class FileOptions(PageOptions):
    """Options of an image or document."""
    format: NotRequired[Literal["jpeg", "png", "webp", "avif", "jpg", "pdf", "html", "mhtml", "text", "markdown", "metadata", "elements", "har", "console", "gif", "webp-animation", "webm", "mp4"]]
    """Images: jpeg (`jpg` is an alias), png, webp or avif, which produces the smallest files and takes the longest to encode. Documents: `pdf`; `html`, the DOM after scripts have run; `mhtml`, a single file with all images and style sheets; `text`, the visible text; `markdown`, the main content; `metadata`, the page's own metadata, as JSON; `elements`, the elements that a person can use or read in the image, with role, name, selector and box in pixels, as JSON. Logs, from the navigation to the capture: `har`, the page's requests; `console`, its console messages, as JSON lines. Recordings of the page in motion: `gif`, `webp-animation`, `webm` (VP9) or `mp4` (H.264)."""
    quality: NotRequired[int]
    """Quality of jpeg, webp, avif, webp-animation, webm and mp4; ignored for png, which is lossless, and gif."""
    image_width: NotRequired[int]
    """Scale the image down to this width in pixels, for example for a thumbnail, keeping its aspect ratio. With `image_height`, the image fits within both. The page's layout is unaffected, and images are never enlarged."""
    image_height: NotRequired[int]
    """Scale the image down to this height in pixels, for example for a thumbnail, keeping its aspect ratio. With `image_width`, the image fits within both. The page's layout is unaffected, and images are never enlarged."""
    omit_background: NotRequired[bool]
    """Make the page transparent instead of white where it has no background (png, webp and avif)."""
    fit: NotRequired[Literal["model"]]
    """`model`: at most 1568 pixels on the longest side, 1.15 million pixels and 5 MB, unless an option below says otherwise."""
    max_width: NotRequired[int]
    """Maximum width in pixels."""
    max_height: NotRequired[int]
    """Maximum height in pixels."""
    max_pixels: NotRequired[int]
    """Maximum number of pixels."""
    max_bytes: NotRequired[int]
    """Maximum size of the file in bytes."""
    pdf_paper: NotRequired[Literal["A0", "A1", "A2", "A3", "A4", "A5", "A6", "Letter", "Legal", "Tabloid", "Ledger"]]
    """Paper size. By default, the page's own `@page` size, or A4 if it has none."""
    pdf_width: NotRequired[str]
    """Width of the paper, with a unit (px, in, cm, mm or pt). Requires `pdf_height`."""
    pdf_height: NotRequired[str]
    """Height of the paper, with a unit. Requires `pdf_width`."""
    pdf_landscape: NotRequired[bool]
    """Landscape orientation, regardless of the page's own `@page` size."""
    pdf_margin: NotRequired[str]
    """Margin of the paper: one length, or four for top, right, bottom and left. Default: 1cm; use `0px` for none. The page's own `@page` margin takes precedence, with a warning."""
    pdf_background: NotRequired[bool]
    """Print background colors and images."""
    pdf_scale: NotRequired[float]
    """Scale of the content."""
    pdf_pages: NotRequired[str]
    """Pages to print."""
    pdf_outline: NotRequired[bool]
    """Add an outline of the headings."""
    pdf_header: NotRequired[str]
    """HTML for the header of each page, printed in the margin; up to 65,536 characters, which leaves room for a logo as a `data:` URL. Elements with the class `date`, `title`, `url`, `pageNumber` or `totalPages` are filled in. Scripts don't run, and the page's style sheets don't apply: set a `font-size`."""
    pdf_footer: NotRequired[str]
    """HTML for the footer of each page, printed in the margin; up to 65,536 characters, which leaves room for a logo as a `data:` URL. Elements with the class `date`, `title`, `url`, `pageNumber` or `totalPages` are filled in. Scripts don't run, and the page's style sheets don't apply: set a `font-size`."""
    pdf_single_page: NotRequired[bool]
    """Print a single page as long as the document, up to 200 inches."""
    match_selectors: NotRequired[list[str]]
    """CSS selectors, one per line. `format=elements` then returns `matches` instead of `elements`: for each selector, the attributes, HTML, text and box (in CSS pixels) of every matching element, visible or not, including those in open shadow roots."""
    har_bodies: NotRequired[Literal["none", "text"]]
    """With `text`, the archive also contains the bodies of text responses, such as HTML, scripts and JSON, up to 1 MB each and 10 MB in total. They may contain the visitor's personal data."""
    har_secrets: NotRequired[bool]
    """Keep credentials in the archive: cookies, the `Authorization` header, and headers and parameters whose names suggest keys, tokens or passwords. Can't be combined with `session`. Not available in signed links or to keys that are restricted to domains."""
    clock: NotRequired[str]
    """Give the page its own clock, which skips waiting times: timers, frame callbacks, animations and workers run in a fixed order until nothing is due, for at most 5 seconds of page time. Requests still take real time. `Math.random` returns the same numbers every time. With an instant (ISO 8601; midnight UTC if no time is given), `Date` starts at that instant and is reset to it for the screenshot. `frozen` does the same with the time of the request. `fast` also starts at the time of the request, but `Date` keeps advancing. `delay` and `wait_for_selector` add page time. If running the page takes longer than `wait_until_timeout`, it is captured in its current state, with a warning."""
    time_zone: NotRequired[str]
    """Time zone of the page, as an IANA name."""
    fail_on_status: NotRequired[list[str]]
    """HTTP statuses and ranges for which the request fails with `host_returned_error` instead of returning a screenshot."""
    fail_on_verdict: NotRequired[list[Literal["blank", "error_page", "bot_wall", "login_wall", "consent_wall", "parked", "unknown"]]]
    """Verdicts for which the request fails with `unwanted_page`, at no cost, instead of returning a screenshot. Every screenshot has its verdict in `X-Verdict`."""
    fail_on_text: NotRequired[list[str]]
    """Texts or regular expressions, one per line: the capture fails if the page contains any of them. At most 2000 characters in total."""
    fail_without_text: NotRequired[list[str]]
    """Texts or regular expressions, one per line: the capture fails unless the page contains all of them. At most 2000 characters in total."""
    fail_on_console_error: NotRequired[bool]
    """Fail if the page's console contains errors, including uncaught exceptions."""
    compare_to: NotRequired[str]
    """Id of one of the account's stored screenshots. Reports what has changed since then, if `format` is an image format."""
    is_cached: NotRequired[bool]
    """Return a stored screenshot with the same options if it is younger than `cache_ttl`; otherwise capture and store. Cached responses don't count against the quota."""
    cache_ttl: NotRequired[int]
    """Maximum age of a cached screenshot in seconds, and the `max-age` of the response. Ignored without `is_cached`."""
    cache_key: NotRequired[str]
    """Arbitrary text; screenshots with different values are cached separately."""


class TakeRequest(FileOptions):
    """A screenshot."""
    url: NotRequired[str]
    """Absolute http or https URL of the page. Percent-encode it, like any value in a query string."""
    html: NotRequired[str]
    """HTML to render instead of `url`, at most 2 MB."""
    markdown: NotRequired[str]
    """GitHub-flavored Markdown to render instead of `url`, at most 2 MB."""
    base_url: NotRequired[str]
    """URL of the document in `html` or `markdown`, against which its relative links are resolved."""
    country: NotRequired[str]
    """Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given."""
    proxy: NotRequired[str]
    """URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains."""
    timeout: NotRequired[float]
    """Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning."""
    on_timeout: NotRequired[Literal["error", "partial"]]
    """What to return once `timeout` is reached: the error `target_timeout`, or a `partial` screenshot of what the page shows by then, with the verdict `partial` and a warning. A partial screenshot counts against the quota and is never cached. If the page doesn't show anything yet, the error is returned anyway."""
    explain: NotRequired[bool]
    """Record the steps of the capture, the page's redirects and requests, what was blocked and why, refused connections, and the page's errors and warnings. The record is returned as `explanation` in the JSON of `response_type=json` and of errors, and shown on the screenshot's page in the dashboard. Cached screenshots have no explanation. Credentials are removed as for `format=har`."""
    stale_while_revalidate: NotRequired[int]
    """Return a stored screenshot up to this age in seconds immediately, with `X-Cache: STALE`, and replace it with a capture in the background, which counts against the quota. A screenshot younger than `cache_ttl` is returned without a capture if `is_cached` is given."""
    stale_if_error: NotRequired[int]
    """If the capture fails, return a stored screenshot up to this age in seconds instead of the error, with `X-Cache: STALE` and the error in `X-Warnings`. It doesn't count against the quota."""
    error_image: NotRequired[bool]
    """Return errors as an image of the requested size and format that shows the message, for use in `<img>`. The status and headers are those of the error, with its code in `X-Error-Code`. Errors are JSON until the key has been accepted, with `response_type=json` or `empty`, and with a `format` that is not an image."""
    placeholder: NotRequired[str]
    """Return errors as an image filled with this color, without text; implies `error_image`. 4 or 8 digits include transparency, which png, webp and avif support. With a `format` that is not an image, errors are JSON."""
    response_type: NotRequired[Literal["image", "json", "empty"]]
    """`image` returns the image; `json` returns its metadata and a link to it; `empty` captures and stores it and returns no body."""
    attachment_name: NotRequired[str]
    """Makes browsers download the image under this file name instead of displaying it. The extension is added if missing."""
    expires: NotRequired[int]
    """Expiry time of the request in Unix seconds; a signature protects it from being changed."""
    signature: NotRequired[str]
    """Hex HMAC-SHA256 of the query string exactly as sent, without this parameter and its `&`, using the key's signing secret. Required by keys that accept only signed requests."""
    strict: NotRequired[bool]
    """Reject unknown parameters instead of ignoring them with a warning."""
    dry_run: NotRequired[bool]
    """Return the effective options, warnings and the state of the cache as JSON, without capturing or counting anything."""


class OutputRequest(FileOptions):
    """One output of a capture."""
    name: NotRequired[str]
    """Name of the output, unique in the request. Default: `output-1` and so on."""
    slice_height: NotRequired[int]
    """Height of each slice in image pixels, ±15%."""
    slice_overlap: NotRequired[int]
    """Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`."""


CaptureRequestReserved = TypedDict("CaptureRequestReserved", {"async": NotRequired[bool]})


class CaptureRequest(FileOptions, CaptureRequestReserved):
    """Several outputs of one page."""
    url: NotRequired[str]
    """Absolute http or https URL of the page. Percent-encode it, like any value in a query string."""
    html: NotRequired[str]
    """HTML to render instead of `url`, at most 2 MB."""
    markdown: NotRequired[str]
    """GitHub-flavored Markdown to render instead of `url`, at most 2 MB."""
    base_url: NotRequired[str]
    """URL of the document in `html` or `markdown`, against which its relative links are resolved."""
    slice_height: NotRequired[int]
    """Height of each slice in image pixels, ±15%."""
    slice_overlap: NotRequired[int]
    """Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`."""
    country: NotRequired[str]
    """Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given."""
    proxy: NotRequired[str]
    """URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains."""
    timeout: NotRequired[float]
    """Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning."""
    expires: NotRequired[int]
    """Expiry time of the request in Unix seconds; a signature protects it from being changed."""
    response_type: NotRequired[Literal["json", "zip"]]
    """`json` returns links to the outputs; `zip` returns their files, with the same JSON as `capture.json`."""
    outputs: list[OutputRequest]
    """The outputs, in any order. Their options override the shared ones."""
    webhook_url: NotRequired[str]
    """With `async`: receives `capture.done` or `capture.failed`. See docs/webhooks.md."""


class BatchShared(FileOptions):
    """Options of all captures of a batch."""
    url: NotRequired[str]
    """Absolute http or https URL of the page. Percent-encode it, like any value in a query string."""
    html: NotRequired[str]
    """HTML to render instead of `url`, at most 2 MB."""
    markdown: NotRequired[str]
    """GitHub-flavored Markdown to render instead of `url`, at most 2 MB."""
    base_url: NotRequired[str]
    """URL of the document in `html` or `markdown`, against which its relative links are resolved."""
    slice_height: NotRequired[int]
    """Height of each slice in image pixels, ±15%."""
    slice_overlap: NotRequired[int]
    """Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`."""
    country: NotRequired[str]
    """Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given."""
    proxy: NotRequired[str]
    """URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains."""
    timeout: NotRequired[float]
    """Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning."""
    expires: NotRequired[int]
    """Expiry time of the request in Unix seconds; a signature protects it from being changed."""
    outputs: NotRequired[list[OutputRequest]]
    """The outputs, in any order. Their options override the shared ones."""


class BatchEntry(FileOptions):
    """A capture of a batch."""
    name: NotRequired[str]
    """Name of the capture, unique in the batch. Derived from the URL by default."""
    url: NotRequired[str]
    """Absolute http or https URL of the page. Percent-encode it, like any value in a query string."""
    html: NotRequired[str]
    """HTML to render instead of `url`, at most 2 MB."""
    markdown: NotRequired[str]
    """GitHub-flavored Markdown to render instead of `url`, at most 2 MB."""
    base_url: NotRequired[str]
    """URL of the document in `html` or `markdown`, against which its relative links are resolved."""
    slice_height: NotRequired[int]
    """Height of each slice in image pixels, ±15%."""
    slice_overlap: NotRequired[int]
    """Number of rows that each slice repeats from the end of the previous one, at most half of `slice_height`. Requires `slice_height`."""
    country: NotRequired[str]
    """Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given."""
    proxy: NotRequired[str]
    """URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains."""
    timeout: NotRequired[float]
    """Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning."""
    expires: NotRequired[int]
    """Expiry time of the request in Unix seconds; a signature protects it from being changed."""
    outputs: NotRequired[list[OutputRequest]]
    """The outputs, in any order. Their options override the shared ones."""


class BatchRequestCrawl(TypedDict):
    """Instead of `captures`: captures a page and, by following links, other pages of its site."""
    url: str
    """URL of the first page. Only pages on its host are captured."""
    depth: NotRequired[int]
    """Maximum number of links to follow from the first page to any other."""
    limit: NotRequired[int]
    """Maximum number of pages to load."""
    include: NotRequired[list[str]]
    """Patterns of the pages to capture besides the first, matched against path and query; `*` matches any text. Default: all pages."""
    exclude: NotRequired[list[str]]
    """Patterns of the pages not to capture, matched against path and query."""


class BatchRequest(TypedDict):
    """Many captures; needs `captures` or `sitemap_url`."""
    shared: NotRequired[BatchShared]
    """Options for all captures. A capture's own options override them."""
    captures: NotRequired[list[BatchEntry]]
    """Each entry is like the body of `POST /v1/captures`; without `outputs` it has a single output named `screenshot`."""
    sitemap_url: NotRequired[str]
    """Instead of `captures`: captures the pages listed in this sitemap. Sitemap indexes and gzip are supported, up to 50,000 entries."""
    limit: NotRequired[int]
    """Maximum number of pages from the sitemap."""
    crawl: NotRequired[BatchRequestCrawl]
    """Instead of `captures`: captures a page and, by following links, other pages of its site."""
    webhook_url: NotRequired[str]
    """Receives `batch.done`. See docs/webhooks.md."""


class SessionRequestSteps(TypedDict):
    secret: str


class SessionRequest(TypedDict):
    """Cookies and storage for pages that need a sign-in."""
    name: str
    """Name to send as the `session` option."""
    state: NotRequired[dict[str, Any]]
    """In the format of Playwright's `storageState`: cookies, and each origin's storage. Send either this, or `url` and `steps`."""
    url: NotRequired[str]
    """URL where the steps begin, usually the sign-in page."""
    steps: NotRequired[list[dict[str, str | float | SessionRequestSteps]]]
    """Steps that sign in, as in the `steps` option. A `text` may refer to a secret by name: `{"secret": "password"}`."""
    secrets: NotRequired[dict[str, str]]
    """At most 20 values for the steps, by name. They are encrypted and never returned."""
    sign_in_hosts: NotRequired[list[str]]
    """Additional hosts on which the steps may type, such as a single sign-on host. By default, they type only on the site of `url`: its registrable domain and all subdomains."""


class DestinationRequest(TypedDict):
    """A bucket to which screenshots are copied."""
    name: str
    """Name to send as the `destination` option."""
    endpoint: str
    """URL of the S3 server, such as `https://s3.eu-central-1.amazonaws.com`."""
    bucket: str
    """Name of an existing bucket."""
    region: NotRequired[str]
    """Region of the bucket; some servers require `auto`."""
    path_style: NotRequired[bool]
    """Whether the bucket's name is in the path of requests, which most servers accept; otherwise it is in the host name."""
    template: NotRequired[str]
    """Key of each copy. `{host}`: the page's host; `{date}` and `{time}`: when the capture was made, in UTC, such as 2026-01-31 and 235959; `{label}`: the output's name, or `attachment_name`, or `screenshot`; `{id}`: the screenshot's id; `{name}`: label and id, so that no copy replaces another; `{ext}`: the format's extension."""
    access_key_id: str
    """Encrypted, and never returned."""
    secret_access_key: str
    """Encrypted, and never returned."""


class WatchRequest(PageOptions):
    """A page that is captured on a schedule."""
    url: str
    """Page to watch."""
    time_zone: NotRequired[str | None]
    """Time zone for `cron` and the page. Default: UTC; for the page, the time zone of `country` if it is set."""
    country: NotRequired[str]
    """Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given."""
    proxy: NotRequired[str]
    """URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains."""
    timeout: NotRequired[float]
    """Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning."""
    name: NotRequired[str | None]
    """Derived from `url` by default."""
    every: NotRequired[str | None]
    """Interval, such as `30m`, `12h` or `1d`, up to `30d`. Default: `1d`."""
    cron: NotRequired[str | None]
    """Cron expression with five fields, such as `0 9 * * 1-5`, instead of `every`."""
    compare: NotRequired[Literal["pixels", "text", "both"] | None]
    """What counts as a change. Default: `both`."""
    threshold: NotRequired[float | None]
    """Share of pixels that must differ, 0 to 1. Default: 0, any visible change."""
    ignore_selectors: NotRequired[list[str] | None]
    """CSS selectors of elements to ignore."""
    webhook_url: NotRequired[str | None]
    """Receives `watch.changed` and `watch.failed`."""


class WatchChange(PageOptions):
    """Changes to a watch."""
    url: NotRequired[str]
    """Absolute http or https URL of the page. Percent-encode it, like any value in a query string."""
    time_zone: NotRequired[str | None]
    """Time zone for `cron` and the page. Default: UTC; for the page, the time zone of `country` if it is set."""
    country: NotRequired[str]
    """Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given."""
    proxy: NotRequired[str]
    """URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains."""
    timeout: NotRequired[float]
    """Maximum seconds from receiving the complete request to sending the response, including the wait for a browser. Values above 30 are treated as 30, with a warning."""
    name: NotRequired[str | None]
    """Derived from `url` by default."""
    every: NotRequired[str | None]
    """Interval, such as `30m`, `12h` or `1d`, up to `30d`. Default: `1d`."""
    cron: NotRequired[str | None]
    """Cron expression with five fields, such as `0 9 * * 1-5`, instead of `every`."""
    compare: NotRequired[Literal["pixels", "text", "both"] | None]
    """What counts as a change. Default: `both`."""
    threshold: NotRequired[float | None]
    """Share of pixels that must differ, 0 to 1. Default: 0, any visible change."""
    ignore_selectors: NotRequired[list[str] | None]
    """CSS selectors of elements to ignore."""
    webhook_url: NotRequired[str | None]
    """Receives `watch.changed` and `watch.failed`."""


class ScreenshotTarget(TypedDict):
    status: int | None
    url: str


class ScreenshotVerdict(TypedDict):
    kind: Literal["ok", "blank", "error_page", "bot_wall", "login_wall", "consent_wall", "parked", "partial", "unknown"]
    """What the image shows: the page (`ok`), or something in its place."""
    confidence: float
    """A wall or an error whose confidence is below 0.75 is reported as `ok`, and named in a warning."""
    reasons: list[str]
    """Human-readable sentences, the strongest reason first; empty for `ok`."""


class Screenshot(TypedDict):
    id: str
    url: str | None
    """Link to the image, valid for a day; null if it could not be stored."""
    format: Literal["jpeg", "png", "webp", "avif", "pdf", "html", "mhtml", "text", "markdown", "metadata", "elements", "har", "console", "gif", "webp-animation", "webm", "mp4"]
    bytes: int
    width: int | None
    """Device pixels; null for a document."""
    height: int | None
    """Device pixels; null for a document."""
    title: str
    """Title of the page."""
    target: ScreenshotTarget
    verdict: ScreenshotVerdict
    cache: Literal["HIT", "MISS", "COALESCED", "STALE"]
    captured_at: str
    timings: dict[str, int]
    """Duration of each phase in milliseconds."""
    wait_ended: NotRequired[Literal["ready", "timeout"]]
    """Whether the page became ready as `wait_until` requires, or was captured when `wait_until_timeout` expired; absent if the screenshot was captured for an earlier request."""
    explanation: NotRequired[Explanation]
    comparison: NotRequired[Comparison]
    warnings: list[str]


class ExplanationSteps(TypedDict):
    at: int
    """Milliseconds since the capture was assigned a browser."""
    text: str


ExplanationRedirectsReserved = TypedDict("ExplanationRedirectsReserved", {"from": NotRequired[str]})


class ExplanationRedirects(ExplanationRedirectsReserved):
    to: str
    status: int


class ExplanationRequests(TypedDict):
    at: int
    """Milliseconds since the capture was assigned a browser."""
    duration: int | None
    """Milliseconds; null if the request was still pending when the capture ended."""
    url: str
    type: str
    status: int | None
    """HTTP status; null if there was no response."""
    bytes: int | None
    """Bytes received, including headers."""
    outcome: Literal["done", "failed", "blocked", "pending"]
    reason: str | None
    """The error of a failed request, or the option that blocked the request."""


class ExplanationRefused(TypedDict):
    host: str
    port: int
    reason: str


class ExplanationConsole(TypedDict):
    level: Literal["error", "warning"]
    text: str
    source: str | None


class Explanation(TypedDict):
    """Record of a capture that used the `explain` option."""
    steps: list[ExplanationSteps]
    """Steps of the capture, in order."""
    redirects: list[ExplanationRedirects]
    """Redirects of the page itself."""
    requests: list[ExplanationRequests]
    """The page's requests in order, at most 200, excluding those from cross-origin frames."""
    requests_total: int
    refused: list[ExplanationRefused]
    """Connections from the page that were refused."""
    console: list[ExplanationConsole]
    """The page's errors and warnings; empty if the capture failed."""


class ComparisonBefore(TypedDict):
    id: str
    width: int
    height: int
    link: str
    """Signed link to the image, valid for a day."""


class ComparisonAfter(TypedDict):
    id: str
    width: int
    height: int
    link: str
    """Signed link to the image, valid for a day."""


class Comparison(TypedDict):
    """With `compare_to`: the differences from that screenshot."""
    changed: bool
    changed_share: float
    """Share of pixels that differ, after moved content has been aligned."""
    before: ComparisonBefore
    after: ComparisonAfter
    regions: list[ChangedRegion]
    """At most 100. Changed, added and removed regions come before moved ones; each group is sorted by area."""


class ChangedRegionBefore(TypedDict):
    """In pixels of the image."""
    x: float
    y: float
    width: float
    height: float


class ChangedRegionAfter(TypedDict):
    """In pixels of the image."""
    x: float
    y: float
    width: float
    height: float


class ChangedRegion(TypedDict):
    kind: Literal["changed", "added", "removed", "moved"]
    name: str
    """Human-readable name, such as `Price: 19 € → 21 €`."""
    selector: str | None
    """CSS selector of the element; null if unknown, or if it has more than 2,000 characters, or 200 after many long ones."""
    before: ChangedRegionBefore | None
    after: ChangedRegionAfter | None
    text_before: str | None
    """At most 1,000 characters, or 100 after many long texts; null if no text changed."""
    text_after: str | None
    """At most 1,000 characters, or 100 after many long texts; null if no text changed."""


class CaptureTarget(TypedDict):
    """The page, as loaded for the first output that did not fail."""
    url: str
    status: int | None
    title: str


class Capture(TypedDict):
    id: str
    """Id of the capture, shared by the records of its outputs."""
    source: Literal["url", "html", "markdown"]
    """What the page was loaded from."""
    target: CaptureTarget
    """The page, as loaded for the first output that did not fail."""
    loads: int
    """How many times the page was loaded; 0 if all outputs were cached."""
    outputs: list[CaptureOutput]
    warnings: list[str]
    """Warnings that all outputs share."""
    timings: dict[str, Any]
    """Duration of each phase in milliseconds."""


class CaptureOutputSlices(TypedDict):
    id: str
    """Id of the stored file and its record."""
    y: int
    """Row of the whole image at which the slice starts."""
    width: int
    height: int
    bytes: int
    etag: str
    file: NotRequired[str]
    """Name of the file in the zip."""
    url: str | None
    """Signed link to the file; null if it is not stored yet, or could not be stored."""
    expires_at: str | None
    """Expiry time of the link."""
    copy: NotRequired[Copy]


class CaptureOutputVerdict(TypedDict):
    kind: Literal["ok", "blank", "error_page", "bot_wall", "login_wall", "consent_wall", "parked", "partial", "unknown"]
    confidence: float
    reasons: list[str]


class CaptureOutputError(TypedDict):
    """Why the output is missing, in the format of error responses."""
    error: str
    code: str
    message: str
    retryable: bool
    requestId: str


class CaptureOutput(TypedDict):
    name: str
    id: NotRequired[str]
    """Id of the stored file and its record."""
    format: NotRequired[Literal["jpeg", "png", "webp", "avif", "pdf", "html", "mhtml", "text", "markdown", "metadata", "elements", "har", "console", "gif", "webp-animation", "webm", "mp4"]]
    content_type: NotRequired[str]
    bytes: NotRequired[int]
    width: NotRequired[int | None]
    """In pixels; null for a document."""
    height: NotRequired[int | None]
    etag: NotRequired[str]
    file: NotRequired[str]
    """Name of the file in the zip."""
    url: NotRequired[str | None]
    """Signed link to the file; null if it is not stored yet, or could not be stored."""
    expires_at: NotRequired[str | None]
    """Expiry time of the link."""
    copy: NotRequired[Copy]
    slices: NotRequired[list[CaptureOutputSlices]]
    """With `slice_height`: the files, from top to bottom. The output itself then has no `id`, `etag`, `file` or link; its size is that of the whole image, its bytes the total of all slices."""
    cache: NotRequired[Literal["HIT", "MISS"]]
    """`HIT`: stored earlier, with `is_cached`."""
    loaded_again: NotRequired[bool]
    """Whether the page was loaded again for this output."""
    verdict: NotRequired[CaptureOutputVerdict]
    warnings: NotRequired[list[str]]
    timings: NotRequired[dict[str, Any]]
    """Duration of each phase in milliseconds."""
    comparison: NotRequired[Comparison]
    error: NotRequired[CaptureOutputError]
    """Why the output is missing, in the format of error responses."""


class Copy(TypedDict):
    destination: str
    state: Literal["pending", "delivered", "failed"]
    key: str | None
    """Key in the bucket; null until one has been assigned."""
    error: str | None
    """Why the copy failed or, if `state` is `pending`, why its latest attempt failed, as a sentence. Null if the copy succeeded or has not been attempted."""


class CaptureStateTarget(TypedDict):
    """The page, as loaded for the first output that did not fail."""
    url: str
    status: int | None
    title: str


class CaptureStateBatch(TypedDict):
    """For a capture in a batch: its index in the request, and its name. In a crawl, pages are numbered as they are found, and `depth` is the number of links followed from the first page to this one."""
    id: str
    index: int
    name: str
    depth: NotRequired[int]


class CaptureStateError(TypedDict):
    """Why the output is missing, in the format of error responses."""
    error: str
    code: str
    message: str
    retryable: bool
    requestId: str


class CaptureState(TypedDict):
    id: str
    source: NotRequired[Literal["url", "html", "markdown"]]
    """What the page was loaded from."""
    target: NotRequired[CaptureStateTarget]
    """The page, as loaded for the first output that did not fail."""
    loads: NotRequired[int]
    """How many times the page was loaded; 0 if all outputs were cached."""
    outputs: NotRequired[list[CaptureOutput]]
    warnings: NotRequired[list[str]]
    """Warnings that all outputs share."""
    timings: NotRequired[dict[str, Any]]
    """Duration of each phase in milliseconds."""
    status: Literal["queued", "running", "done", "failed", "canceled"]
    created_at: str
    started_at: str | None
    ended_at: str | None
    batch: NotRequired[CaptureStateBatch]
    """For a capture in a batch: its index in the request, and its name. In a crawl, pages are numbered as they are found, and `depth` is the number of links followed from the first page to this one."""
    error: NotRequired[CaptureStateError]
    """Why the output is missing, in the format of error responses."""


class BatchCounts(TypedDict):
    """Number of captures by status."""
    queued: int
    running: int
    done: int
    failed: int
    canceled: int


class Batch(TypedDict):
    id: str
    status: Literal["running", "done"]
    """`done` once the batch's last capture has ended."""
    total: int
    """Number of captures."""
    counts: BatchCounts
    """Number of captures by status."""
    rate: float | None
    """Recent captures per minute; null if none has ended recently."""
    seconds_left: int | None
    """Estimated from `rate`; null if captures are left and the rate is unknown."""
    created_at: str
    ended_at: str | None
    crawl: NotRequired[Crawl]


class Crawl(TypedDict):
    """Set if the batch follows links. `total` then grows until the batch has ended."""
    url: str
    depth: int
    limit: int
    include: list[str]
    exclude: list[str]
    deepest: int
    """Greatest depth of the captures so far; the first page has depth 0."""
    left_out: list[LeftOut]
    """Pages that were found but not captured, by reason; the most frequent first."""


class LeftOut(TypedDict):
    reason: Literal["nofollow", "other_site", "not_a_page", "excluded", "target_not_allowed", "robots", "trap", "depth", "limit", "quota", "time", "duplicate", "page_links"]
    count: int
    examples: list[str]
    """URLs of a few of these pages."""


class PageSession(TypedDict):
    id: str
    name: str
    hosts: list[str]
    """Hosts that the session may be used for; a leading dot includes subdomains."""
    version: int
    """Number of states saved under this name so far."""
    created_at: str
    updated_at: str
    last_used_at: str | None
    """Accurate to within a minute."""
    signs_in: bool
    """Whether the session has sign-in steps, which run again when the session has been signed out."""
    signed_in_at: str | None
    """When the steps last signed in."""
    sign_in_error: str | None
    """Why the last sign-in attempt failed; null if it succeeded or there was none."""


class Destination(TypedDict):
    id: str
    name: str
    endpoint: str
    bucket: str
    region: str
    path_style: bool
    template: str
    created_at: str
    updated_at: str
    copied_at: str | None
    """Time of the latest successful copy or test."""
    error: str | None
    """Why the latest copy or test failed, as a sentence; null if it succeeded."""
    error_at: str | None
    is_paused: bool
    """Whether copies fail without an attempt, because 20 in a row have failed or the server has responded with 410 Gone. A successful test ends the pause."""


class DestinationTest(TypedDict):
    works: bool
    """Whether the object was written."""
    key: str
    """Key of the object."""
    problem: str | None
    """Why the object could not be written or deleted, as a sentence."""


class WatchLastScreenshot(TypedDict):
    id: str
    link: str
    """Signed link to the image, valid for a day."""
    width: int
    height: int


class WatchRecent(TypedDict):
    id: str
    status: Literal["queued", "running", "learning", "unchanged", "changed", "failed"]
    at: str


class Watch(TypedDict):
    id: str
    name: str
    url: str
    state: Literal["active", "paused"]
    every: str | None
    cron: str | None
    time_zone: str
    compare: Literal["pixels", "text", "both"]
    threshold: float
    ignore_selectors: list[str]
    webhook_url: str | None
    options: dict[str, Any]
    """Capture options; secret values are replaced by `given`."""
    phase: Literal["learning", "watching"]
    """`learning`: the first three runs learn which parts of the page differ on every load."""
    status: Literal["new", "unchanged", "changed", "failed"]
    """Result of the latest run that has ended."""
    accepted_run_id: str | None
    """Run that later runs are compared with."""
    latest_run: WatchRun | None
    last_screenshot: WatchLastScreenshot | None
    """The image of the latest run that has one."""
    recent: list[WatchRecent]
    """The last 30 runs, newest first."""
    muted: list[Muted]
    """Parts of the page that are not compared, muted by the owner or learned."""
    feed_url: str
    """Signed URL of the Atom feed."""
    next_run_at: str | None
    """Null if the watch is paused."""
    created_at: str


class WatchRunScreenshot(TypedDict):
    id: str
    link: str
    """Signed link to the image, valid for a day."""
    width: int
    height: int


class WatchRunError(TypedDict):
    code: str
    message: str


class WatchRun(TypedDict):
    id: str
    status: Literal["queued", "running", "learning", "unchanged", "changed", "failed"]
    """`learning`: one of the first runs, which don't report changes."""
    created_at: str
    ended_at: str | None
    capture_id: str | None
    """Null if the capture could not be queued, for example because the quota was exhausted."""
    screenshot: WatchRunScreenshot | None
    """The image; null if there is none or it has been deleted."""
    compared_with_run_id: str | None
    changed_share: float | None
    """Share of pixels that differ, 0 to 1."""
    regions: list[ChangedRegion]
    """Regions that differ: the first three in lists and in `latest_run`, otherwise at most 100."""
    regions_total: int
    difference_link: str | None
    """Signed link to the image with the regions marked."""
    reported: bool
    """Whether the run was reported: it found a change not seen before, or was the first to fail."""
    accepted: bool
    """Whether later runs are, or were, compared with this one."""
    error: WatchRunError | None


class MutedBox(TypedDict):
    """In pixels of the image."""
    x: float
    y: float
    width: float
    height: float


class Muted(TypedDict):
    id: str
    kind: Literal["selector", "box"]
    selector: str | None
    box: MutedBox | None
    by: Literal["user", "learned"]
    name: str
    created_at: str


class ErrorAnswerDetails(TypedDict):
    parameter: str
    message: str
    allowed: NotRequired[str]


class ErrorAnswer(TypedDict):
    error: str
    """Human-readable message."""
    requestId: str
    code: Literal["invalid_parameters", "invalid_url", "target_blocked", "name_not_resolved", "connection_failed", "proxy_failed", "tls_error", "too_many_redirects", "target_timeout", "selector_not_found", "host_returned_error", "unwanted_page", "sign_in_failed", "page_crashed", "page_too_heavy", "not_a_page", "image_too_large", "document_too_large", "codec_unavailable", "not_signed_in", "invalid_credentials", "sign_in_expired", "invalid_api_key", "domain_not_allowed", "target_not_allowed", "proxy_not_allowed", "signature_invalid", "origin_not_allowed", "not_permitted", "account_disabled", "sign_up_refused", "invitation_invalid", "email_not_verified", "link_invalid", "second_factor_required", "quota_exceeded", "not_found", "method_not_allowed", "request_timeout", "capture_begun", "idempotency_key_reused", "watch_limit_reached", "session_limit_reached", "destination_limit_reached", "changed_meanwhile", "not_possible", "key_limit_reached", "email_taken", "payload_too_large", "uri_too_long", "unsupported_media_type", "rate_limited", "queue_full", "headers_too_large", "internal_error", "unavailable"]
    """Machine-readable code; stable."""
    message: str
    """The same as `error`."""
    retryable: bool
    """Whether retrying the same request may succeed."""
    details: NotRequired[list[ErrorAnswerDetails]]
    explanation: NotRequired[Explanation]
