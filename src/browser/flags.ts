/** The command line that Chromium is started with. */

import { statfsSync } from "node:fs";

export interface ChromiumOptions {
  executablePath: string;
  sandbox: boolean;
  webgl: boolean;
}

/** Chromium's features that talk to the network, ask the user or change a picture from one run to the next. */
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
  "Prerender2FallbackPrefetchSpecRules", // a prefetch for each page that is to be prerendered, which has a queue of its own
  "Translate",
];

/**
 * No page is prefetched, whatever a page's speculation rules say: navigations that use a prefetched answer are never paused. Chromium has
 * no switch for it, so none may run at a time; such navigations are then made as if there were no rules.
 */
const noPrefetch = "PrefetchMultipleActiveSetSizeLimitForBase:prefetch_multiple_active_set_size_limit_for_base_value/0";

const scriptHeapMb = 512;

/**
 * The flags of one browser. Complete: none of the launcher's own defaults are added, above all not
 * `--disable-ipc-flooding-protection`, without which a page that floods `history.pushState` keeps the whole browser busy.
 */
export function chromiumFlags(
  { sandbox, webgl }: ChromiumOptions,
  { profile, proxyServer }: { profile: string; proxyServer: string },
): string[] {
  return [
    "--headless",
    "--remote-debugging-pipe",
    `--user-data-dir=${profile}`,

    // The egress filter. Without `<-loopback>` Chromium connects to loopback and link-local addresses directly; UDP bypasses the proxy.
    `--proxy-server=${proxyServer}`,
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    // Chromium has nothing to look up but the proxy. Otherwise a WebRTC peer under `.local` makes it ask the whole network segment by mDNS.
    "--host-resolver-rules=MAP * ^NOTFOUND, EXCLUDE 127.0.0.1",

    // A page opens no others: a flood of popups would keep the browser busy with pages that nobody captures.
    "--block-new-web-contents",
    // A page's scripts end at this heap instead of at the machine's memory.
    `--js-flags=--max-old-space-size=${scriptHeapMb}`,

    // Nothing of the browser's own goes out or asks.
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
    `--disable-features=${disabledFeatures.join(",")}`,
    `--enable-features=${noPrefetch}`,

    // A page that nobody looks at runs at full speed, and looks the same on every machine.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    // Otherwise a large image that is decoded beside the drawing is a blank in the picture.
    "--disable-checker-imaging",
    "--disable-hang-monitor",
    "--disable-renderer-backgrounding",
    "--font-render-hinting=none",
    // `image-animation` is the only way to stop animated images.
    "--enable-blink-features=CSSImageAnimation",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-US",
    "--mute-audio",

    // With software WebGL the GPU process is unsandboxed, and one endless shader hangs every later capture of the browser.
    ...(webgl ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] : ["--disable-gpu", "--disable-software-rasterizer"]),
    ...(sandbox ? [] : ["--no-sandbox"]),
    ...(sharedMemoryIsSmall() ? ["--disable-dev-shm-usage"] : []),
    "about:blank",
  ];
}

/** Containers have 64 MB of shared memory unless told otherwise, and pages crash when it is full. */
function sharedMemoryIsSmall(): boolean {
  try {
    const { blocks, bsize } = statfsSync("/dev/shm");
    return blocks * bsize < 256 * 1024 * 1024;
  } catch {
    return true;
  }
}
