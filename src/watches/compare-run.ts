/** Compares a run's capture with the baseline, and ends the run. */

import type { BaseLogger } from "pino";
import { comparisonPermits } from "../comparison/compare.ts";
import { type CompareOptions, comparedPixelsMax, type ReadShot as Shot } from "../comparison/comparison.ts";
import type { Database } from "../database/database.ts";
import type { Job } from "../jobs/queue.ts";
import { type FinishedOutput, resultOf } from "../screenshots/captures/finished-capture.ts";
import type { CaptureRecord, CaptureRecords } from "../screenshots/queued/records.ts";
import { mayBeCached } from "../screenshots/take/cache-entry.ts";
import type { Clock } from "../shared/clock.ts";
import { AppError } from "../shared/errors.ts";
import { readInChunks } from "../shared/turns.ts";
import { objectKey } from "../storage/link.ts";
import type { ImageStore } from "../storage/store.ts";
import { elementsOutput, imageOutput } from "./begin-run.ts";
import type { EndRun } from "./end-run.ts";
import { listMuted } from "./muted.ts";
import { findCaptured } from "./run-records.ts";
import type { ComparedRun } from "./verdict.ts";
import { lockWatch, readWatch, type Watch } from "./watch-records.ts";

interface Parts {
  database: Database;
  captureRecords: Pick<CaptureRecords, "find">;
  store: ImageStore;
  endRun: EndRun;
  clock: Clock;
  log: BaseLogger;
}

/** Handles a queued job. Rejects if it should be retried. */
export type CompareRun = (job: Job, signal: AbortSignal) => Promise<void>;

/** Transient failures, such as a storage outage, are retried for this long. */
const keepTryingMs = 3_600_000;
const attemptsMax = 6;

export function createCompareRun(parts: Parts): CompareRun {
  const { database, clock, log } = parts;
  const end = createCompareAndEnd(parts);

  return async ({ id, retries }, signal) => {
    const found = await findCaptured(database, id);
    if (!found) return; // a process ended the run and then died, or the watch was deleted
    try {
      while (!(await end(found, id, signal))) signal.throwIfAborted(); // repeats if the baseline changed during the comparison
    } catch (error) {
      if (signal.aborted) throw error; // another process may run the job
      const known = error instanceof AppError ? error : undefined;
      const isTemporary = known ? known.retryable : retries < attemptsMax;
      if (isTemporary && clock.now() - found.capturedAt.getTime() < keepTryingMs) {
        log.warn({ err: error, runId: id }, "failed to compare a watch's run; retrying");
        throw error;
      }
      log.error({ err: error, runId: id }, "failed to compare a watch's run");
      const failure = known?.retryable === false ? known : { code: "unavailable", message: "The screenshot could not be compared." };
      const { code, message } = failure;
      await database.transaction(async (transaction) => {
        await parts.endRun(transaction, await lockWatch(transaction, found.watchId), id, [{ error: { code, message } }, undefined]);
      });
    }
  };
}

/** Returns a function that compares and ends a run. It resolves to false, without ending the run, if the baseline changed meanwhile. */
function createCompareAndEnd(parts: Parts) {
  const { database, endRun } = parts;
  return async ({ watchId, userId }: { watchId: string; userId: string }, id: string, signal: AbortSignal): Promise<boolean> => {
    const watch = await readWatch(database, { userId }, watchId);
    const captured = capturedRun(await parts.captureRecords.find({ userId }, id));
    // No limit on waiting, because only a few of these jobs run concurrently.
    const within = { signal, accountWaitingMax: Number.POSITIVE_INFINITY };
    const compared =
      "error" in captured ? undefined : await comparisonPermits.run(userId, () => comparedOf(parts, watch, captured, signal), within);
    signal.throwIfAborted(); // another process may run the job
    return await database.transaction(async (transaction) => {
      const now = await lockWatch(transaction, watchId);
      if (now.acceptedRunId !== watch.acceptedRunId) return false;
      await endRun(transaction, now, id, [captured, compared]);
      return true;
    });
  };
}

