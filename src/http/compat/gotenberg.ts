/** Gotenberg: `POST /forms/chromium/{screenshot,convert}/{url,html,markdown}`, multipart. */

import type { FastifyRequest } from "fastify";
import type { Members } from "../input/json-body.ts";
import {
  type Adapter,
  type AdapterRoute,
  as,
  flag,
  Invalid,
  ignored,
  ignoredFromOtherRoutes,
  into,
  isOn,
  type ProductParameters,
  refused,
  refusedUnless,
  type Table,
} from "./adapter.ts";
import {
  checkedMargins,
  condition,
  cookiesOfField,
  documentIn,
  duration,
  features,
  headersOfField,
  length,
  margins,
  statuses,
} from "./gotenberg-fields.ts";

const off = [false, "false", ""];
const all = (entry: Table[string], ...names: string[]): Table => Object.fromEntries(names.map((name) => [name, entry]));
const resources = "only the page's own status is checked";
const engines = "PDFs are created only by Chromium";
/** Callers find their requests by the trace, so it is returned as sent, but not at any length. */
const traceLengthMax = 1000;

const table: Table = {
  url: as("url"),
  files: as(
    "html",
    documentIn,
    '`index.html`, with the other files inlined, and a Markdown file in place of each `{{ toHTML "file.md" }}`',
  ),
  waitDelay: as("delay", duration),
  waitForExpression: as(
    "wait_for_function",
    (_value, parameters) => condition(parameters),
    "a 400 if the expression throws or is undefined",
  ),
  waitForSelector: as("wait_for_selector"),
  waitWindowStatus: as("wait_for_function", (_value, parameters) => condition(parameters)),
  emulatedMediaType: as("media_type"),
  emulatedMediaFeatures: into(["prefers_color_scheme", "prefers_reduced_motion"], features),
  cookies: as("cookies", cookiesOfField),
  userAgent: as("user_agent"),
  extraHttpHeaders: as("headers", headersOfField, "sent only to the page's origin; `;scope=` is rejected"),
  failOnHttpStatusCodes: as("fail_on_status", statuses, "the error is a 409"),
  skipNetworkIdleEvent: flag(["wait_until"], (isSet) => (isSet ? {} : { wait_until: ["auto", "networkidle0"] })),
  skipNetworkAlmostIdleEvent: flag(["wait_until"], (isSet) => (isSet ? {} : { wait_until: ["auto", "networkidle2"] })),
  omitBackground: as("omit_background"),
  "Gotenberg-Output-Filename": as("attachment_name", (name, parameters) => fileName(String(name), parameters)),
  "Gotenberg-Trace": { ...ignored("returned in the response"), affectsResponse: true },
  ...all(refusedUnless([...off, "[]"], resources), "failOnResourceHttpStatusCodes", "failOnResourceLoadingFailed"),
  ignoreResourceHttpStatusDomains: refused(resources),
  failOnConsoleExceptions: refusedUnless(off, "script errors on the page don't fail a capture"),
  downloadFrom: refused("only the page is downloaded"),
  ...all(
    refused("use webhook_url with POST /v1/captures"),
    ...["Url", "Error-Url", "Events-Url", "Method", "Error-Method", "Extra-Http-Headers"].map((name) => `Gotenberg-Webhook-${name}`),
  ),
};

const screenshotTable: Table = {
  width: as("width"),
  height: as("height"),
  deviceScaleFactor: as("device_scale_factor"),
  clip: flag(["full_page"], (isSet) => ({ full_page: !isSet }), "if off, the whole page is captured"),
  selector: as("selector"),
  format: as("format"),
  quality: as("quality"),
  optimizeForSpeed: ignored("images are always optimized for size"),
};

const convertTable: Table = {
  singlePage: as("pdf_single_page"),
  paperWidth: as("pdf_width", length),
  paperHeight: as("pdf_height", length),
  ...all(as("pdf_margin", checkedMargins), "marginTop", "marginRight", "marginBottom", "marginLeft"),
  preferCssPageSize: flag(["pdf_width", "pdf_height"]),
  generateDocumentOutline: as("pdf_outline"),
  generateTaggedPdf: flag([], undefined, "PDFs are always tagged"),
  printBackground: as("pdf_background"),
  omitBackground: flag(["omit_background"], (isSet, { printBackground }) => {
    if (isSet && !isOn(printBackground)) throw new Invalid("requires printBackground to be true");
    return { omit_background: isSet };
  }),
  landscape: as("pdf_landscape"),
  scale: as("pdf_scale"),
  nativePageRanges: as("pdf_pages"),
  "header.html": as("pdf_header", undefined, "a file"),
  "footer.html": as("pdf_footer", undefined, "a file"),
  ...all(refusedUnless(off, engines), "pdfua", "merge", "flatten", "optimizeImages"),
  imageQuality: ignored("applies only to optimizeImages"),
  metadata: refusedUnless(["{}"], engines),
  pdfa: refused("Chromium can't create PDF/A, and a PDF that falsely claims to be PDF/A would be worse than none"),
  ...all(refused(engines), "splitMode", "splitSpan", "splitUnify", "userPassword", "ownerPassword", "embeds"),
  ...all(refused(engines), "bookmarks", "rotateAngle", "rotatePages", "embedsMetadata"),
  ...Object.fromEntries(
    ["watermark", "stamp"].flatMap((mark) =>
      ["", "Source", "Expression", "Pages", "Options"].map((name) => [mark + name, refused(engines)]),
    ),
  ),
  ...all(refused(engines), "facturxXml", "facturxVersion", "facturxDocumentType", "facturxConformanceLevel"),
  ...all(refused(engines), "allowPrinting", "allowCopying", "allowModifying", "allowAnnotating", "allowFillingForms", "allowAssembling"),
};

