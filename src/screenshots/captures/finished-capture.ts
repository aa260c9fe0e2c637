/** The result of a request for several outputs, as plain data for the response or for a queued capture's record. Pure. */

import type { Copy } from "../../accounts/destinations/copies.ts";
import { AppError, type FailureCode, failures, type ParameterProblem } from "../../shared/errors.ts";
import { objectKey } from "../../storage/link.ts";
import type { CaptureRecord } from "../queued/records.ts";
import type { IndexedEntry } from "../take/cache.ts";
import type { CacheEntry } from "../take/cache-entry.ts";
import { roundedTimings, type Screenshot } from "../take/capture-and-store.ts";
import {
  type ComparedShots,
  filesOf,
  isFromCache,
  type OutputFile,
  type OutputRequest,
  type TakenOutput,
  type TakenOutputs,
} from "./taken-outputs.ts";

export interface FinishedCapture {
  source: "url" | "html" | "markdown";
  /** Number of times the page was loaded. */
  loads: number;
  /** In request order. */
  outputs: FinishedOutput[];
  totalMs: number;
}

export type FinishedOutput = { name: string } & (FinishedFiles | { failure: RecordedFailure });

type Facts = Pick<
  CacheEntry,
  "format" | "width" | "height" | "targetStatus" | "finalUrl" | "title" | "verdict" | "warnings" | "capturedAt"
>;

/** `width` and `height` describe the whole image, which may be cut into several files. */
export interface FinishedFiles extends Facts {
  files: FinishedFile[];
  fromCache: boolean;
  loadedAgain: boolean;
  /** Duration of each phase in whole milliseconds. */
  timings: Record<string, number>;
  waitEnded: Screenshot["waitEnded"];
  explanation: Screenshot["explanation"];
  /** Set if the request has `compare_to` and the screenshots could be compared. */
  comparison?: ComparedShots | undefined;
  /** Name of the destination to which the files are copied. */
  destination?: string | undefined;
}

export interface FinishedFile extends Pick<OutputFile, "id" | "bytes" | "width" | "height" | "etag" | "y"> {
  isStored: boolean;
  /** Set only in responses. */
  copy?: Copy | undefined;
}

export interface RecordedFailure {
  code: FailureCode;
  message: string;
  retryable: boolean;
  retryAfterSeconds?: number | undefined;
  details?: ParameterProblem[] | undefined;
  explanation?: object | undefined;
  /** Set if the screenshot was captured but can't be delivered now. */
  screenshotId?: string | undefined;
}

/** Result stored in a finished capture's record. */
export type CaptureResult = { capture: FinishedCapture } | { failure: RecordedFailure };

/** The result in a capture's record, or undefined if the capture has not finished. @throws {AppError} the recorded failure. */
export function resultOf({ result, storedIds }: Pick<CaptureRecord, "result" | "storedIds">): FinishedCapture | undefined {
  const ended = result as CaptureResult | null;
  if (!ended) return undefined;
  if ("failure" in ended) throw failureAgain(ended.failure);
  const outputs = ended.capture.outputs.map((one) => {
    if ("failure" in one) return one;
    return { ...one, files: one.files.map((file) => ({ ...file, isStored: file.isStored || storedIds.includes(file.id) })) };
  });
  return { ...ended.capture, outputs };
}

/** The entry for an output that another process captured or found in the cache; undefined unless all of its files are stored. */
export function storedEntryOf({ files, ...output }: FinishedFiles): IndexedEntry | undefined {
  const { format, width, height, targetStatus, finalUrl, title, verdict, warnings, capturedAt } = output;
  const [first, ...more] = files.map(({ width, height, y, isStored, copy, ...file }) => {
    return { ...file, objectKey: objectKey(file.id, format), y: y ?? 0, width: width ?? 0, height: height ?? 0 };
  });
  if (!first || !files.every(({ isStored }) => isStored)) return undefined;
  const slices = files[0]?.y === undefined ? {} : { slices: [first, ...more] };
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const facts = { format, width, height, targetStatus, finalUrl, title, verdict, warnings, capturedAt };
  return { ...facts, ...slices, id: first.id, etag: first.etag, objectKey: first.objectKey, bytes, indexKey: "" };
}

/** @param stored for each output, whether each of its files is stored. */
export function finishedCapture(
  requests: OutputRequest[],
  { outputs, loads }: TakenOutputs,
  stored: boolean[][],
  totalMs: number,
): FinishedCapture {
  const options = requests[0]?.request.options;
  return {
    source: options?.html !== undefined ? "html" : options?.markdown !== undefined ? "markdown" : "url",
    loads,
    outputs: outputs.map((one, index): FinishedOutput => {
      const { name = "", request } = requests[index] ?? {};
      if ("failure" in one) return { name, failure: recordedFailure(one.failure) };
      return { name, ...finishedFiles(one, stored[index] ?? []), destination: request?.options.destination };
    }),
    totalMs: Math.round(totalMs),
  };
}

function finishedFiles(one: Exclude<TakenOutput, { failure: unknown }>, stored: boolean[]): FinishedFiles {
  const { timings = {}, waitEnded, explanation } = ("entry" in one ? one.captured : one.screenshot) ?? {};
  const { format, width, height, targetStatus, finalUrl, title, verdict, warnings, capturedAt } =
    "entry" in one ? one.entry : one.screenshot;
  return {
    ...{ format, width, height, targetStatus, finalUrl, title, verdict, warnings, capturedAt },
    ...("entry" in one ? {} : one.whole),
    ...comparisonOf(one, warnings),
    files: filesOf(one).map(({ id, bytes, width, height, etag, y }, index) => {
      return { id, bytes, width, height, etag, y, isStored: stored[index] === true };
    }),
    fromCache: isFromCache(one),
    loadedAgain: ("entry" in one ? one.captured?.loadedAgain : one.loadedAgain) === true,
    timings: roundedTimings(timings),
    waitEnded,
    explanation,
  };
}

function comparisonOf({ compared }: Exclude<TakenOutput, { failure: unknown }>, warnings: string[]) {
  if (!compared) return {};
  return "warning" in compared ? { warnings: [...warnings, compared.warning] } : { comparison: compared };
}

/** Unexpected errors become `internal_error`. */
export function recordedFailure(error: unknown): RecordedFailure {
  if (!(error instanceof AppError)) return { code: "internal_error", message: failures.internal_error.message, retryable: true };
  const { code, message, retryable, retryAfterSeconds, details, explanation, screenshotId } = error;
  return { code, message, retryable, retryAfterSeconds, details, explanation, screenshotId };
}

export function failureAgain({ code, explanation, details, ...failure }: RecordedFailure): AppError {
  const error = new AppError(code, { ...failure, ...(details ? { details } : {}) });
  error.explanation = explanation;
  return error;
}
