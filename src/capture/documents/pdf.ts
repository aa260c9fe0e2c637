/** `format=pdf`: the printed document. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../../browser/tab.ts";
import { AppError, wrongParameter } from "../../shared/errors.ts";
import { bytesPerTurn, joinInChunks } from "../../shared/turns.ts";
import {
  closeScrollers,
  hasPageMargin,
  holdHeights,
  mayScroll,
  noteHeights,
  openScrollers,
  printedHeight,
  releaseHeights,
  setPageRule,
} from "../in-page/print-layout.ts";
import type { Work } from "../option-group.ts";
import type { CaptureOptions } from "../options.ts";
import { type Layout, layoutOf, pixelsPerInch } from "../paper.ts";
import { pagesOf } from "./pdf-pages.ts";

/** Maximum size of a file; larger ones are rejected. */
const bytesMax = 100_000_000;
/** Maximum width or height of a page, in inches: PDF readers support up to 14,400 points. */
const pageInchesMax = 200;

/** @throws {AppError} `document_too_large`; `invalid_parameters` for pages that the document doesn't have. */
export async function renderPdf(work: Work, options: CaptureOptions): Promise<Buffer> {
  const { tab, warn } = work;
  const { pdf_pages, pdf_header, pdf_footer, pdf_single_page, pdf_background, pdf_scale, pdf_outline } = options;
  const layout = layoutOf(options);
  const contentWidth = await layOut(work, layout, pdf_scale);
  if (pdf_single_page) layout.paperHeight = await singlePageHeight(work, layout, pdf_scale);
  const rule = pageRule(layout, options);
  const parameters = {
    ...layout,
    preferCSSPageSize: true,
    printBackground: pdf_background,
    scale: pdf_scale,
    ...(pdf_pages ? { pageRanges: pdf_pages } : {}),
    // If either is set, both are sent, because Chromium substitutes its own template for a missing one.
    ...(pdf_header || pdf_footer
      ? { displayHeaderFooter: true, headerTemplate: pdf_header || "<span></span>", footerTemplate: pdf_footer || "<span></span>" }
      : {}),
    generateTaggedPDF: true,
    generateDocumentOutline: pdf_outline,
    transferMode: "ReturnAsStream",
  } as const;
  if (rule) await tab.evaluate(setPageRule, rule);
  if (options.pdf_margin && !pdf_single_page && (await tab.evaluate(hasPageMargin)))
    warn("pdf_margin was ignored: the page sets its own margins with @page");
  try {
    let pdf = await print(tab, parameters);
    const fitting = Math.max(scaleMin, (widthOn(layout, 1) / contentWidth) * scaleMargin);
    // Chromium itself shrinks content that is slightly too wide, and a page that sets its own paper size is presumably designed for it.
    if (fitting < pdf_scale * ownShrinking && isOn(pdf, layout)) {
      warn(`the content is wider than the paper: it was scaled to ${Math.round(fitting * 100)}% of its size`);
      Object.assign(parameters, { scale: fitting });
      pdf = await print(tab, parameters);
    }
    if (!pdf_single_page || layout.paperHeight >= pageInchesMax) return pdf;
    const pages = pagesOf(pdf)?.count ?? 1; // if it can't be read, the document stays as printed
    if (pages < 2) return pdf;
    // Retries on a taller page: parts of the document may be as tall as the page, or it may be laid out differently for printing.
    const paperHeight = Math.min(pageInchesMax, layout.paperHeight * (pages + 1));
    await tab.evaluate(setPageRule, pageRule({ ...layout, paperHeight }, options));
    const longer = await print(tab, { ...parameters, paperHeight });
    if ((pagesOf(longer)?.count ?? 1) > 1) warn("the document could not be laid out on a single page, so it has several");
    return longer;
  } finally {
    await tab.evaluate(closeScrollers);
    if (rule) await tab.evaluate(setPageRule, "");
    if (pdf_single_page) await tab.evaluate(releaseHeights);
  }
}

/** Chromium's own minimum. */
const scaleMin = 0.1;
/** Chromium itself shrinks content that is too wide, but only down to this share of the scale. */
const ownShrinking = 0.72;
/** Safety margin, because borders may extend slightly beyond the measured content. */
const scaleMargin = 0.99;

