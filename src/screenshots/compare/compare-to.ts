/** Compares a new capture with the screenshot named by `compare_to`. */

import { compare, comparisonPermits } from "../../comparison/compare.ts";
import { type CompareOptions, isElementsOf } from "../../comparison/comparison.ts";
import { abortAfter, DeadlineExceeded } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import { imageFormats } from "../../shared/formats.ts";
import type { Compared, ComparedShots, ComparedSide, OutputRequest, TakenOutput } from "../captures/taken-outputs.ts";
import type { Screenshot } from "../take/capture-and-store.ts";
import { assertPixels, readStoredShot, type ShotParts, type StoredShot, type Viewer } from "./stored-shots.ts";

export interface ComparedWith {
  viewer: Viewer;
  /** Id of the earlier screenshot. */
  id: string;
  /** Whether the capture was queued. Few queued captures run concurrently, so any number of them may wait for a permit. */
  isQueued?: boolean;
  /** Time limit, including the wait for a permit; raised to 2 s if shorter. */
  ms: number;
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal;
}

/** The defaults of `POST /v1/compare`. */
const options: CompareOptions = { by: "both", threshold: 0, ignore: { boxes: [], selectors: [] } };
const leastMs = 2_000;

/** @param readAfter is called once a permit is granted. @throws the signal's reason. */
export async function compareTo(
  parts: ShotParts,
  { viewer, id, isQueued = false, ms, signal: disconnected }: ComparedWith,
  readAfter: () => Promise<StoredShot>,
): Promise<Compared> {
  const work = async (signal: AbortSignal): Promise<ComparedShots> => {
    signal.throwIfAborted();
    const before = await readStoredShot(parts, viewer, { member: "compare_to", id });
    const after = await readAfter();
    const comparison = await compare(before, after, options, signal);
    return { ...comparison, before: sideOf(before), after: sideOf(after) };
  };
  try {
    const waiting = isQueued ? { accountWaitingMax: Number.POSITIVE_INFINITY } : {};
    const run = (signal: AbortSignal) => comparisonPermits.run(viewer.userId, () => work(signal), { signal, ...waiting });
    return await abortAfter(Math.max(ms, leastMs), run, disconnected);
  } catch (error) {
    disconnected.throwIfAborted();
    return { warning: `the screenshots were not compared: ${reasonOf(error)}` };
  }
}

/**
 * Prepares a screenshot, which may not be stored yet, for a comparison.
 * @throws {AppError} `invalid_parameters` if the screenshot is not an image or has too many pixels.
 */
export function shotOf({ id, format, width, height, image }: Screenshot): StoredShot {
  const imageFormat = imageFormats.find((one) => one === format);
  if (!imageFormat || width === null || height === null)
    throw new AppError("invalid_parameters", { message: `${format} is not an image.` });
  const shot = { id, format: imageFormat, width, height, image };
  assertPixels("compare_to", shot);
  return shot;
}

/** Adds comparisons, one after another, to the outputs whose requests have `compare_to`. */
export async function compareOutputs(
  parts: ShotParts,
  requests: OutputRequest[],
  outputs: TakenOutput[],
  { deadlineAt, ...within }: Omit<ComparedWith, "id" | "ms"> & { deadlineAt: number },
): Promise<TakenOutput[]> {
  const lists = outputs.flatMap((one) => {
    return "screenshot" in one && one.screenshot.format === "elements" ? [one.screenshot.image] : [];
  });
  const compared: TakenOutput[] = [];
  for (const [index, one] of outputs.entries()) {
    const id = requests[index]?.request.options.compare_to;
    if (id === undefined || "failure" in one) {
      compared.push(one);
      continue;
    }
    const readAfter = async () => {
      if ("entry" in one) return await readStoredShot(parts, within.viewer, { member: "compare_to", id: one.entry.id });
      const shot = shotOf(one.screenshot);
      const elements = lists.find((list) => isElementsOf(list, shot));
      return elements ? { ...shot, elements } : shot;
    };
    compared.push({ ...one, compared: await compareTo(parts, { ...within, id, ms: deadlineAt - performance.now() }, readAfter) });
  }
  return compared;
}

function sideOf({ id, format, width, height }: StoredShot): ComparedSide {
  return { id, format, width, height };
}

function reasonOf(error: unknown): string {
  if (error instanceof DeadlineExceeded) return "the comparison took too long";
  if (error instanceof AppError) return error.details?.[0]?.message ?? error.message;
  return error instanceof Error ? error.message : "the comparison failed";
}
