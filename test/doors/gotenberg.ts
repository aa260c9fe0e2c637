/** Requests of Gotenberg's documentation. */

import type { Documented } from "./documented.ts";

const url = "SITE/";
const screenshot = "/forms/chromium/screenshot/url";
const convert = "/forms/chromium/convert/url";

export const documented: Documented[] = [
  {
    path: screenshot,
    sends: { url },
    means: { width: 800, height: 600, full_page: true, format: "png", fail_on_status: ["400-499", "500-599"] },
  },
  {
    path: screenshot,
    sends: {
      url,
      width: 640,
      height: 480,
      deviceScaleFactor: 2,
      clip: true,
      format: "jpeg",
      quality: 70,
      omitBackground: true,
      optimizeForSpeed: true,
      selector: "h1",
    },
    means: {
      width: 640,
      height: 480,
      device_scale_factor: 2,
      full_page: false,
      format: "jpeg",
      quality: 70,
      omit_background: true,
      selector: "h1",
    },
  },
  {
    path: screenshot,
    sends: {
      url,
      waitDelay: "1s",
      waitForExpression: "document.readyState === 'complete'",
      waitForSelector: "h1",
      emulatedMediaType: "print",
      emulatedMediaFeatures: '[{"name":"prefers-color-scheme","value":"dark"},{"name":"prefers-reduced-motion","value":"reduce"}]',
      cookies: '[{"name":"yummy_cookie","value":"choco","domain":"127.0.0.1"}]',
      userAgent: "Preview/1.0",
      extraHttpHeaders: '{"X-Header":"value"}',
      failOnHttpStatusCodes: "[499]",
      failOnResourceHttpStatusCodes: "[]",
      failOnResourceLoadingFailed: "false",
      failOnConsoleExceptions: "false",
    },
    means: {
      delay: 1,
      wait_for_function: "document.readyState === 'complete'",
      wait_for_selector: "h1",
      media_type: "print",
      prefers_color_scheme: "dark",
      prefers_reduced_motion: "reduce",
      cookies: "given",
      user_agent: "Preview/1.0",
      headers: "given",
      fail_on_status: ["400-499"],
    },
  },
  {
    path: screenshot,
    sends: { url, skipNetworkIdleEvent: "false", failOnHttpStatusCodes: "[]" },
    means: { wait_until: ["auto", "networkidle0"], fail_on_status: undefined },
  },
  { path: screenshot, sends: { url, skipNetworkAlmostIdleEvent: "false" }, means: { wait_until: ["auto", "networkidle2"] } },
  {
    path: "/forms/chromium/screenshot/html",
    sends: { files: { "index.html": "<script>window.status = 'ready'</script><h1>Hello</h1>" }, waitWindowStatus: "ready" },
    means: { wait_for_function: 'window.status === "ready"' },
  },
  {
    path: "/forms/chromium/screenshot/markdown",
    sends: { files: { "index.html": '<body>{{ toHTML "file.md" }}', "file.md": "# Hello" } },
    means: { width: 800 },
  },
  {
    path: convert,
    sends: { url },
    means: { format: "pdf", pdf_width: "8.5in", pdf_height: "11in", pdf_margin: "0.39in,0.39in,0.39in,0.39in", pdf_background: false },
  },
  {
    path: convert,
    sends: {
      url,
      paperWidth: "210mm",
      paperHeight: 10,
      marginTop: 1,
      marginBottom: "1cm",
      marginLeft: "72pt",
      marginRight: "6pc",
      landscape: true,
      scale: 0.8,
      nativePageRanges: "1-1",
      printBackground: true,
      generateDocumentOutline: true,
      generateTaggedPdf: true,
      pdfua: false,
      merge: false,
      flatten: false,
    },
    means: {
      pdf_width: "210mm",
      pdf_height: "10in",
      pdf_margin: "1in,1in,1cm,72pt",
      pdf_landscape: true,
      pdf_scale: 0.8,
      pdf_pages: "1-1",
      pdf_background: true,
    },
  },
  { path: convert, sends: { url, preferCssPageSize: true }, means: { pdf_width: undefined } },
  {
    path: convert,
    sends: { url, singlePage: true, "Gotenberg-Output-Filename": "page", "Gotenberg-Trace": "trace-1" },
    means: { pdf_single_page: true, attachment_name: "page" },
  },
  {
    path: "/forms/chromium/convert/html",
    sends: { files: { "index.html": "<h1>Hello</h1>", "header.html": "<p>Header</p>", "footer.html": "<p>Footer</p>" } },
    means: { pdf_header: "<p>Header</p>", pdf_footer: "<p>Footer</p>" },
  },
];
