/** `format=mhtml`: a single file with the document and its resources. */

import { AppError } from "../../shared/errors.ts";
import { quotedBytes } from "../in-page/serialize.ts";
import { resourceTree } from "../loading/missing-requests.ts";
import type { Work } from "../option-group.ts";

/** Maximum size. Chromium sends the file as a single message, which is parsed in one go, so larger files would block the service. */
const bytesMax = 20_000_000;

interface Resources {
  resources: { contentSize?: number }[];
  childFrames?: Resources[];
}

/** @throws {AppError} `document_too_large`, if possible before the file is created. */
export async function renderMhtml({ tab }: Work): Promise<Buffer> {
  const [frameTree, documentBytes] = await Promise.all([resourceTree(tab), tab.evaluate(quotedBytes)]);
  if (!frameTree) throw new AppError("document_too_large", { message: "The page nests too many frames, one within another, for mhtml." });
  refuseLarger(bytesOf(frameTree) * base64Factor + documentBytes);
  const { data } = await tab.send("Page.captureSnapshot", { format: "mhtml" }, Number.POSITIVE_INFINITY);
  refuseLarger(data.length);
  return Buffer.from(data);
}

const base64Factor = 4 / 3;

function bytesOf({ resources, childFrames = [] }: Resources): number {
  const own = resources.reduce((sum, { contentSize = 0 }) => sum + contentSize, 0);
  return childFrames.reduce((sum, frame) => sum + bytesOf(frame), own);
}

function refuseLarger(bytes: number): void {
  if (bytes <= bytesMax) return;
  const size = `about ${Math.ceil(bytes / 1e6)} MB; at most ${bytesMax / 1e6} MB are allowed`;
  throw new AppError("document_too_large", { message: `With its resources, the document is ${size}.` });
}