/** Width between the margins, in CSS pixels. */
function widthOn({ paperWidth, marginLeft, marginRight }: Layout, printScale: number): number {
  return Math.max(1, Math.floor(((paperWidth - marginLeft - marginRight) * pixelsPerInch) / printScale));
}

/** Whether the first page is as wide as the paper. */
function isOn(pdf: Buffer, { paperWidth }: Layout): boolean {
  return Math.abs((pagesOf(pdf)?.width ?? Number.NaN) - paperWidth * 72) < 3;
}

/**
 * Expands the page's scrollable elements. Resolves to the width, in CSS pixels, of the content laid out at paper width, or to 1 if
 * nothing scrolls and nothing is likely to be wider than the paper.
 */
async function layOut({ tab, shot: { viewport, scale } }: Work, paper: Layout, printScale: number): Promise<number> {
  if (!(await tab.evaluate(mayScroll))) return 1;
  const metrics = { height: viewport.height, deviceScaleFactor: scale, mobile: false };
  await tab.send("Emulation.setDeviceMetricsOverride", { ...metrics, width: widthOn(paper, printScale) });
  const width = await tab.evaluate(openScrollers);
  await tab.send("Emulation.setDeviceMetricsOverride", { ...metrics, width: viewport.width });
  return width;
}

/** An `@page` rule that overrides the page's own if the request sets the paper or asks for a single page; otherwise empty. */
function pageRule(layout: Layout, { pdf_paper, pdf_width, pdf_landscape, pdf_single_page }: CaptureOptions): string {
  const size = `size: ${layout.paperWidth}in ${layout.paperHeight}in !important;`;
  const margin = `margin: ${layout.marginTop}in ${layout.marginRight}in ${layout.marginBottom}in ${layout.marginLeft}in`;
  if (pdf_single_page)
    return `@page { ${size} ${margin} !important } *, ::before, ::after { break-before: auto !important; break-after: auto !important }`;
  return pdf_paper || pdf_width || pdf_landscape ? `@page { ${size} }` : "";
}

async function print(tab: Tab, parameters: Protocol.Page.PrintToPDFRequest): Promise<Buffer> {
  // No separate timeout: long documents take a while to print, and the capture's deadline applies.
  const { stream } = await tab.send("Page.printToPDF", parameters, Number.POSITIVE_INFINITY).catch((error) => {
    if (!/page range/i.test(String(error))) throw error;
    throw wrongParameter("pdf_pages", `is ${parameters.pageRanges}, but the document has fewer pages`, "pages of the document");
  });
  if (!stream) throw new Error("Chromium returned no PDF");
  return await readStream(tab, stream);
}

/** Height of the whole document in inches, but no more than PDF readers support; adds a warning if the document is longer. */
async function singlePageHeight({ tab, shot: { viewport, scale }, warn }: Work, paper: Layout, printScale: number): Promise<number> {
  const width = widthOn(paper, printScale);
  const metrics = { height: viewport.height, deviceScaleFactor: scale, mobile: false };
  await tab.send("Emulation.setDeviceMetricsOverride", { ...metrics, width });
  await tab.evaluate(noteHeights);
  await tab.send("Emulation.setDeviceMetricsOverride", { ...metrics, width, height: 2 * viewport.height });
  await tab.evaluate(holdHeights);
  await tab.send("Emulation.setDeviceMetricsOverride", { ...metrics, width });
  const height = await tab.evaluate(printedHeight);
  await tab.send("Emulation.setDeviceMetricsOverride", { ...metrics, width: viewport.width });
  const inches = (Math.ceil(height + 1) * printScale) / pixelsPerInch + paper.marginTop + paper.marginBottom;
  if (inches > pageInchesMax)
    warn(`the document exceeds the maximum length of a PDF page (${pageInchesMax} inches), so it has several pages`);
  return Math.min(pageInchesMax, inches);
}

/** Reads the stream in parts, so that no message is large. */
async function readStream(tab: Tab, handle: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const { data, base64Encoded, eof } = await tab.send("IO.read", { handle, size: bytesPerTurn });
    const part = Buffer.from(data, base64Encoded ? "base64" : "utf8");
    parts.push(part);
    bytes += part.length;
    if (bytes > bytesMax) throw new AppError("document_too_large", { message: `The PDF is larger than ${bytesMax / 1e6} million bytes.` });
    if (eof) break;
  }
  await tab.send("IO.close", { handle });
  return await joinInChunks(parts);
}
