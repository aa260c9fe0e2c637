/** Result of a run's capture. Pure. */

import { comparedPixelsMax } from "../comparison/comparison.ts";
import { type FinishedOutput, resultOf } from "../screenshots/captures/finished-capture.ts";
import type { CaptureRecord } from "../screenshots/queue/records.ts";
import { mayBeCached } from "../screenshots/take/cache-entry.ts";
import { AppError } from "../shared/errors.ts";
import { elementsOutput, imageOutput } from "./request.ts";

/** Screenshot ids, as in the history. */
export type CapturedRun = { screenshotId: string; elementsId: string } | { error: { code: string; message: string } };

/** @param record record of an ended capture, or undefined if it no longer exists. */
export function capturedRun(record: CaptureRecord | undefined): CapturedRun {
  if (!record) return failed("unavailable", "The capture did not finish in time.");
  if (record.status === "canceled") return failed("canceled", "The capture was canceled.");
  try {
    const outputs = resultOf(record)?.outputs ?? [];
    const [image, elements] = [imageOutput, elementsOutput].map((name) => outputs.find((output) => output.name === name));
    if (!image || !elements) return failed("unavailable", "The capture did not finish in time.");
    return unwantedPage(image) ?? shotOf(image, elements);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(error.code, error.message);
  }
}

const tooLarge = (pixels: number) =>
  `The image has ${Math.ceil(pixels / 1e6)} megapixels, but at most ${comparedPixelsMax / 1e6} can be compared: capture less of the page.`;
const failed = (code: string, message: string) => ({ error: { code, message } });

/** An error or block page is a failure, never a change of the watched page. */
function unwantedPage(image: FinishedOutput): CapturedRun | undefined {
  if ("failure" in image) return undefined;
  const { verdict, targetStatus } = image;
  if (targetStatus !== null && targetStatus >= 400) return failed("host_returned_error", `The page responded with status ${targetStatus}.`);
  if (mayBeCached(verdict)) return undefined;
  return failed("unwanted_page", [`The page is not what was requested: ${verdict.kind}.`, ...verdict.reasons].join(" "));
}

/** The elements are required: without them, muted regions could not be left out, and changes could not be named. */
function shotOf(image: FinishedOutput, elements: FinishedOutput): CapturedRun {
  for (const output of [image, elements]) if ("failure" in output) return failed(output.failure.code, output.failure.message);
  const [screenshotId, elementsId] = [image, elements].map((output) =>
    "files" in output ? output.files.find((file) => file.isStored)?.id : undefined,
  );
  if (screenshotId === undefined || elementsId === undefined) return failed("unavailable", "The screenshot could not be stored.");
  const pixels = "files" in image ? Math.max(...image.files.map(({ width, height }) => (width ?? 0) * (height ?? 0))) : 0;
  if (pixels > comparedPixelsMax) return failed("image_too_large", tooLarge(pixels));
  return { screenshotId, elementsId };
}