async function comparedOf(parts: Parts, watch: Watch, captured: RunShot, signal: AbortSignal) {
  const shotOf = async (runId: string | null) => {
    const shot = runId === null ? undefined : await findShot(parts.database, runId);
    return shot && (await readShot(parts, shot, signal));
  };
  const before = await shotOf(watch.acceptedRunId);
  if (!before) return undefined;
  const after = await readShot(parts, captured, signal);
  if (!after) throw new AppError("unavailable", { message: "The screenshot is no longer stored." });
  const { compare } = await import("../comparison/compare.ts");
  const options = optionsOf(watch, (await listMuted(parts.database, [watch.id])).get(watch.id) ?? []);
  const { hashes: found = [], ...comparison } = await compare(before, after, { ...options, hasHashes: true }, signal);
  const hashes = comparison.isChanged ? found : [];
  const hasUnseen = hashes.some((hash) => !watch.seen.includes(hash));
  const reported = hasUnseen ? await shotOf(watch.reportedRunId) : undefined;
  const differsFromReported = reported ? (await compare(reported, after, options, signal)).isChanged : true;
  return { comparison, hashes, differsFromReported } satisfies ComparedRun;
}

function optionsOf(
  watch: Watch,
  muted: { selector: string | null; box: CompareOptions["ignore"]["boxes"][number] | null }[],
): CompareOptions {
  const { compareBy: by, threshold, ignoreSelectors } = watch;
  const selectors = [...ignoreSelectors, ...muted.flatMap(({ selector }) => selector ?? [])];
  return { by, threshold, ignore: { boxes: muted.flatMap(({ box }) => box ?? []), selectors } };
}

/** Screenshot ids, as in the history. */
export type CapturedRun = { screenshotId: string; elementsId: string } | { error: { code: string; message: string } };

/** @param record the finished capture's record; undefined if it no longer exists. */
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

/** An error or block page is a failure, never a change to the watched page. */
function unwantedPage(image: FinishedOutput): CapturedRun | undefined {
  if ("failure" in image) return undefined;
  const { verdict, targetStatus } = image;
  if (targetStatus !== null && targetStatus >= 400) return failed("host_returned_error", `The page responded with status ${targetStatus}.`);
  if (mayBeCached(verdict)) return undefined;
  return failed("unwanted_page", [`The page is not what was requested: ${verdict.kind}.`, ...verdict.reasons].join(" "));
}

/** The elements are required: without them, regions muted by selector could not be ignored, and changes could not be named. */
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

/** Timeout per file, since other comparisons may be waiting. */
const readTimeoutMs = 10_000;

/** `elementsId` is undefined if the elements are no longer stored. */
interface RunShot {
  screenshotId: string;
  elementsId: string | undefined;
}

/** Sizes in bytes, keyed by screenshot id; null if unknown. */
async function sizesOf(database: Database, ids: string[]): Promise<Map<string, number | null>> {
  const { rows } = await database.query<{ id: string; bytes: number | null }>(
    "select id, bytes from screenshots where id = any($1::uuid[])",
    [ids],
  );
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** Undefined if the run's image is no longer stored. */
async function findShot(database: Database, id: string): Promise<RunShot | undefined> {
  const { rows } = await database.query<{ id: string; output: string }>(
    "select id, output from screenshots where capture_id = $1 and object_key is not null",
    [id],
  );
  const screenshotId = rows.find(({ output }) => output === imageOutput)?.id;
  return screenshotId === undefined ? undefined : { screenshotId, elementsId: rows.find(({ output }) => output === elementsOutput)?.id };
}

/** Undefined if the image no longer exists. @throws {AppError} `unavailable` if storage can't be read; `signal`'s reason. */
async function readShot({ database, store }: Parts, { screenshotId, elementsId }: RunShot, signal: AbortSignal): Promise<Shot | undefined> {
  const sizes = await sizesOf(database, [screenshotId, elementsId ?? screenshotId]);
  const read = async (id: string, format: "png" | "elements") => {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]);
      const stored = await store.get(objectKey(id, format), within, { bytes: sizes.get(id) });
      return stored && (await readInChunks(stored.stream));
    } catch (cause) {
      signal.throwIfAborted();
      throw new AppError("unavailable", { cause });
    }
  };
  const [image, elements] = await Promise.all([
    read(screenshotId, "png"),
    elementsId === undefined ? undefined : read(elementsId, "elements"),
  ]);
  return image && ({ image, ...(elements ? { elements } : {}) } satisfies Shot);
}