const routes = ["url", "html", "markdown"].flatMap((source): AdapterRoute[] => [
  {
    method: "POST",
    path: `/forms/chromium/screenshot/${source}`,
    table: { ...ignoredFromOtherRoutes(convertTable, { ...table, ...screenshotTable }, "applies only to PDFs"), ...screenshotTable },
    defaults: image,
  },
  {
    method: "POST",
    path: `/forms/chromium/convert/${source}`,
    table: { ...ignoredFromOtherRoutes(screenshotTable, convertTable, "applies only to screenshots"), ...convertTable },
    defaults: pdf,
  },
]);

export const gotenberg: Adapter = {
  title: "Gotenberg",
  reference: "https://gotenberg.dev/docs/routes",
  about:
    "The key is the API key of its clients (`X-Api-Key`), or the password of Basic authentication. A request may have at most `MAX_REQUEST_BODY_MB` and 500 parts, each with a unique name and at most 20 header lines; its document with all files may have at most 2 MB. `GET /version` returns our version; `GET /health` responds as ours does, with 200 or 503; unlike Gotenberg's, its body has no `up`.\n\nPDF/A is not supported, because no Node library can convert Chromium's PDFs to it or validate them. Metadata is not written; a PDF has its page's title. Files can't be embedded, because invoices, for which this is used, require PDF/A-3. PDFs can't be merged. Programs that request any of these by default must be configured not to. paperless-ngx imports mail with `PAPERLESS_OCR_OUTPUT_TYPE=pdf` and `PAPERLESS_EMAIL_PARSE_DEFAULT_LAYOUT=3` (HTML only); its office documents need Gotenberg itself.",
  routes,
  keyName: "api_key",
  keyOf: ({ headers }) => {
    const [, basic] = /^basic (\S+)$/i.exec(headers.authorization ?? "") ?? [];
    const [, ...password] = Buffer.from(basic ?? "", "base64")
      .toString()
      .split(":");
    return password.join(":") || undefined;
  },
  table,
  body: {
    type: "multipart/form-data",
    read: async (request, disconnected) => {
      const form = await (await import("./form.ts")).readForm(request, disconnected);
      const hasDocument = "files" in form || request.routeOptions.url?.endsWith("/url");
      return { ...namedHeaders(request), ...(hasDocument ? {} : { files: [] }), ...form };
    },
  },
  defaults: (parameters) => ({ fail_on_status: ["400-499", "500-599"], attachment_name: fileName("result", parameters) }),
  plainRoutes: [{ path: "/version", respond: async (reply, { version }) => reply.type(plainText).send(version) }],
  prepare: ({ id, headers }, reply) => {
    const trace = String(headers["gotenberg-trace"] ?? id);
    reply.header("gotenberg-trace", trace.replace(/[^ -~]/g, "").slice(0, traceLengthMax));
  },
  formatError: ({ code, status, message, details }) => {
    const lacksKey = code === "invalid_api_key" || details?.some(({ parameter }) => parameter === "api_key");
    const statuses: Partial<Record<typeof code, number>> = { host_returned_error: 409, target_timeout: 503, target_blocked: 403 };
    return { type: plainText, text: message, status: lacksKey ? 401 : (statuses[code] ?? status) };
  },
};

/** Gotenberg's spelling. */
const plainText = "text/plain; charset=UTF-8";

/** Strips folders, and adds Gotenberg's extension for JPEG. */
function fileName(name: string, { format }: ProductParameters): string {
  const own = name.split(/[/\\]/).at(-1) ?? "";
  return String(format).toLowerCase() === "jpeg" && !/\.jpe?g$/i.test(own) ? `${own}.jpeg` : own;
}

function image(): Members {
  return { width: 800, height: 600, full_page: true, format: "png", quality: 100 };
}

function pdf(parameters: ProductParameters): Members {
  const size = isOn(parameters.preferCssPageSize)
    ? {}
    : { pdf_width: length(parameters.paperWidth ?? 8.5), pdf_height: length(parameters.paperHeight ?? 11) };
  return { format: "pdf", ...size, pdf_margin: margins(parameters), pdf_background: false, pdf_outline: false };
}

/** Gotenberg's request headers, with their names capitalized as in its documentation. */
function namedHeaders({ headers }: FastifyRequest): Members {
  const own = Object.entries(headers).filter(([name]) => /^gotenberg-(output-filename|trace|webhook)/.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()), value]));
}
