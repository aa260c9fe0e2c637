/** Captures the page's document in one of `documentFormats`. */

import { type DocumentFormat, isLog } from "../shared/formats.ts";
import type { Work } from "./option-group.ts";
import type { CaptureOptions } from "./options.ts";

/** @throws {AppError} `document_too_large`. */
export type CaptureDocument = (work: Work, options: CaptureOptions) => Promise<Buffer>;

interface DocumentKind {
  load(): Promise<CaptureDocument>;
  /** Whether the document can contain a single element. */
  takesSelector: boolean;
}

const kinds: Record<DocumentFormat, DocumentKind> = {
  pdf: { load: async () => (await import("./documents/pdf.ts")).capturePdf, takesSelector: false },
  html: { load: async () => (await import("./documents/page-text.ts")).captureHtml, takesSelector: true },
  mhtml: { load: async () => (await import("./documents/mhtml.ts")).captureMhtml, takesSelector: false },
  markdown: { load: async () => (await import("./documents/markdown.ts")).captureMarkdown, takesSelector: true },
  metadata: { load: async () => (await import("./documents/page-text.ts")).captureMetadata, takesSelector: false },
  har: { load: async () => (await import("./logs/har.ts")).captureHar, takesSelector: false },
  console: { load: async () => (await import("./logs/console.ts")).captureConsole, takesSelector: false },
  elements: { load: async () => (await import("./documents/elements.ts")).captureElements, takesSelector: true },
  text: { load: async () => (await import("./documents/page-text.ts")).captureText, takesSelector: true },
};

/** Bytes of bodies that Chromium keeps of each process of the page. */
const bodyBuffer = { total: 20_000_000, each: 1_000_000 };

/** Starts to record what the logs among the outputs of a load contain. Call before the navigation. */
export async function startLogs(work: Work, outputs: readonly CaptureOptions[]): Promise<void> {
  const archives = outputs.filter(({ format }) => format === "har");
  if (archives.length === 0) return; // Chromium keeps console messages
  const { recordRequests } = await import("./logs/request-record.ts");
  work.record = await recordRequests(work.tab, archives.some(({ har_bodies }) => har_bodies === "text") ? bodyBuffer : undefined);
}

/** @throws {AppError} `document_too_large`, and the errors of the format's own options. */
export async function captureDocument(work: Work, options: CaptureOptions): Promise<Buffer> {
  const { document: format, clip, isElement } = work.shot;
  if (!format) throw new TypeError("the capture is an image");
  work.waitsFor = "the document";
  const { load, takesSelector } = kinds[format];
  if (isElement && !takesSelector && !isLog(format)) work.warn(`selector was ignored: ${format} contains the whole page`);
  if (clip && format !== "elements") work.warn(`clip_x, clip_y, clip_width and clip_height were ignored: ${format} is not an image`);
  const capture = await load();
  return await capture(work, options);
}
