/** Requests from browserless's documentation. */

import { waitOptions } from "../../../src/http/compat/browserless-waits.ts";
import type { Documented } from "./documented.ts";

const url = "SITE/";

const fetching =
  "async()=>{const res=await fetch('SITE/todo.json');const json=await res.json();document.querySelector('h1').innerText = json.title;}";

const oneHeading = "() => document.querySelectorAll('h1').length === 1";

export const documented: Documented[] = [
  {
    path: "/content",
    sends: { url, waitForFunction: { fn: fetching, timeout: 5000 } },
    means: { wait_for_function: waitOptions({ "waitForFunction.fn": fetching, "waitForFunction.timeout": 5000 }) },
  },
  { sends: { url, options: { fullPage: true, type: "png" } }, means: { full_page: true, format: "png", width: 800, height: 600 } },
  {
    path: "/chromium/screenshot",
    sends: {
      url,
      options: { type: "webp" },
      gotoOptions: { waitUntil: "networkidle2", timeout: 30000 },
      blockAds: true,
      viewport: { width: 500, height: 400, deviceScaleFactor: 2, isMobile: false, hasTouch: true, isLandscape: true },
    },
    means: {
      format: "webp",
      wait_until: ["networkidle2"],
      block_ads: true,
      width: 500,
      height: 400,
      device_scale_factor: 2,
      is_mobile: false,
      has_touch: true,
      is_landscape: true,
    },
  },
  {
    path: "/chrome/screenshot",
    sends: {
      url,
      options: {
        type: "jpeg",
        quality: 75,
        clip: { height: 200, width: 600, x: 90, y: 100 },
        fullPage: false,
        encoding: "binary",
        captureBeyondViewport: true,
        fromSurface: true,
        optimizeForSpeed: true,
      },
    },
    means: { format: "jpeg", quality: 75, clip_x: 90, clip_y: 100, clip_width: 600, clip_height: 200 },
  },
  {
    sends: {
      url,
      addScriptTag: [{ url: "SITE/script.js" }, { content: "document.querySelector(`h1`).innerText = `Hello Word!`" }],
      addStyleTag: [
        { content: "body { height: 100vh; background: linear-gradient(45deg, #da5a44, #a32784); }" },
        { url: "SITE/style.css" },
      ],
    },
    means: { styles: "body { height: 100vh; background: linear-gradient(45deg, #da5a44, #a32784); }\n" },
  },
  {
    sends: { url, rejectResourceTypes: ["image"], rejectRequestPattern: ["/^.*\\.(css)"] },
    means: { block_resources: ["image"], block_requests: ["*://*.css*"] },
  },
  {
    sends: { url, waitForSelector: { selector: "h1", timeout: 500, visible: true }, scrollPage: true },
    means: {
      on_timeout: "error",
      wait_for_function: waitOptions({ "waitForSelector.selector": "h1", "waitForSelector.timeout": 500, "waitForSelector.visible": true }),
      timeout: 30,
      full_page_scroll: true,
    },
  },
  {
    sends: { url, bestAttempt: true, waitForSelector: { selector: "table", timeout: 500 } },
    means: { on_timeout: "partial", wait_for_selector: undefined },
  },
  { path: "/content", sends: { url, timeout: 0, gotoOptions: { timeout: 0 }, trackingId: "a" }, means: { format: "html" } },
  { path: "/content", sends: { url, waitForTimeout: 1000, timeout: 12000 }, means: { format: "html", delay: 1, timeout: 12 } },
  {
    path: "/content",
    sends: {
      url,
      waitForSelector: { selector: ".gone", hidden: true, timeout: 1000 },
      gotoOptions: { timeout: 10000, referer: "https://example.com/" },
    },
    means: { wait_for_hidden: ".gone", headers: "given", timeout: 11 },
  },
  {
    path: "/content",
    sends: { url, waitForFunction: { fn: oneHeading, polling: 100, timeout: 5000 } },
    means: { wait_for_function: waitOptions({ "waitForFunction.fn": oneHeading, "waitForFunction.timeout": 5000 }) },
  },
  {
    sends: {
      url,
      setExtraHTTPHeaders: { "X-A": "1" },
      cookies: [{ name: "a", value: "1", path: "/", httpOnly: true, sameSite: "Lax" }],
      authenticate: { username: "user", password: "pass" },
      userAgent: { userAgent: "Preview/1.0" },
      emulateMediaType: "print",
      setJavaScriptEnabled: false,
      selector: "h1",
      blockConsentModals: true,
      stealth: true,
      launch: { headless: true, stealth: true, blockAds: true, args: ["--no-sandbox", "--window-size=1280,720"], slowMo: 0 },
      options: { omitBackground: true, clip: undefined },
    },
    means: {
      headers: "given",
      cookies: "given",
      authorization: "given",
      user_agent: "Preview/1.0",
      media_type: "print",
      javascript: false,
      selector: "h1",
      block_ads: true,
      block_cookie_banners: true,
      omit_background: true,
    },
  },
  {
    path: "/pdf",
    sends: { url, options: { displayHeaderFooter: true, printBackground: false, format: "A0" } },
    means: { format: "pdf", pdf_paper: "A0", pdf_background: false, pdf_margin: "0px", pdf_outline: false },
  },
  {
    path: "/scrape",
    sends: { url, elements: [{ selector: "h1", timeout: 2000 }] },
    means: { format: "elements", match_selectors: ["h1"], timeout: 30 },
  },
  { path: "/pdf", sends: { url, options: { fullPage: true } }, means: { pdf_single_page: true } },
  {
    path: "/content",
    sends: {
      html: "<script>setInterval(() => document.dispatchEvent(new Event('customEvent')), 100)</script>",
      waitForEvent: { event: "customEvent", timeout: 5000 },
    },
    means: { wait_for_event: "customEvent", wait_for_event_timeout: 5 },
  },
  {
    path: "/chromium/pdf",
    sends: {
      html: "<h1>Hello World!</h1>",
      options: {
        displayHeaderFooter: true,
        headerTemplate: "<span class=title></span>",
        footerTemplate: "<span class=pageNumber></span>",
        printBackground: true,
        landscape: true,
        scale: 0.8,
        pageRanges: "1-1",
        width: "210mm",
        height: 900,
        margin: { top: "20px", right: 10, bottom: "1cm", left: "0.5in" },
        tagged: true,
        outline: true,
        omitBackground: true,
        waitForFonts: true,
        timeout: 2000,
      },
    },
    means: {
      pdf_outline: true,
      pdf_header: "<span class=title></span>",
      pdf_footer: "<span class=pageNumber></span>",
      pdf_background: true,
      pdf_landscape: true,
      pdf_scale: 0.8,
      pdf_pages: "1-1",
      pdf_width: "210mm",
      pdf_height: "900px",
      pdf_margin: "20px,10px,1cm,0.5in",
    },
  },
  { path: "/chrome/pdf", sends: { url, options: { preferCSSPageSize: true } }, means: { pdf_paper: undefined } },
  { sends: { url, options: { clip: { x: 1.4, y: 0, width: 20, height: 20, scale: 1 } } }, means: { clip_x: 1, clip_width: 20 } },
];
