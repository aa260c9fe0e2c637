/** Renders the page as a document, in one of `documentFormats`. */

import type { DocumentFormat } from "../shared/formats.ts";
import type { Work } from "./option-group.ts";
import type { CaptureOptions } from "./options.ts";

type RenderDocument = (work: Work, options: CaptureOptions) => Promise<Buffer>;

interface DocumentKind {
  load(): Promise<RenderDocument>;
  /** Set if the document always contains the whole page. */
  isWhole?: true;
}

const kinds: Record<DocumentFormat, DocumentKind> = {
  pdf: { load: async () => (await import("./documents/pdf.ts")).renderPdf, isWhole: true },
  html: { load: async () => (await import("./documents/page-text.ts")).renderHtml },
  mhtml: { load: async () => (await import("./documents/mhtml.ts")).renderMhtml, isWhole: true },
  markdown: { load: async () => (await import("./documents/markdown.ts")).renderMarkdown },
  metadata: { load: async () => (await import("./documents/page-text.ts")).renderMetadata, isWhole: true },
  har: { load: async () => (await import("./logs/har.ts")).renderHar },
  console: { load: async () => (await import("./logs/page-console.ts")).renderConsole },
  elements: { load: async () => (await import("./documents/elements.ts")).renderElements },
  text: { load: async () => (await import("./documents/page-text.ts")).renderText },
};

/** @throws {AppError} `document_too_large`; `image_too_large` with `elements`; `invalid_parameters` for a wrong selector or PDF page. */
export async function renderDocument(work: Work, options: CaptureOptions): Promise<Buffer> {
  const { document: format, clip, isElement } = work.shot;
  if (!format) throw new TypeError("the capture is an image");
  work.waitsFor = "the document";
  const { load, isWhole } = kinds[format];
  if (isElement && isWhole) work.warn(`selector was ignored: ${format} contains the whole page`);
  if (clip && format !== "elements") work.warn(`clip_x, clip_y, clip_width and clip_height were ignored: ${format} is not an image`);
  const render = await load();
  return await render(work, options);
}
