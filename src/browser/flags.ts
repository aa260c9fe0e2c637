/** Chromium's command line. */

import { statfsSync } from "node:fs";

export interface ChromiumOptions {
  executablePath: string;
  sandbox: boolean;
  webgl: boolean;
  /** Whether it is lent to a client, which may scroll its pages with the wheel and the keyboard. */
  isLent?: boolean;
}

/** Features that use the network, prompt the user, or make screenshots vary between runs. */
const disabledFeatures = [
  "AcceptCHFrame",
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "GlobalMediaControls",
  "InterestFeedContentSuggestions",
  "MediaRouter",
  "OptimizationHints",
  "PaintHolding",
  "Prerender2FallbackPrefetchSpecRules", // prefetches pages for prerendering, through a separate queue
  "Translate",
];

/**
 * Disables prefetching by speculation rules: navigations that use a prefetched response can't be intercepted. Chromium has no switch
 * for this, so the number of concurrent prefetches is set to zero; navigations then behave as if there were no rules.
 */
const noPrefetch = "PrefetchMultipleActiveSetSizeLimitForBase:prefetch_multiple_active_set_size_limit_for_base_value/0";

const scriptHeapMb = 512;

/**
 * All command-line flags of a browser. Puppeteer's defaults are not added: one of them, `--disable-ipc-flooding-protection`, would let a
 * page that floods `history.pushState` keep the whole browser busy.
 */
export function chromiumFlags(
  { sandbox, webgl, isLent = false }: ChromiumOptions,
  { profile, proxyServer }: { profile: string; proxyServer: string },
): string[] {
  return [
    "--headless",
    "--remote-debugging-pipe",
    `--user-data-dir=${profile}`,
    ...networkFlags(proxyServer),
    ...limits,
    ...quiet,
    `--disable-features=${disabledFeatures.join(",")}`,
    `--enable-features=${noPrefetch}`,
    ...rendering,
    blinkFlag(isLent ? pointer : { ...pointer, ...wholeDocument }),
    // With software WebGL the GPU process is unsandboxed, and one endless shader would hang every later capture in the browser.
    ...(webgl ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] : ["--disable-gpu", "--disable-software-rasterizer"]),
    ...(sandbox ? [] : ["--no-sandbox"]),
    ...(isSharedMemorySmall() ? ["--disable-dev-shm-usage"] : []),
    "about:blank",
  ];
}

function networkFlags(proxyServer: string): string[] {
  return [
    // The egress filter, which UDP would bypass. Without `<-loopback>`, Chromium would reach loopback and link-local addresses directly.
    `--proxy-server=${proxyServer}`,
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    // Only the proxy's address is resolved. Otherwise a WebRTC peer under `.local` would cause an mDNS query to the whole network segment.
    "--host-resolver-rules=MAP * ^NOTFOUND, EXCLUDE 127.0.0.1",
  ];
}

const limits = [
  // Popups are blocked: a flood of them would keep the browser busy with pages that aren't captured.
  "--block-new-web-contents",
  // Scripts exhaust this heap before the machine runs out of memory.
  `--js-flags=--max-old-space-size=${scriptHeapMb}`,
];

/** Disables the browser's own network traffic and prompts. */
const quiet = [
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-prompt-on-repost",
  "--disable-search-engine-choice-screen",
  "--disable-sync",
  "--metrics-recording-only",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
  "--password-store=basic",
  "--use-mock-keychain",
];

/** Reports a mouse, as on a desktop: without one, pages show their touch layout. Emulated touch and mobile devices override it. */
const pointer = {
  primaryHoverType: 2,
  availableHoverTypes: 2,
  primaryPointerType: 4,
  availablePointerTypes: 4,
};

/**
 * Content far outside the viewport is also drawn. `captureBeyondViewport` does this for a single screenshot, but briefly gives the page a
 * window of 1 × 1 pixels, and lays it out twice. With this setting, neither the wheel nor the keyboard scrolls a page.
 */
const wholeDocument = { mainFrameClipsContent: false };

function blinkFlag(blinkSettings: Record<string, number | boolean>): string {
  const settings = Object.entries(blinkSettings).map(([name, value]) => `${name}=${value}`);
  return `--blink-settings=${settings.join()}`;
}

/** Makes pages run at full speed although they are never visible, and render the same on every machine. */
const rendering = [
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  // Without this, a large image that is decoded asynchronously would be blank in the screenshot.
  "--disable-checker-imaging",
  "--disable-hang-monitor",
  // Without this, only changed areas would be redrawn, and curves that cross an area's border would depend on what was drawn before.
  "--disable-partial-raster",
  "--disable-renderer-backgrounding",
  "--font-render-hinting=none",
  // The CSS property `image-animation` is the only way to stop animated images.
  "--enable-blink-features=CSSImageAnimation",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--lang=en-US",
  "--mute-audio",
];

/** Containers have 64 MB of shared memory by default, and pages crash when it is full. */
function isSharedMemorySmall(): boolean {
  try {
    const { blocks, bsize } = statfsSync("/dev/shm");
    return blocks * bsize < 256 * 1024 * 1024;
  } catch {
    return true;
  }
}
