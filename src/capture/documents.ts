/** Captures the page's document in one of `documentFormats`. */

import type { DocumentFormat } from "../shared/formats.ts";
import type { Work } from "./option-group.ts";
import type { CaptureOptions } from "./options.ts";

/** @throws {AppError} `document_too_large`. */
export type CaptureDocument = (work: Work, options: CaptureOptions) => Promise<Buffer>;

interface DocumentKind {
  load(): Promise<CaptureDocument>;
  /** Set if the document always contains the whole page. */
  isWhole?: true;
}

const kinds: Record<DocumentFormat, DocumentKind> = {
  pdf: { load: async () => (await import("./documents/pdf.ts")).capturePdf, isWhole: true },
  html: { load: async () => (await import("./documents/page-text.ts")).captureHtml },
  mhtml: { load: async () => (await import("./documents/mhtml.ts")).captureMhtml, isWhole: true },
  markdown: { load: async () => (await import("./documents/markdown.ts")).captureMarkdown },
  metadata: { load: async () => (await import("./documents/page-text.ts")).captureMetadata, isWhole: true },
  har: { load: async () => (await import("./logs/har.ts")).captureHar },
  console: { load: async () => (await import("./logs/console.ts")).captureConsole },
  elements: { load: async () => (await import("./documents/elements.ts")).captureElements },
  text: { load: async () => (await import("./documents/page-text.ts")).captureText },
};

/** @throws {AppError} `document_too_large`, and the errors of the format's own options. */
export async function captureDocument(work: Work, options: CaptureOptions): Promise<Buffer> {
  const { document: format, clip, isElement } = work.shot;
  if (!format) throw new TypeError("the capture is an image");
  work.waitsFor = "the document";
  const { load, isWhole } = kinds[format];
  if (isElement && isWhole) work.warn(`selector was ignored: ${format} contains the whole page`);
  if (clip && format !== "elements") work.warn(`clip_x, clip_y, clip_width and clip_height were ignored: ${format} is not an image`);
  const capture = await load();
  return await capture(work, options);
}
